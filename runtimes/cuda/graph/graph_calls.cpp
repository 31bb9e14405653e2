// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/graph/graph_calls.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

graph_node* add_node(session& s, graph* g, graph_node* const* after, std::size_t count,
                     operation what, const edge_data* edges) {
    const auto lock = s.captures.lock();
    require(g != nullptr && (count == 0 || after != nullptr), status::invalid_value,
            "no graph or dependencies");
    for (std::size_t i = 0; i < count; ++i)
        require(after[i] != nullptr && after[i]->owner == g, status::invalid_value,
                "a node of a different graph");
    return g->add(
        std::move(what), {after, after + count},
        edges != nullptr ? std::vector<edge_data>(edges, edges + count) : std::vector<edge_data>());
}

void change_node(graph_node* n, operation what) {
    require(n != nullptr && n->what.kind == what.kind, status::invalid_value,
            "a node of a different kind");
    require(n->what.kind != node_kind::conditional, status::not_supported,
            "conditional nodes cannot be changed");
    // Recomputes the addresses of the arguments.
    graph scratch;
    graph_node* const made = scratch.add(std::move(what), {});
    n->what = made->what;
    n->what.parameter_addresses.clear();
    for (void* p : made->what.parameter_addresses)
        n->what.parameter_addresses.push_back(
            n->what.parameters.data() +
            (static_cast<std::byte*>(p) - made->what.parameters.data()));
    if (n->what.kind == node_kind::kernel)
        n->what.kernel.arguments = n->what.parameter_addresses.data();
}

void change_node(session& s, executable_graph* g, const graph_node* n, operation what) {
    const auto lock = s.captures.lock();
    require_pointer(n);
    graph_node* const mine = s.executable_graphs.get(g).what->find(n->number);
    require(mine != nullptr, status::invalid_value, "the graph does not contain this node");
    change_node(mine, std::move(what));
}

executable_graph* instantiate(session& s, graph* g, std::uint64_t flags) {
    const auto lock = s.captures.lock();
    const auto source = s.graphs.share(g);
    source->sorted();
    auto e = std::make_unique<executable_graph>();
    e->what = source->clone();
    e->flags = flags;
    return s.executable_graphs.insert(std::move(e));
}

update_result update(session& s, executable_graph* to, graph* from) {
    const auto lock = s.captures.lock();
    executable_graph& e = s.executable_graphs.get(to);
    const auto source = s.graphs.share(from);
    constexpr int topology_changed = 2, node_type_changed = 3, parameters_changed = 5;
    const auto mine = e.what->sorted();
    const auto theirs = source->sorted();
    if (mine.size() != theirs.size()) return {topology_changed, nullptr};
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (mine[i]->what.kind != theirs[i]->what.kind) return {node_type_changed, theirs[i]};
        if (mine[i]->after.size() != theirs[i]->after.size()) return {topology_changed, theirs[i]};
        if (mine[i]->what.condition &&
            (mine[i]->what.condition->bodies.size() != theirs[i]->what.condition->bodies.size() ||
             mine[i]->what.condition->what != theirs[i]->what.condition->what))
            return {parameters_changed, theirs[i]};
    }
    e.what = source->clone();
    return {};
}

}  // namespace simtlm::cuda
