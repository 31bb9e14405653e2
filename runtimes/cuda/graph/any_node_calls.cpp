// SPDX-License-Identifier: Apache-2.0
// Generic node functions (cudaGraphAddNode), and conditional nodes.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace simtlm::cuda {

namespace {

/// Returns whether a graph has a condition with this handle.
bool has_condition(session& s, std::uint64_t handle) {
    return s.graphs.any_of([&](const graph& g) {
        return std::any_of(g.conditions.begin(), g.conditions.end(),
                           [&](const condition& c) { return c.handle == handle; });
    });
}

}  // namespace

operation node_operation(session& s, const node_parameters* p) {
    require_pointer(p);
    switch (static_cast<node_kind>(p->kind)) {
        case node_kind::kernel:
            return kernel_of(s, &p->kernel);
        case node_kind::copy:
            return copy_operation(s, p->copy.what);
        case node_kind::fill:
            return fill_operation(s, p->fill);
        case node_kind::host:
            return host_operation(p->host);
        case node_kind::graph:
            return graph_operation(s, p->child);
        case node_kind::empty:
            return {};
        case node_kind::wait_event:
            return event_wait(&s.event(p->event));
        case node_kind::record_event:
            return record_operation(&s.event(p->event));
        case node_kind::allocate:
            require(p->allocation.bytes != 0, status::invalid_value, "an allocation of 0 bytes");
            return allocation_operation(s, s.current_device(), p->allocation.bytes);
        case node_kind::release:
            return release_operation(address_of(p->address));
        case node_kind::conditional: {
            const conditional_parameters& c = p->conditional;
            require(has_condition(s, c.handle), status::invalid_value,
                    "unknown conditional handle");
            return conditional_operation(c.handle, c.what, c.graphs);
        }
        default:
            throw failure(status::not_supported, "nodes of this kind are not supported");
    }
}

void describe_node(session& s, const graph_node& n, node_parameters* p) {
    if (n.what.kind == node_kind::allocate) p->allocation.address = pointer_to(n.what.address);
    if (n.what.kind != node_kind::conditional) return;
    for (const auto& body : n.what.condition->bodies) s.graphs.insert(body);
    p->conditional.handed_out = n.what.condition->handed_out.data();
}

GRAPH_CALL_AS(cudaGraphAddNode_v2, "cudaGraphAddNode", session& s, graph_node** to, graph* g,
              nodes after, const edge_data* edges, std::size_t count, node_parameters* p) {
    require_pointer(to);
    operation o = node_operation(s, p);
    *to = add_node(s, g, after, count, std::move(o), edges);
    describe_node(s, **to, p);
}
GRAPH_CALL_AS(cudaGraphAddNode, cudaGraphAddNode_v2_call::name, session& s, graph_node** to,
              graph* g, nodes after, std::size_t count, node_parameters* p) {
    cudaGraphAddNode_v2_call::run(s, to, g, after, nullptr, count, p);
}
GRAPH_CALL(cudaGraphNodeSetParams, session& s, graph_node* n, const node_parameters* p) {
    change_node(n, node_operation(s, p));
}
GRAPH_CALL(cudaGraphExecNodeSetParams, session& s, executable_graph* g, graph_node* n,
           const node_parameters* p) {
    change_node(s, g, n, node_operation(s, p));
}
std::uint64_t add_condition(session& s, graph* g, unsigned initial, unsigned flags) {
    require(flags <= 1, status::invalid_value, "unknown flags");
    graph& in = s.graphs.get(g);
    in.conditions.push_back(make_condition(s, initial, flags == 1));
    return in.conditions.back().handle;
}

GRAPH_CALL(cudaGraphConditionalHandleCreate, session& s, std::uint64_t* to, graph* g,
           unsigned initial, unsigned flags) {
    require_pointer(to);
    *to = add_condition(s, g, initial, flags);
}

}  // namespace simtlm::cuda
