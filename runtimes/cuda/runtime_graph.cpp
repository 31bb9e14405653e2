// SPDX-License-Identifier: Apache-2.0
// The runtime API: graphs, and streams that are captured into them.
#include "runtimes/cuda/graph_calls.h"
#include "runtimes/cuda/runtime_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

using namespace simtlm::cuda;

namespace {

using nodes = graph_node* const*;

/// A call about graphs: one at a time.
template <class Act>
result graph_call(const char* name, Act&& act) {
    return runtime_call(name, [&](session& s) {
        const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
        act(s);
    });
}

operation kernel_of(session& s, const kernel_parameters* p) {
    require_pointer(p);
    operation o = kernel_operation(s, s.function_of(p->function), *p, false);
    o.kernel.function = p->function;
    return o;
}

operation event_wait(simtlm::device::event* e) {
    operation o;
    o.kind = node_kind::wait_event;
    o.event = e;
    return o;
}

copy_3d plain_copy(void* to, const void* from, std::size_t bytes, int kind) {
    copy_3d c{};
    c.to_pointer = {to, bytes, bytes, 1};
    c.from_pointer = {const_cast<void*>(from), bytes, bytes, 1};
    c.size = {bytes, 1, 1};
    c.kind = kind;
    return c;
}

copy_3d copy_to_symbol(session& s, const void* symbol, const void* from, std::size_t bytes,
                       std::size_t offset, int kind) {
    return plain_copy(pointer_to(s.variable(symbol).first + offset), from, bytes, kind);
}
copy_3d copy_from_symbol(session& s, void* to, const void* symbol, std::size_t bytes,
                         std::size_t offset, int kind) {
    return plain_copy(to, pointer_to(s.variable(symbol).first + offset), bytes, kind);
}

/// Hands out a list as these calls do: without a place for it, its length is asked for.
template <class List>
void hand_out(const List& all, graph_node** to, std::size_t* count) {
    require_pointer(count);
    if (to != nullptr)
        for (std::size_t i = 0; i < *count; ++i) to[i] = i < all.size() ? all[i] : nullptr;
    *count = to != nullptr ? std::min(*count, all.size()) : all.size();
}

void check_node(const graph_node* n, node_kind kind) {
    require(n != nullptr && n->what.kind == kind, status::invalid_value, "a node of another kind");
}

}  // namespace

RUNTIME(cudaGraphCreate)(graph** to, unsigned flags) {
    return graph_call("cudaGraphCreate", [&](session& s) {
        require_pointer(to);
        require(flags == 0, status::invalid_value, "unknown flags");
        *to = graph_store::of(s).add(std::make_shared<graph>());
    });
}
RUNTIME(cudaGraphDestroy)(graph* g) {
    return graph_call("cudaGraphDestroy", [&](session& s) { graph_store::of(s).remove(g); });
}
RUNTIME(cudaGraphClone)(graph** to, graph* g) {
    return graph_call("cudaGraphClone", [&](session& s) {
        require_pointer(to);
        *to = graph_store::of(s).add(graph_store::of(s).get(g)->clone());
    });
}
RUNTIME(cudaGraphNodeFindInClone)(graph_node** to, graph_node* n, graph* g) {
    return graph_call("cudaGraphNodeFindInClone", [&](session& s) {
        require_pointer(to);
        require_pointer(n);
        *to = graph_store::of(s).get(g)->find(n->number);
        require(*to != nullptr, status::invalid_value, "the clone has no such node");
    });
}

// ---- nodes ----

RUNTIME(cudaGraphAddKernelNode)
(graph_node** to, graph* g, nodes after, std::size_t count, const kernel_parameters* p) {
    return graph_call("cudaGraphAddKernelNode", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count, kernel_of(s, p));
    });
}
RUNTIME(cudaGraphAddMemcpyNode)
(graph_node** to, graph* g, nodes after, std::size_t count, const copy_3d* p) {
    return graph_call("cudaGraphAddMemcpyNode", [&](session& s) {
        require_pointer(to);
        require_pointer(p);
        *to = add_node(s, g, after, count, copy_operation(s, *p));
    });
}
RUNTIME(cudaGraphAddMemcpyNode1D)
(graph_node** to, graph* g, nodes after, std::size_t count, void* target, const void* from,
 std::size_t bytes, int kind) {
    return graph_call("cudaGraphAddMemcpyNode1D", [&](session& s) {
        require_pointer(to);
        *to =
            add_node(s, g, after, count, copy_operation(s, plain_copy(target, from, bytes, kind)));
    });
}
RUNTIME(cudaGraphAddMemcpyNodeToSymbol)
(graph_node** to, graph* g, nodes after, std::size_t count, const void* symbol, const void* from,
 std::size_t bytes, std::size_t offset, int kind) {
    return graph_call("cudaGraphAddMemcpyNodeToSymbol", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count,
                       copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphAddMemcpyNodeFromSymbol)
(graph_node** to, graph* g, nodes after, std::size_t count, void* target, const void* symbol,
 std::size_t bytes, std::size_t offset, int kind) {
    return graph_call("cudaGraphAddMemcpyNodeFromSymbol", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count,
                       copy_operation(s, copy_from_symbol(s, target, symbol, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphAddMemsetNode)
(graph_node** to, graph* g, nodes after, std::size_t count, const fill_parameters* p) {
    return graph_call("cudaGraphAddMemsetNode", [&](session& s) {
        require_pointer(to);
        require_pointer(p);
        *to = add_node(s, g, after, count, fill_operation(s, *p));
    });
}
RUNTIME(cudaGraphAddHostNode)
(graph_node** to, graph* g, nodes after, std::size_t count, const host_parameters* p) {
    return graph_call("cudaGraphAddHostNode", [&](session& s) {
        require_pointer(to);
        require_pointer(p);
        *to = add_node(s, g, after, count, host_operation(*p));
    });
}
RUNTIME(cudaGraphAddChildGraphNode)
(graph_node** to, graph* g, nodes after, std::size_t count, graph* child) {
    return graph_call("cudaGraphAddChildGraphNode", [&](session& s) {
        require_pointer(to);
        operation o;
        o.kind = node_kind::graph;
        o.child = graph_store::of(s).get(child)->clone();
        *to = add_node(s, g, after, count, std::move(o));
    });
}
RUNTIME(cudaGraphAddEmptyNode)(graph_node** to, graph* g, nodes after, std::size_t count) {
    return graph_call("cudaGraphAddEmptyNode", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count, {});
    });
}
RUNTIME(cudaGraphAddEventRecordNode)
(graph_node** to, graph* g, nodes after, std::size_t count, void* event) {
    return graph_call("cudaGraphAddEventRecordNode", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count, record_operation(&s.event(event)));
    });
}
RUNTIME(cudaGraphAddEventWaitNode)
(graph_node** to, graph* g, nodes after, std::size_t count, void* event) {
    return graph_call("cudaGraphAddEventWaitNode", [&](session& s) {
        require_pointer(to);
        *to = add_node(s, g, after, count, event_wait(&s.event(event)));
    });
}

namespace {
/// cudaMemAllocNodeParams: properties of a pool (88 bytes), descriptions of access, bytes, address.
struct allocation_parameters {
    char pool[88];
    const void* access;
    std::size_t access_count, bytes;
    void* address;
};
}  // namespace

RUNTIME(cudaGraphAddMemAllocNode)
(graph_node** to, graph* g, nodes after, std::size_t count, allocation_parameters* p) {
    return graph_call("cudaGraphAddMemAllocNode", [&](session& s) {
        require_pointer(to);
        require_pointer(p);
        operation o;
        o.kind = node_kind::allocate;
        p->address = allocate(s, simtlm::device::memory_kind::device, p->bytes, 0);
        o.address = address_of(p->address);
        o.bytes = p->bytes;
        *to = add_node(s, g, after, count, std::move(o));
    });
}
RUNTIME(cudaGraphMemAllocNodeGetParams)(graph_node* n, allocation_parameters* p) {
    return graph_call("cudaGraphMemAllocNodeGetParams", [&](session&) {
        check_node(n, node_kind::allocate);
        require_pointer(p);
        std::memset(static_cast<void*>(p), 0, sizeof *p);
        p->bytes = n->what.bytes;
        p->address = pointer_to(n->what.address);
    });
}
/// The address of a graph's allocation stays its own, from launch to launch.
RUNTIME(cudaGraphAddMemFreeNode)
(graph_node** to, graph* g, nodes after, std::size_t count, void* p) {
    return graph_call("cudaGraphAddMemFreeNode", [&](session& s) {
        require_pointer(to);
        operation o;
        o.kind = node_kind::release;
        o.address = address_of(p);
        *to = add_node(s, g, after, count, std::move(o));
    });
}
RUNTIME(cudaGraphMemFreeNodeGetParams)(graph_node* n, void** p) {
    return graph_call("cudaGraphMemFreeNodeGetParams", [&](session&) {
        check_node(n, node_kind::release);
        *p = pointer_to(n->what.address);
    });
}

// ---- parameters of nodes ----

RUNTIME(cudaGraphKernelNodeGetParams)(graph_node* n, kernel_parameters* p) {
    return graph_call("cudaGraphKernelNodeGetParams", [&](session&) {
        check_node(n, node_kind::kernel);
        *p = n->what.kernel;
    });
}
RUNTIME(cudaGraphKernelNodeSetParams)(graph_node* n, const kernel_parameters* p) {
    return graph_call("cudaGraphKernelNodeSetParams",
                      [&](session& s) { change_node(n, kernel_of(s, p)); });
}
RUNTIME(cudaGraphExecKernelNodeSetParams)
(executable_graph* g, graph_node* n, const kernel_parameters* p) {
    return graph_call("cudaGraphExecKernelNodeSetParams",
                      [&](session& s) { change_node(s, g, n, kernel_of(s, p)); });
}
RUNTIME(cudaGraphKernelNodeGetAttribute)(graph_node* n, int, void* value) {
    return graph_call("cudaGraphKernelNodeGetAttribute", [&](session&) {
        check_node(n, node_kind::kernel);
        std::memset(value, 0, 64);
    });
}
RUNTIME(cudaGraphKernelNodeSetAttribute)(graph_node* n, int, const void*) {
    return graph_call("cudaGraphKernelNodeSetAttribute",
                      [&](session&) { check_node(n, node_kind::kernel); });
}
RUNTIME(cudaGraphKernelNodeCopyAttributes)(graph_node* to, graph_node* from) {
    return graph_call("cudaGraphKernelNodeCopyAttributes", [&](session&) {
        check_node(to, node_kind::kernel);
        check_node(from, node_kind::kernel);
    });
}
RUNTIME(cudaGraphMemcpyNodeGetParams)(graph_node* n, copy_3d* p) {
    return graph_call("cudaGraphMemcpyNodeGetParams", [&](session&) {
        check_node(n, node_kind::copy);
        *p = n->what.copy;
    });
}
RUNTIME(cudaGraphMemcpyNodeSetParams)(graph_node* n, const copy_3d* p) {
    return graph_call("cudaGraphMemcpyNodeSetParams",
                      [&](session& s) { change_node(n, copy_operation(s, *p)); });
}
RUNTIME(cudaGraphMemcpyNodeSetParams1D)
(graph_node* n, void* to, const void* from, std::size_t bytes, int kind) {
    return graph_call("cudaGraphMemcpyNodeSetParams1D", [&](session& s) {
        change_node(n, copy_operation(s, plain_copy(to, from, bytes, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParams)(executable_graph* g, graph_node* n, const copy_3d* p) {
    return graph_call("cudaGraphExecMemcpyNodeSetParams",
                      [&](session& s) { change_node(s, g, n, copy_operation(s, *p)); });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(executable_graph* g, graph_node* n, void* to, const void* from, std::size_t bytes, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParams1D", [&](session& s) {
        change_node(s, g, n, copy_operation(s, plain_copy(to, from, bytes, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParamsToSymbol)
(executable_graph* g, graph_node* n, const void* symbol, const void* from, std::size_t bytes,
 std::size_t offset, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParamsToSymbol", [&](session& s) {
        change_node(s, g, n,
                    copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
(executable_graph* g, graph_node* n, void* to, const void* symbol, std::size_t bytes,
 std::size_t offset, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParamsFromSymbol", [&](session& s) {
        change_node(s, g, n,
                    copy_operation(s, copy_from_symbol(s, to, symbol, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphMemsetNodeGetParams)(graph_node* n, fill_parameters* p) {
    return graph_call("cudaGraphMemsetNodeGetParams", [&](session&) {
        check_node(n, node_kind::fill);
        *p = n->what.fill;
    });
}
RUNTIME(cudaGraphMemsetNodeSetParams)(graph_node* n, const fill_parameters* p) {
    return graph_call("cudaGraphMemsetNodeSetParams",
                      [&](session& s) { change_node(n, fill_operation(s, *p)); });
}
RUNTIME(cudaGraphExecMemsetNodeSetParams)
(executable_graph* g, graph_node* n, const fill_parameters* p) {
    return graph_call("cudaGraphExecMemsetNodeSetParams",
                      [&](session& s) { change_node(s, g, n, fill_operation(s, *p)); });
}
RUNTIME(cudaGraphHostNodeGetParams)(graph_node* n, host_parameters* p) {
    return graph_call("cudaGraphHostNodeGetParams", [&](session&) {
        check_node(n, node_kind::host);
        *p = n->what.host;
    });
}
RUNTIME(cudaGraphHostNodeSetParams)(graph_node* n, const host_parameters* p) {
    return graph_call("cudaGraphHostNodeSetParams",
                      [&](session&) { change_node(n, host_operation(*p)); });
}
RUNTIME(cudaGraphExecHostNodeSetParams)
(executable_graph* g, graph_node* n, const host_parameters* p) {
    return graph_call("cudaGraphExecHostNodeSetParams",
                      [&](session& s) { change_node(s, g, n, host_operation(*p)); });
}
RUNTIME(cudaGraphExecEventRecordNodeSetEvent)(executable_graph* g, graph_node* n, void* event) {
    return graph_call("cudaGraphExecEventRecordNodeSetEvent",
                      [&](session& s) { change_node(s, g, n, record_operation(&s.event(event))); });
}
RUNTIME(cudaGraphExecEventWaitNodeSetEvent)(executable_graph* g, graph_node* n, void* event) {
    return graph_call("cudaGraphExecEventWaitNodeSetEvent",
                      [&](session& s) { change_node(s, g, n, event_wait(&s.event(event))); });
}
RUNTIME(cudaGraphEventRecordNodeGetEvent)(graph_node* n, simtlm::device::event** to) {
    return graph_call("cudaGraphEventRecordNodeGetEvent", [&](session&) {
        check_node(n, node_kind::record_event);
        *to = n->what.event;
    });
}
RUNTIME(cudaGraphEventRecordNodeSetEvent)(graph_node* n, void* event) {
    return graph_call("cudaGraphEventRecordNodeSetEvent",
                      [&](session& s) { change_node(n, record_operation(&s.event(event))); });
}
RUNTIME(cudaGraphEventWaitNodeGetEvent)(graph_node* n, simtlm::device::event** to) {
    return graph_call("cudaGraphEventWaitNodeGetEvent", [&](session&) {
        check_node(n, node_kind::wait_event);
        *to = n->what.event;
    });
}
RUNTIME(cudaGraphEventWaitNodeSetEvent)(graph_node* n, void* event) {
    return graph_call("cudaGraphEventWaitNodeSetEvent",
                      [&](session& s) { change_node(n, event_wait(&s.event(event))); });
}
RUNTIME(cudaGraphChildGraphNodeGetGraph)(graph_node* n, graph** to) {
    return graph_call("cudaGraphChildGraphNodeGetGraph", [&](session& s) {
        check_node(n, node_kind::graph);
        *to = graph_store::of(s).add(n->what.child);
    });
}
RUNTIME(cudaGraphExecChildGraphNodeSetParams)(executable_graph* g, graph_node* n, graph* child) {
    return graph_call("cudaGraphExecChildGraphNodeSetParams", [&](session& s) {
        operation o;
        o.kind = node_kind::graph;
        o.child = graph_store::of(s).get(child)->clone();
        change_node(s, g, n, std::move(o));
    });
}
RUNTIME(cudaGraphNodeSetEnabled)(executable_graph* g, graph_node* n, unsigned enabled) {
    return graph_call("cudaGraphNodeSetEnabled", [&](session& s) {
        require_pointer(n);
        graph_node* const mine = graph_store::of(s).get(g).what->find(n->number);
        require_pointer(mine);
        mine->enabled = enabled != 0;
    });
}
RUNTIME(cudaGraphNodeGetEnabled)(executable_graph* g, graph_node* n, unsigned* enabled) {
    return graph_call("cudaGraphNodeGetEnabled", [&](session& s) {
        require_pointer(n);
        graph_node* const mine = graph_store::of(s).get(g).what->find(n->number);
        require_pointer(mine);
        *enabled = mine->enabled ? 1 : 0;
    });
}

// ---- structure ----

RUNTIME(cudaGraphNodeGetType)(graph_node* n, int* kind) {
    return graph_call("cudaGraphNodeGetType", [&](session&) {
        require_pointer(n);
        *kind = static_cast<int>(n->what.kind);
    });
}
RUNTIME(cudaGraphGetNodes)(graph* g, graph_node** to, std::size_t* count) {
    return graph_call("cudaGraphGetNodes", [&](session& s) {
        std::vector<graph_node*> all;
        for (const auto& n : graph_store::of(s).get(g)->nodes) all.push_back(n.get());
        hand_out(all, to, count);
    });
}
RUNTIME(cudaGraphGetRootNodes)(graph* g, graph_node** to, std::size_t* count) {
    return graph_call("cudaGraphGetRootNodes", [&](session& s) {
        std::vector<graph_node*> all;
        for (const auto& n : graph_store::of(s).get(g)->nodes)
            if (n->after.empty()) all.push_back(n.get());
        hand_out(all, to, count);
    });
}
RUNTIME(cudaGraphGetEdges)(graph* g, graph_node** from, graph_node** to, std::size_t* count) {
    return graph_call("cudaGraphGetEdges", [&](session& s) {
        std::vector<graph_node*> begins, ends;
        for (const auto& n : graph_store::of(s).get(g)->nodes)
            for (graph_node* b : n->before) {
                begins.push_back(n.get());
                ends.push_back(b);
            }
        std::size_t same = count != nullptr ? *count : 0;
        hand_out(begins, from, count);
        if (to != nullptr) hand_out(ends, to, &same);
    });
}
RUNTIME(cudaGraphGetEdges_v2)
(graph* g, graph_node** from, graph_node** to, void*, std::size_t* count) {
    return simtlm_rt_cudaGraphGetEdges(g, from, to, count);
}
RUNTIME(cudaGraphNodeGetDependencies)(graph_node* n, graph_node** to, std::size_t* count) {
    return graph_call("cudaGraphNodeGetDependencies", [&](session&) {
        require_pointer(n);
        hand_out(n->after, to, count);
    });
}
RUNTIME(cudaGraphNodeGetDependencies_v2)
(graph_node* n, graph_node** to, void*, std::size_t* count) {
    return simtlm_rt_cudaGraphNodeGetDependencies(n, to, count);
}
RUNTIME(cudaGraphNodeGetDependentNodes)(graph_node* n, graph_node** to, std::size_t* count) {
    return graph_call("cudaGraphNodeGetDependentNodes", [&](session&) {
        require_pointer(n);
        hand_out(n->before, to, count);
    });
}
RUNTIME(cudaGraphNodeGetDependentNodes_v2)
(graph_node* n, graph_node** to, void*, std::size_t* count) {
    return simtlm_rt_cudaGraphNodeGetDependentNodes(n, to, count);
}
RUNTIME(cudaGraphAddDependencies)(graph* g, nodes from, nodes to, std::size_t count) {
    return graph_call("cudaGraphAddDependencies", [&](session&) {
        require_pointer(g);
        for (std::size_t i = 0; i < count; ++i) g->connect(from[i], to[i]);
    });
}
RUNTIME(cudaGraphAddDependencies_v2)
(graph* g, nodes from, nodes to, const void*, std::size_t count) {
    return simtlm_rt_cudaGraphAddDependencies(g, from, to, count);
}
RUNTIME(cudaGraphRemoveDependencies)(graph* g, nodes from, nodes to, std::size_t count) {
    return graph_call("cudaGraphRemoveDependencies", [&](session&) {
        require_pointer(g);
        for (std::size_t i = 0; i < count; ++i) g->disconnect(from[i], to[i]);
    });
}
RUNTIME(cudaGraphRemoveDependencies_v2)
(graph* g, nodes from, nodes to, const void*, std::size_t count) {
    return simtlm_rt_cudaGraphRemoveDependencies(g, from, to, count);
}
RUNTIME(cudaGraphDestroyNode)(graph_node* n) {
    return graph_call("cudaGraphDestroyNode", [&](session&) {
        require_pointer(n);
        n->owner->remove(n);
    });
}

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
        require(r.code == 0, status::graph_update_failure, "the graphs differ too much");
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
        require(r.code == 0, status::graph_update_failure, "the graphs differ too much");
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
RUNTIME(cudaDeviceGetGraphMemAttribute)(int, int, std::uint64_t* to) {
    return runtime_call("cudaDeviceGetGraphMemAttribute", [&](session&) {
        require_pointer(to);
        *to = 0;
    });
}
RUNTIME(cudaDeviceSetGraphMemAttribute)(int, int, void*) {
    return runtime_call("cudaDeviceSetGraphMemAttribute", [&](session&) {});
}

// ---- objects that graphs keep ----

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
        constexpr unsigned moves = 1;  // the caller's references become the graph's
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

// ---- capture ----

RUNTIME(cudaStreamBeginCapture)(void* stream, int mode) {
    return graph_call("cudaStreamBeginCapture",
                      [&](session& s) { begin_capture(s, s.stream(stream), mode, nullptr); });
}
RUNTIME(cudaStreamEndCapture)(void* stream, graph** to) {
    return graph_call("cudaStreamEndCapture", [&](session& s) {
        require_pointer(to);
        *to = nullptr;
        *to = graph_store::of(s).add(end_capture(s, s.stream(stream)));
    });
}
RUNTIME(cudaStreamIsCapturing)(void* stream, int* state) {
    return graph_call("cudaStreamIsCapturing", [&](session& s) {
        require_pointer(state);
        const auto c = capture_of(s, s.stream(stream));
        *state = !c ? 0 : c->invalid ? 2 : 1;
    });
}
RUNTIME(cudaStreamGetCaptureInfo_v2)
(void* stream, int* state, unsigned long long* id, graph** g, graph_node*** tail,
 std::size_t* count) {
    return graph_call("cudaStreamGetCaptureInfo", [&](session& s) {
        require_pointer(state);
        simtlm::device::stream& one = s.stream(stream);
        const auto c = capture_of(s, one);
        *state = !c ? 0 : c->invalid ? 2 : 1;
        if (!c) return;
        if (id != nullptr) *id = c->id;
        if (g != nullptr) *g = graph_store::of(s).add(c->what);
        if (tail != nullptr) *tail = c->tails[&one].data();
        if (count != nullptr) *count = c->tails[&one].size();
    });
}
RUNTIME(cudaStreamGetCaptureInfo)(void* stream, int* state, unsigned long long* id) {
    return simtlm_rt_cudaStreamGetCaptureInfo_v2(stream, state, id, nullptr, nullptr, nullptr);
}
RUNTIME(cudaStreamGetCaptureInfo_v3)
(void* stream, int* state, unsigned long long* id, graph** g, graph_node*** tail, void** edges,
 std::size_t* count) {
    if (edges != nullptr) *edges = nullptr;
    return simtlm_rt_cudaStreamGetCaptureInfo_v2(stream, state, id, g, tail, count);
}
RUNTIME(cudaStreamUpdateCaptureDependencies)
(void* stream, graph_node** nodes_of_tail, std::size_t count, unsigned flags) {
    return graph_call("cudaStreamUpdateCaptureDependencies", [&](session& s) {
        simtlm::device::stream& one = s.stream(stream);
        const auto c = capture_of(s, one);
        require(c != nullptr, status::invalid_value, "the stream is not being captured");
        std::vector<graph_node*>& tail = c->tails[&one];
        constexpr unsigned replaces = 1;
        if (flags == replaces) tail.clear();
        tail.insert(tail.end(), nodes_of_tail, nodes_of_tail + count);
    });
}
RUNTIME(cudaStreamUpdateCaptureDependencies_v2)
(void* stream, graph_node** nodes_of_tail, const void*, std::size_t count, unsigned flags) {
    return simtlm_rt_cudaStreamUpdateCaptureDependencies(stream, nodes_of_tail, count, flags);
}
RUNTIME(cudaThreadExchangeStreamCaptureMode)(int* mode) {
    return runtime_call("cudaThreadExchangeStreamCaptureMode", [&](session&) {
        require_pointer(mode);
        std::swap(*mode, session::thread().capture_mode);
    });
}
