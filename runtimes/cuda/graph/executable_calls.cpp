// SPDX-License-Identifier: Apache-2.0
// Calls about executable graphs and user objects.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/graph/graph_calls.h"
#include "runtimes/cuda/session.h"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>

namespace simtlm::cuda {

GRAPH_CALL_AS(cudaGraphInstantiateWithFlags, "cudaGraphInstantiate", session& s,
              executable_graph** to, graph* g, unsigned long long flags) {
    require_pointer(to);
    *to = instantiate(s, g, flags);
}
GRAPH_CALL_AS(cudaGraphInstantiate_v11, "cudaGraphInstantiate", session& s, executable_graph** to,
              graph* g, graph_node** fault, char* log, std::size_t room) {
    if (fault != nullptr) *fault = nullptr;
    if (log != nullptr && room != 0) *log = 0;
    cudaGraphInstantiateWithFlags_call::run(s, to, g, 0);
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

GRAPH_CALL_AS(cudaGraphInstantiateWithParams, "cudaGraphInstantiate", session& s,
              executable_graph** to, graph* g, instantiation* p) {
    require_pointer(p);
    p->fault = nullptr;
    p->outcome = 1;
    cudaGraphInstantiateWithFlags_call::run(s, to, g, p->flags);
    p->outcome = 0;
}
GRAPH_CALL(cudaGraphExecGetFlags, session& s, executable_graph* g, unsigned long long* flags) {
    require_pointer(flags);
    *flags = s.executable_graphs.get(g).flags;
}
GRAPH_CALL_AS(cudaGraphExecUpdate_v11, "cudaGraphExecUpdate", session& s, executable_graph* e,
              graph* g, graph_node** at, int* why) {
    const update_result r = update(s, e, g);
    if (at != nullptr) *at = r.at;
    if (why != nullptr) *why = r.code;
    require(r.code == 0, status::graph_update_failure, "the graphs differ in structure");
}

namespace {

/// cudaGraphExecUpdateResultInfo
struct update_information {
    int code;
    graph_node* at;
    graph_node* from;
};

}  // namespace

GRAPH_CALL(cudaGraphExecUpdate, session& s, executable_graph* e, graph* g, update_information* to) {
    const update_result r = update(s, e, g);
    if (to != nullptr) *to = {r.code, r.at, nullptr};
    require(r.code == 0, status::graph_update_failure, "the graphs differ in structure");
}
GRAPH_CALL(cudaGraphUpload, session& s, executable_graph* g, void* stream) {
    s.executable_graphs.get(g);
    s.stream(stream);
}
GRAPH_CALL(cudaGraphLaunch, session& s, executable_graph* g, void* stream) {
    launch_graph(s, s.executable_graphs.get(g), s.stream(stream));
}
GRAPH_CALL(cudaGraphExecDestroy, session& s, executable_graph* g) {
    s.executable_graphs.erase(g);
}
GRAPH_CALL(cudaGraphDebugDotPrint, session& s, graph* g, const char* path, unsigned) {
    require_pointer(path);
    std::ofstream out(path);
    out << "digraph {\n";
    for (const auto& n : s.graphs.get(g).nodes) {
        out << fmt::format("  n{} [label=\"{} kind {}\"];\n", n->number, n->number,
                           static_cast<int>(n->what.kind));
        for (const graph_node* b : n->before)
            out << fmt::format("  n{} -> n{};\n", n->number, b->number);
    }
    out << "}\n";
    require(static_cast<bool>(out.flush()), status::invalid_value, "the file cannot be written");
}
CALL(cudaDeviceGraphMemTrim, session&, int) {}
CALL(cudaDeviceGetGraphMemAttribute, session& s, int device, int what, std::uint64_t* to) {
    require_pointer(to);
    check_device(s, device);
    const auto use = s.gpus().memory().graph_use(static_cast<unsigned>(device));
    const std::uint64_t values[] = {use.used, use.used_high, use.reserved, use.reserved_high};
    require(what >= 0 && what < 4, status::invalid_value, "unknown attribute");
    *to = values[what];
}
CALL(cudaDeviceSetGraphMemAttribute, session& s, int device, int what, const std::uint64_t* value) {
    require_pointer(value);
    check_device(s, device);
    require((what == 1 || what == 3) && *value == 0, status::invalid_value,
            "only maxima can be set, and only to 0");
    s.gpus().memory().reset_graph_maximum(static_cast<unsigned>(device), what == 3);
}

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

CALL(cudaUserObjectCreate, session&, user_object** to, void* data, void (*destroy)(void*),
     unsigned count, unsigned) {
    require_pointer(to);
    *to = new user_object{data, destroy, {count}};
}
CALL(cudaUserObjectRetain, session&, user_object* o, unsigned count) {
    require_pointer(o);
    o->references += count;
}
CALL(cudaUserObjectRelease, session&, user_object* o, unsigned count) {
    require_pointer(o);
    release(o, count);
}
GRAPH_CALL(cudaGraphRetainUserObject, session& s, graph* g, user_object* o, unsigned count,
           unsigned flags) {
    require_pointer(o);
    s.graphs.get(g);
    constexpr unsigned moves = 1;  // ownership of the caller's references moves to the graph
    if (flags != moves) o->references += count;
}
GRAPH_CALL(cudaGraphReleaseUserObject, session& s, graph* g, user_object* o, unsigned count) {
    require_pointer(o);
    s.graphs.get(g);
    release(o, count);
}

}  // namespace simtlm::cuda
