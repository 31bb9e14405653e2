// SPDX-License-Identifier: Apache-2.0
// Parameters of the nodes of graphs and of executable graphs.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/session.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace simtlm::cuda {

GRAPH_CALL(cudaGraphKernelNodeGetParams, session&, graph_node* n, kernel_parameters* p) {
    check_node(n, node_kind::kernel);
    value_at(p) = n->what.kernel;
}
GRAPH_CALL(cudaGraphKernelNodeSetParams, session& s, graph_node* n, const kernel_parameters* p) {
    change_node(n, kernel_of(s, p));
}
GRAPH_CALL(cudaGraphExecKernelNodeSetParams, session& s, executable_graph* g, graph_node* n,
           const kernel_parameters* p) {
    change_node(s, g, n, kernel_of(s, p));
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
GRAPH_CALL(cudaGraphMemcpyNodeSetParams, session& s, graph_node* n, const copy_3d* p) {
    change_node(n, copy_operation(s, value_at(p)));
}
GRAPH_CALL(cudaGraphMemcpyNodeSetParams1D, session& s, graph_node* n, void* to, const void* from,
           std::size_t bytes, int kind) {
    change_node(n, copy_operation(s, plain_copy(to, from, bytes, kind)));
}
GRAPH_CALL(cudaGraphMemcpyNodeSetParamsToSymbol, session& s, graph_node* n, const void* symbol,
           const void* from, std::size_t bytes, std::size_t offset, int kind) {
    change_node(n, copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphMemcpyNodeSetParamsFromSymbol, session& s, graph_node* n, void* to,
           const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    change_node(n, copy_operation(s, copy_from_symbol(s, to, symbol, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphExecMemcpyNodeSetParams, session& s, executable_graph* g, graph_node* n,
           const copy_3d* p) {
    change_node(s, g, n, copy_operation(s, value_at(p)));
}
GRAPH_CALL(cudaGraphExecMemcpyNodeSetParams1D, session& s, executable_graph* g, graph_node* n,
           void* to, const void* from, std::size_t bytes, int kind) {
    change_node(s, g, n, copy_operation(s, plain_copy(to, from, bytes, kind)));
}
GRAPH_CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol, session& s, executable_graph* g, graph_node* n,
           const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind) {
    change_node(s, g, n, copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol, session& s, executable_graph* g,
           graph_node* n, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
           int kind) {
    change_node(s, g, n, copy_operation(s, copy_from_symbol(s, to, symbol, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphMemsetNodeGetParams, session&, graph_node* n, fill_parameters* p) {
    check_node(n, node_kind::fill);
    value_at(p) = n->what.fill;
}
GRAPH_CALL(cudaGraphMemsetNodeSetParams, session& s, graph_node* n, const fill_parameters* p) {
    change_node(n, fill_operation(s, value_at(p)));
}
GRAPH_CALL(cudaGraphExecMemsetNodeSetParams, session& s, executable_graph* g, graph_node* n,
           const fill_parameters* p) {
    change_node(s, g, n, fill_operation(s, value_at(p)));
}
GRAPH_CALL(cudaGraphHostNodeGetParams, session&, graph_node* n, host_parameters* p) {
    check_node(n, node_kind::host);
    value_at(p) = n->what.host;
}
GRAPH_CALL(cudaGraphHostNodeSetParams, session&, graph_node* n, const host_parameters* p) {
    change_node(n, host_operation(value_at(p)));
}
GRAPH_CALL(cudaGraphExecHostNodeSetParams, session& s, executable_graph* g, graph_node* n,
           const host_parameters* p) {
    change_node(s, g, n, host_operation(value_at(p)));
}
GRAPH_CALL(cudaGraphExecEventRecordNodeSetEvent, session& s, executable_graph* g, graph_node* n,
           void* event) {
    change_node(s, g, n, record_operation(&s.event(event)));
}
GRAPH_CALL(cudaGraphExecEventWaitNodeSetEvent, session& s, executable_graph* g, graph_node* n,
           void* event) {
    change_node(s, g, n, event_wait(&s.event(event)));
}
GRAPH_CALL(cudaGraphEventRecordNodeGetEvent, session&, graph_node* n, device::event** to) {
    check_node(n, node_kind::record_event);
    value_at(to) = n->what.event;
}
GRAPH_CALL(cudaGraphEventRecordNodeSetEvent, session& s, graph_node* n, void* event) {
    change_node(n, record_operation(&s.event(event)));
}
GRAPH_CALL(cudaGraphEventWaitNodeGetEvent, session&, graph_node* n, device::event** to) {
    check_node(n, node_kind::wait_event);
    value_at(to) = n->what.event;
}
GRAPH_CALL(cudaGraphEventWaitNodeSetEvent, session& s, graph_node* n, void* event) {
    change_node(n, event_wait(&s.event(event)));
}
GRAPH_CALL(cudaGraphChildGraphNodeGetGraph, session& s, graph_node* n, graph** to) {
    check_node(n, node_kind::graph);
    value_at(to) = s.graphs.insert(n->what.child);
}
GRAPH_CALL(cudaGraphExecChildGraphNodeSetParams, session& s, executable_graph* g, graph_node* n,
           graph* child) {
    operation o;
    o.kind = node_kind::graph;
    o.child = s.graphs.get(child).clone_for_node();
    change_node(s, g, n, std::move(o));
}
GRAPH_CALL(cudaGraphNodeSetEnabled, session& s, executable_graph* g, graph_node* n,
           unsigned enabled) {
    require_pointer(n);
    graph_node* const mine = s.executable_graphs.get(g).what->find(n->number);
    require_pointer(mine);
    mine->enabled = enabled != 0;
}
GRAPH_CALL(cudaGraphNodeGetEnabled, session& s, executable_graph* g, graph_node* n,
           unsigned* enabled) {
    require_pointer(n);
    graph_node* const mine = s.executable_graphs.get(g).what->find(n->number);
    require_pointer(mine);
    value_at(enabled) = mine->enabled ? 1 : 0;
}

}  // namespace simtlm::cuda
