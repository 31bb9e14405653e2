// SPDX-License-Identifier: Apache-2.0
// Calls that add nodes to graphs.
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

copy_3d copy_to_symbol(session& s, const void* symbol, const void* from, std::size_t bytes,
                       std::size_t offset, int kind) {
    return plain_copy(pointer_to(s.modules.variable(symbol).first + offset), from, bytes, kind);
}

copy_3d copy_from_symbol(session& s, void* to, const void* symbol, std::size_t bytes,
                         std::size_t offset, int kind) {
    return plain_copy(to, pointer_to(s.modules.variable(symbol).first + offset), bytes, kind);
}

void check_node(const graph_node* n, node_kind kind) {
    require(n != nullptr && n->what.kind == kind, status::invalid_value,
            "a node of a different kind");
}

GRAPH_CALL(cudaGraphAddKernelNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, const kernel_parameters* p) {
    require_pointer(to);
    *to = add_node(s, g, after, count, kernel_of(s, p));
}
GRAPH_CALL(cudaGraphAddMemcpyNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, const copy_3d* p) {
    require_pointer(to, p);
    *to = add_node(s, g, after, count, copy_operation(s, *p));
}
GRAPH_CALL(cudaGraphAddMemcpyNode1D, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, void* target, const void* from, std::size_t bytes, int kind) {
    require_pointer(to);
    *to = add_node(s, g, after, count, copy_operation(s, plain_copy(target, from, bytes, kind)));
}
GRAPH_CALL(cudaGraphAddMemcpyNodeToSymbol, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, const void* symbol, const void* from, std::size_t bytes,
           std::size_t offset, int kind) {
    require_pointer(to);
    *to = add_node(s, g, after, count,
                   copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphAddMemcpyNodeFromSymbol, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, void* target, const void* symbol, std::size_t bytes,
           std::size_t offset, int kind) {
    require_pointer(to);
    *to = add_node(s, g, after, count,
                   copy_operation(s, copy_from_symbol(s, target, symbol, bytes, offset, kind)));
}
GRAPH_CALL(cudaGraphAddMemsetNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, const fill_parameters* p) {
    require_pointer(to, p);
    *to = add_node(s, g, after, count, fill_operation(s, *p));
}
GRAPH_CALL(cudaGraphAddHostNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, const host_parameters* p) {
    require_pointer(to, p);
    *to = add_node(s, g, after, count, host_operation(*p));
}
GRAPH_CALL(cudaGraphAddChildGraphNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, graph* child) {
    require_pointer(to);
    operation o;
    o.kind = node_kind::graph;
    o.child = s.graphs.get(child).clone_for_node();
    *to = add_node(s, g, after, count, std::move(o));
}
GRAPH_CALL(cudaGraphAddEmptyNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count) {
    require_pointer(to);
    *to = add_node(s, g, after, count, {});
}
GRAPH_CALL(cudaGraphAddEventRecordNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, void* event) {
    require_pointer(to);
    *to = add_node(s, g, after, count, record_operation(&s.event(event)));
}
GRAPH_CALL(cudaGraphAddEventWaitNode, session& s, graph_node** to, graph* g, nodes after,
           std::size_t count, void* event) {
    require_pointer(to);
    *to = add_node(s, g, after, count, event_wait(&s.event(event)));
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

}  // namespace simtlm::cuda
