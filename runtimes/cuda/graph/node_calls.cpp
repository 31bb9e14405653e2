// SPDX-License-Identifier: Apache-2.0
// Calls that add nodes to graphs, and about their parameters.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/session.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace simtlm::cuda {

operation kernel_of(session& s, const kernel_parameters* p) {
    require_pointer(p);
    operation o = kernel_operation(s, s.modules.function_of(p->function), *p, {});
    o.kernel.function = p->function;
    return o;
}

operation event_wait(device::event* e) {
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

operation graph_operation(session& s, const graph* g) {
    operation o;
    o.kind = node_kind::graph;
    o.child = s.graphs.get(g).clone_for_node();
    return o;
}

void check_node(const graph_node* n, node_kind kind) {
    require(n != nullptr && n->what.kind == kind, status::invalid_value,
            "a node of a different kind");
}

NODE_CALLS(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
           session& s, const kernel_parameters* p) {
    return kernel_of(s, p);
}
NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
           session& s, const copy_3d* p) {
    return copy_operation(s, value_at(p));
}
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D,
           cudaGraphExecMemcpyNodeSetParams1D, session& s, void* to, const void* from,
           std::size_t bytes, int kind) {
    return copy_operation(s, plain_copy(to, from, bytes, kind));
}
NODE_CALLS(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
           cudaGraphExecMemcpyNodeSetParamsToSymbol, session& s, const void* symbol,
           const void* from, std::size_t bytes, std::size_t offset, int kind) {
    void* const to = pointer_to(s.modules.variable(symbol).first + offset);
    return copy_operation(s, plain_copy(to, from, bytes, kind));
}
NODE_CALLS(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol, session& s, void* to, const void* symbol,
           std::size_t bytes, std::size_t offset, int kind) {
    const void* const from = pointer_to(s.modules.variable(symbol).first + offset);
    return copy_operation(s, plain_copy(to, from, bytes, kind));
}
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
           session& s, const fill_parameters* p) {
    return fill_operation(s, value_at(p));
}
NODE_CALLS(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
           session&, const host_parameters* p) {
    return host_operation(value_at(p));
}
NODE_CALLS(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent,
           cudaGraphExecEventRecordNodeSetEvent, session& s, void* event) {
    return record_operation(&s.event(event));
}
NODE_CALLS(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent,
           cudaGraphExecEventWaitNodeSetEvent, session& s, void* event) {
    return event_wait(&s.event(event));
}
GRAPH_CALL(cudaGraphAddChildGraphNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, graph* child) {
    require_pointer(to);
    *to = add_node(s, g, after, count, graph_operation(s, child));
}
GRAPH_CALL(cudaGraphAddEmptyNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count) {
    require_pointer(to);
    *to = add_node(s, g, after, count, {});
}
GRAPH_CALL(cudaGraphAddMemAllocNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, allocation_parameters* p) {
    require_pointer(to, p);
    require(p->bytes != 0, status::invalid_value, "an allocation of 0 bytes");
    operation o = allocation_operation(s, s.current_device(), p->bytes);
    p->address = pointer_to(o.address);
    *to = add_node(s, g, after, count, std::move(o));
}
GRAPH_CALL(cudaGraphMemAllocNodeGetParams, session&, graph_node* n, allocation_parameters* p) {
    check_node(n, node_kind::allocate);
    require_pointer(p);
    std::memset(static_cast<void*>(p), 0, sizeof *p);
    p->bytes = n->what.bytes;
    p->address = pointer_to(n->what.address);
}
GRAPH_CALL(cudaGraphAddMemFreeNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, void* p) {
    require_pointer(to);
    *to = add_node(s, g, after, count, release_operation(address_of(p)));
}
GRAPH_CALL(cudaGraphMemFreeNodeGetParams, session&, graph_node* n, void** p) {
    check_node(n, node_kind::release);
    value_at(p) = pointer_to(n->what.address);
}
GRAPH_CALL(cudaGraphKernelNodeGetParams, session&, graph_node* n, kernel_parameters* p) {
    check_node(n, node_kind::kernel);
    value_at(p) = n->what.kernel;
}
GRAPH_CALL(cudaGraphKernelNodeGetAttribute, session&, graph_node* n, int, void* value) {
    check_node(n, node_kind::kernel);
    std::memset(value, 0, 64);
}
GRAPH_CALL(cudaGraphKernelNodeSetAttribute, session&, graph_node* n, int, const void*) {
    check_node(n, node_kind::kernel);
}
GRAPH_CALL(cudaGraphKernelNodeCopyAttributes, session&, graph_node* to, graph_node* from) {
    check_node(to, node_kind::kernel);
    check_node(from, node_kind::kernel);
}
GRAPH_CALL(cudaGraphMemcpyNodeGetParams, session&, graph_node* n, copy_3d* p) {
    check_node(n, node_kind::copy);
    value_at(p) = n->what.copy;
}
GRAPH_CALL(cudaGraphMemsetNodeGetParams, session&, graph_node* n, fill_parameters* p) {
    check_node(n, node_kind::fill);
    value_at(p) = n->what.fill;
}
GRAPH_CALL(cudaGraphHostNodeGetParams, session&, graph_node* n, host_parameters* p) {
    check_node(n, node_kind::host);
    value_at(p) = n->what.host;
}
GRAPH_CALL(cudaGraphEventRecordNodeGetEvent, session&, graph_node* n, device::event** to) {
    check_node(n, node_kind::record_event);
    value_at(to) = n->what.event;
}
GRAPH_CALL(cudaGraphEventWaitNodeGetEvent, session&, graph_node* n, device::event** to) {
    check_node(n, node_kind::wait_event);
    value_at(to) = n->what.event;
}
GRAPH_CALL(cudaGraphChildGraphNodeGetGraph, session& s, graph_node* n, graph** to) {
    check_node(n, node_kind::graph);
    value_at(to) = s.graphs.insert(n->what.child);
}
GRAPH_CALL(cudaGraphExecChildGraphNodeSetParams, session& s, executable_graph* g, graph_node* n,
           graph* child) {
    change_node(s, g, n, graph_operation(s, child));
}

/// The node of an executable graph that was created from a node.
static graph_node& node_in(session& s, const executable_graph* g, const graph_node* n) {
    require_pointer(n);
    return value_at(s.executable_graphs.get(g).what->find(n->number));
}

GRAPH_CALL(cudaGraphNodeSetEnabled, session& s, executable_graph* g, graph_node* n,
           unsigned enabled) {
    node_in(s, g, n).enabled = enabled != 0;
}
GRAPH_CALL(cudaGraphNodeGetEnabled, session& s, executable_graph* g, graph_node* n,
           unsigned* enabled) {
    const graph_node& mine = node_in(s, g, n);
    value_at(enabled) = mine.enabled ? 1 : 0;
}

}  // namespace simtlm::cuda
