// SPDX-License-Identifier: Apache-2.0
// Runtime API: graphs and their structure.
#include "runtimes/cuda/runtime_graph.h"

#include <algorithm>
#include <memory>

using namespace simtlm::cuda;

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
        require(*to != nullptr, status::invalid_value, "the clone does not contain this node");
    });
}

// ---- structure ----

RUNTIME(cudaGraphNodeGetType)(graph_node* n, int* kind) {
    return graph_call("cudaGraphNodeGetType", [&](session&) {
        require_pointer(n);
        value_at(kind) = static_cast<int>(n->what.kind);
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
// A query without edge data fails if it would drop some.
RUNTIME(cudaGraphGetEdges_v2)
(graph* g, graph_node** from, graph_node** to, edge_data* edges, std::size_t* count) {
    return graph_call("cudaGraphGetEdges", [&](session& s) {
        std::vector<graph_node*> begins, ends;
        std::vector<edge_data> data;
        for (const auto& n : graph_store::of(s).get(g)->nodes)
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
    });
}
RUNTIME(cudaGraphGetEdges)(graph* g, graph_node** from, graph_node** to, std::size_t* count) {
    return simtlm_rt_cudaGraphGetEdges_v2(g, from, to, nullptr, count);
}
RUNTIME(cudaGraphNodeGetDependencies_v2)
(graph_node* n, graph_node** to, edge_data* edges, std::size_t* count) {
    return graph_call("cudaGraphNodeGetDependencies", [&](session&) {
        require_pointer(n);
        require_no_loss(n->edges, edges, to);
        std::size_t same = count != nullptr ? *count : 0;
        hand_out(n->after, to, count);
        if (edges != nullptr) hand_out(n->edges, edges, &same);
    });
}
RUNTIME(cudaGraphNodeGetDependencies)(graph_node* n, graph_node** to, std::size_t* count) {
    return simtlm_rt_cudaGraphNodeGetDependencies_v2(n, to, nullptr, count);
}
RUNTIME(cudaGraphNodeGetDependentNodes_v2)
(graph_node* n, graph_node** to, edge_data* edges, std::size_t* count) {
    return graph_call("cudaGraphNodeGetDependentNodes", [&](session&) {
        require_pointer(n);
        std::vector<edge_data> data;
        for (const graph_node* b : n->before) data.push_back(edge_between(*n, *b));
        require_no_loss(data, edges, to);
        std::size_t same = count != nullptr ? *count : 0;
        hand_out(n->before, to, count);
        if (edges != nullptr) hand_out(data, edges, &same);
    });
}
RUNTIME(cudaGraphNodeGetDependentNodes)(graph_node* n, graph_node** to, std::size_t* count) {
    return simtlm_rt_cudaGraphNodeGetDependentNodes_v2(n, to, nullptr, count);
}
RUNTIME(cudaGraphAddDependencies_v2)
(graph* g, nodes from, nodes to, const edge_data* edges, std::size_t count) {
    return graph_call("cudaGraphAddDependencies", [&](session&) {
        require_pointer(g);
        for (std::size_t i = 0; i < count; ++i)
            g->connect(from[i], to[i], edges != nullptr ? edges[i] : edge_data());
    });
}
RUNTIME(cudaGraphAddDependencies)(graph* g, nodes from, nodes to, std::size_t count) {
    return simtlm_rt_cudaGraphAddDependencies_v2(g, from, to, nullptr, count);
}
RUNTIME(cudaGraphRemoveDependencies)(graph* g, nodes from, nodes to, std::size_t count) {
    return graph_call("cudaGraphRemoveDependencies", [&](session&) {
        require_pointer(g);
        for (std::size_t i = 0; i < count; ++i) g->disconnect(from[i], to[i]);
    });
}
RUNTIME(cudaGraphRemoveDependencies_v2)
(graph* g, nodes from, nodes to, const edge_data*, std::size_t count) {
    return simtlm_rt_cudaGraphRemoveDependencies(g, from, to, count);
}
RUNTIME(cudaGraphDestroyNode)(graph_node* n) {
    return graph_call("cudaGraphDestroyNode", [&](session&) {
        require_pointer(n);
        n->owner->remove(n);
    });
}
