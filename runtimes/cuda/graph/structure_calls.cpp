// SPDX-License-Identifier: Apache-2.0
// Calls about graphs and their structure.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/session.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace simtlm::cuda {

namespace {

/// Returns a list by the convention of these calls: with a null pointer, only its length is
/// returned.
template <class Item>
void hand_out(const std::vector<Item>& all, Item* to, std::size_t* count) {
    require_pointer(count);
    if (to != nullptr)
        for (std::size_t i = 0; i < *count; ++i) to[i] = i < all.size() ? all[i] : Item();
    *count = to != nullptr ? std::min(*count, all.size()) : all.size();
}

/// The edge between two connected nodes.
edge_data edge_between(const graph_node& from, const graph_node& to) {
    const auto at = std::find(to.after.begin(), to.after.end(), &from);
    return to.edges[static_cast<std::size_t>(at - to.after.begin())];
}

/// @param edges, to  where the edges and their nodes are returned; nullptr: not at all
void require_no_loss(const std::vector<edge_data>& all, const edge_data* edges,
                     graph_node* const* to) {
    const bool plain =
        std::all_of(all.begin(), all.end(), [](const edge_data& e) { return e.is_default(); });
    require(edges != nullptr || to == nullptr || plain, status::lossy_query,
            "the edges have data, which this query does not return");
}

}  // namespace

GRAPH_CALL(cudaGraphCreate, session& s, graph** to, unsigned flags) {
    require_pointer(to);
    require(flags == 0, status::invalid_value, "unknown flags");
    *to = s.graphs.insert(std::make_shared<graph>());
}
GRAPH_CALL(cudaGraphDestroy, session& s, graph* g) {
    s.graphs.erase(g);
}
GRAPH_CALL(cudaGraphClone, session& s, graph** to, graph* g) {
    require_pointer(to);
    *to = s.graphs.insert(s.graphs.get(g).clone());
}
GRAPH_CALL(cudaGraphNodeFindInClone, session& s, graph_node** to, graph_node* n, graph* g) {
    require_pointer(to, n);
    *to = s.graphs.get(g).find(n->number);
    require(*to != nullptr, status::invalid_value, "the clone does not contain this node");
}
GRAPH_CALL(cudaGraphNodeGetType, session&, graph_node* n, int* kind) {
    require_pointer(n);
    value_at(kind) = static_cast<int>(n->what.kind);
}
GRAPH_CALL(cudaGraphGetNodes, session& s, graph* g, graph_node** to, std::size_t* count) {
    std::vector<graph_node*> all;
    for (const auto& n : s.graphs.get(g).nodes) all.push_back(n.get());
    hand_out(all, to, count);
}
GRAPH_CALL(cudaGraphGetRootNodes, session& s, graph* g, graph_node** to, std::size_t* count) {
    std::vector<graph_node*> all;
    for (const auto& n : s.graphs.get(g).nodes)
        if (n->after.empty()) all.push_back(n.get());
    hand_out(all, to, count);
}
// A query without edge data fails if it would drop some.
GRAPH_CALL_AS(cudaGraphGetEdges_v2, "cudaGraphGetEdges", session& s, graph* g, graph_node** from,
              graph_node** to, edge_data* edges, std::size_t* count) {
    std::vector<graph_node*> begins, ends;
    std::vector<edge_data> data;
    for (const auto& n : s.graphs.get(g).nodes)
        for (graph_node* b : n->before) {
            begins.push_back(n.get());
            ends.push_back(b);
            data.push_back(edge_between(*n, *b));
        }
    require_no_loss(data, edges, from);
    std::size_t same = count != nullptr ? *count : 0, also = same;
    hand_out(begins, from, count);
    if (to != nullptr) hand_out(ends, to, &same);
    if (edges != nullptr) hand_out(data, edges, &also);
}
GRAPH_CALL_AS(cudaGraphGetEdges, cudaGraphGetEdges_v2_call::name, session& s, graph* g,
              graph_node** from, graph_node** to, std::size_t* count) {
    cudaGraphGetEdges_v2_call::run(s, g, from, to, nullptr, count);
}
GRAPH_CALL_AS(cudaGraphNodeGetDependencies_v2, "cudaGraphNodeGetDependencies", session&,
              graph_node* n, graph_node** to, edge_data* edges, std::size_t* count) {
    require_pointer(n);
    require_no_loss(n->edges, edges, to);
    std::size_t same = count != nullptr ? *count : 0;
    hand_out(n->after, to, count);
    if (edges != nullptr) hand_out(n->edges, edges, &same);
}
GRAPH_CALL_AS(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2_call::name, session& s,
              graph_node* n, graph_node** to, std::size_t* count) {
    cudaGraphNodeGetDependencies_v2_call::run(s, n, to, nullptr, count);
}
GRAPH_CALL_AS(cudaGraphNodeGetDependentNodes_v2, "cudaGraphNodeGetDependentNodes", session&,
              graph_node* n, graph_node** to, edge_data* edges, std::size_t* count) {
    require_pointer(n);
    std::vector<edge_data> data;
    for (const graph_node* b : n->before) data.push_back(edge_between(*n, *b));
    require_no_loss(data, edges, to);
    std::size_t same = count != nullptr ? *count : 0;
    hand_out(n->before, to, count);
    if (edges != nullptr) hand_out(data, edges, &same);
}
GRAPH_CALL_AS(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2_call::name,
              session& s, graph_node* n, graph_node** to, std::size_t* count) {
    cudaGraphNodeGetDependentNodes_v2_call::run(s, n, to, nullptr, count);
}
GRAPH_CALL_AS(cudaGraphAddDependencies_v2, "cudaGraphAddDependencies", session&, graph* g,
              nodes from, nodes to, const edge_data* edges, std::size_t count) {
    require_pointer(g);
    for (std::size_t i = 0; i < count; ++i)
        g->connect(from[i], to[i], edges != nullptr ? edges[i] : edge_data());
}
GRAPH_CALL_AS(cudaGraphAddDependencies, cudaGraphAddDependencies_v2_call::name, session& s,
              graph* g, nodes from, nodes to, std::size_t count) {
    cudaGraphAddDependencies_v2_call::run(s, g, from, to, nullptr, count);
}
GRAPH_CALL(cudaGraphRemoveDependencies, session&, graph* g, nodes from, nodes to,
           std::size_t count) {
    require_pointer(g);
    for (std::size_t i = 0; i < count; ++i) g->disconnect(from[i], to[i]);
}
GRAPH_CALL_AS(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_call::name, session& s,
              graph* g, nodes from, nodes to, const edge_data*, std::size_t count) {
    cudaGraphRemoveDependencies_call::run(s, g, from, to, count);
}
GRAPH_CALL(cudaGraphDestroyNode, session&, graph_node* n) {
    require_pointer(n);
    n->owner->remove(n);
}

}  // namespace simtlm::cuda
