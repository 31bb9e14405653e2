// SPDX-License-Identifier: Apache-2.0
// Runtime API: executable graphs, and the user objects of graphs.
#include "runtimes/cuda/runtime_graph.h"

#include <fmt/format.h>

#include <fstream>

using namespace simtlm::cuda;

// ---- executable graphs ----

RUNTIME(cudaGraphInstantiateWithFlags)(executable_graph** to, graph* g, unsigned long long flags) {
    return graph_call("cudaGraphInstantiate", [&](session& s) {
        require_pointer(to);
        *to = instantiate(s, g, flags);
    });
}
RUNTIME(cudaGraphInstantiate_v11)
(executable_graph** to, graph* g, graph_node** fault, char* log, std::size_t room) {
    if (fault != nullptr) *fault = nullptr;
    if (log != nullptr && room != 0) *log = 0;
    return simtlm_rt_cudaGraphInstantiateWithFlags(to, g, 0);
}

namespace {
/// cudaGraphInstantiateParams
struct instantiation {
    unsigned long long flags;
    void* stream;
    graph_node* fault;
    int outcome;
};
}  // namespace

RUNTIME(cudaGraphInstantiateWithParams)(executable_graph** to, graph* g, instantiation* p) {
    if (p == nullptr)
        return graph_call("cudaGraphInstantiateWithParams", [&](session&) { require_pointer(p); });
    const result r = simtlm_rt_cudaGraphInstantiateWithFlags(to, g, p->flags);
    p->fault = nullptr;
    p->outcome = r == 0 ? 0 : 1;
    return r;
}
RUNTIME(cudaGraphExecGetFlags)(executable_graph* g, unsigned long long* flags) {
    return graph_call("cudaGraphExecGetFlags", [&](session& s) {
        require_pointer(flags);
        *flags = graph_store::of(s).get(g).flags;
    });
}
RUNTIME(cudaGraphExecUpdate_v11)(executable_graph* e, graph* g, graph_node** at, int* why) {
    return graph_call("cudaGraphExecUpdate", [&](session& s) {
        const update_result r = update(s, e, g);
        if (at != nullptr) *at = r.at;
        if (why != nullptr) *why = r.code;
        require(r.code == 0, status::graph_update_failure, "the graphs differ in structure");
    });
}

namespace {
/// cudaGraphExecUpdateResultInfo
struct update_information {
    int code;
    graph_node* at;
    graph_node* from;
};
}  // namespace

RUNTIME(cudaGraphExecUpdate)(executable_graph* e, graph* g, update_information* to) {
    return graph_call("cudaGraphExecUpdate", [&](session& s) {
        const update_result r = update(s, e, g);
        if (to != nullptr) *to = {r.code, r.at, nullptr};
        require(r.code == 0, status::graph_update_failure, "the graphs differ in structure");
    });
}
RUNTIME(cudaGraphUpload)(executable_graph* g, void* stream) {
    return graph_call("cudaGraphUpload", [&](session& s) {
        graph_store::of(s).get(g);
        s.stream(stream);
    });
}
RUNTIME(cudaGraphLaunch)(executable_graph* g, void* stream) {
    return graph_call("cudaGraphLaunch", [&](session& s) {
        launch_graph(s, graph_store::of(s).get(g), s.stream(stream));
    });
}
RUNTIME(cudaGraphExecDestroy)(executable_graph* g) {
    return graph_call("cudaGraphExecDestroy", [&](session& s) { graph_store::of(s).remove(g); });
}
RUNTIME(cudaGraphDebugDotPrint)(graph* g, const char* path, unsigned) {
    return graph_call("cudaGraphDebugDotPrint", [&](session& s) {
        require_pointer(path);
        std::ofstream out(path);
        out << "digraph {\n";
        for (const auto& n : graph_store::of(s).get(g)->nodes) {
            out << fmt::format("  n{} [label=\"{} kind {}\"];\n", n->number, n->number,
                               static_cast<int>(n->what.kind));
            for (const graph_node* b : n->before)
                out << fmt::format("  n{} -> n{};\n", n->number, b->number);
        }
        out << "}\n";
        require(static_cast<bool>(out.flush()), status::invalid_value,
                "the file cannot be written");
    });
}
RUNTIME(cudaDeviceGraphMemTrim)(int) {
    return runtime_call("cudaDeviceGraphMemTrim", [&](session&) {});
}
RUNTIME(cudaDeviceGetGraphMemAttribute)(int device, int what, std::uint64_t* to) {
    return runtime_call("cudaDeviceGetGraphMemAttribute", [&](session& s) {
        require_pointer(to);
        check_device(s, device);
        const auto use = s.gpus().memory().graph_use(static_cast<unsigned>(device));
        const std::uint64_t values[] = {use.used, use.used_high, use.reserved, use.reserved_high};
        require(what >= 0 && what < 4, status::invalid_value, "unknown attribute");
        *to = values[what];
    });
}
RUNTIME(cudaDeviceSetGraphMemAttribute)(int device, int what, const std::uint64_t* value) {
    return runtime_call("cudaDeviceSetGraphMemAttribute", [&](session& s) {
        require_pointer(value);
        check_device(s, device);
        require((what == 1 || what == 3) && *value == 0, status::invalid_value,
                "only maxima can be set, and only to 0");
        s.gpus().memory().reset_graph_maximum(static_cast<unsigned>(device), what == 3);
    });
}

// ---- user objects ----

namespace {
struct user_object {
    void* data;
    void (*destroy)(void*);
    std::atomic<unsigned> references;
};
void release(user_object* o, unsigned count) {
    if (o->references.fetch_sub(count) != count) return;
    o->destroy(o->data);
    delete o;
}
}  // namespace

RUNTIME(cudaUserObjectCreate)
(user_object** to, void* data, void (*destroy)(void*), unsigned count, unsigned) {
    return runtime_call("cudaUserObjectCreate", [&](session&) {
        require_pointer(to);
        *to = new user_object{data, destroy, {count}};
    });
}
RUNTIME(cudaUserObjectRetain)(user_object* o, unsigned count) {
    return runtime_call("cudaUserObjectRetain", [&](session&) {
        require_pointer(o);
        o->references += count;
    });
}
RUNTIME(cudaUserObjectRelease)(user_object* o, unsigned count) {
    return runtime_call("cudaUserObjectRelease", [&](session&) {
        require_pointer(o);
        release(o, count);
    });
}
RUNTIME(cudaGraphRetainUserObject)(graph* g, user_object* o, unsigned count, unsigned flags) {
    return graph_call("cudaGraphRetainUserObject", [&](session& s) {
        require_pointer(o);
        graph_store::of(s).get(g);
        constexpr unsigned moves = 1;  // ownership of the caller's references moves to the graph
        if (flags != moves) o->references += count;
    });
}
RUNTIME(cudaGraphReleaseUserObject)(graph* g, user_object* o, unsigned count) {
    return graph_call("cudaGraphReleaseUserObject", [&](session& s) {
        require_pointer(o);
        graph_store::of(s).get(g);
        release(o, count);
    });
}
