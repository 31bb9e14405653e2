// SPDX-License-Identifier: Apache-2.0
// Structure of graphs.
#include "runtimes/cuda/graph/graph.h"

#include "runtimes/cuda/abi/call.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

namespace {

void erase(std::vector<graph_node*>& from, const graph_node* n) {
    from.erase(std::remove(from.begin(), from.end(), n), from.end());
}

/// Removes a dependency and its edge.
void drop(graph_node* n, const graph_node* after) {
    const auto at = std::find(n->after.begin(), n->after.end(), after);
    if (at == n->after.end()) return;
    n->edges.erase(n->edges.begin() + (at - n->after.begin()));
    n->after.erase(at);
}

void check_edge(const graph_node& from, const graph_node& to, const edge_data& e) {
    const bool kernels = from.what.kind == node_kind::kernel && to.what.kind == node_kind::kernel;
    const bool zero = std::all_of(std::begin(e.reserved), std::end(e.reserved),
                                  [](std::uint8_t b) { return b == 0; });
    require(e.from_port <= edge_data::launch_completion && e.is_programmatic <= 1 &&
                e.to_port == 0 && zero,
            status::invalid_value, "edge data of a graph with an unknown port or type");
    require(e.from_port == edge_data::completion || from.what.kind == node_kind::kernel,
            status::invalid_value, "an edge from a port that only kernel nodes have");
    require(e.is_programmatic == 0 || (kernels && e.from_port != edge_data::completion),
            status::invalid_value,
            "a programmatic edge that does not begin at a port of a kernel node and end at one");
    require(e.from_port != edge_data::programmatic_launch || e.is_programmatic != 0,
            status::invalid_value,
            "an edge from cudaGraphKernelNodePortProgrammatic of another type");
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

void renumber(graph& g) {
    for (const auto& n : g.nodes) {
        n->number = next_number();
        if (n->what.child) renumber(*n->what.child);
        if (n->what.condition)
            for (const auto& body : n->what.condition->bodies) renumber(*body);
    }
}

}  // namespace

graph_node* graph::add(operation what, const std::vector<graph_node*>& after,
                       const std::vector<edge_data>& edges) {
    auto n = std::make_unique<graph_node>();
    n->owner = this;
    n->what = std::move(what);
    n->number = next_number();
    // Arguments can be queried, and their addresses are known now.
    for (void*& p : n->what.parameter_addresses)
        p = n->what.parameters.data() + reinterpret_cast<std::uintptr_t>(p);
    if (n->what.kind == node_kind::kernel) {
        n->what.kernel.arguments = n->what.parameter_addresses.data();
        n->what.kernel.extra = nullptr;
    }
    graph_node* const raw = n.get();
    for (std::size_t i = 0; i < edges.size(); ++i) check_edge(*after[i], *raw, edges[i]);
    nodes.push_back(std::move(n));
    for (std::size_t i = 0; i < after.size(); ++i)
        connect(after[i], raw, i < edges.size() ? edges[i] : edge_data());
    return raw;
}

void graph::connect(graph_node* from, graph_node* to, const edge_data& edge) {
    check_edge(*from, *to, edge);
    if (std::find(to->after.begin(), to->after.end(), from) != to->after.end()) return;
    to->after.push_back(from);
    to->edges.push_back(edge);
    from->before.push_back(to);
}

void graph::disconnect(graph_node* from, graph_node* to) {
    drop(to, from);
    erase(from->before, to);
}

void graph::remove(graph_node* n) {
    for (graph_node* a : n->after) erase(a->before, n);
    for (graph_node* b : n->before) drop(b, n);
    nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                             [&](const auto& other) { return other.get() == n; }));
}

std::shared_ptr<graph> graph::clone() const {
    auto copy = std::make_shared<graph>();
    std::map<const graph_node*, graph_node*> mine;
    for (const auto& n : nodes) {
        auto c = std::make_unique<graph_node>();
        c->owner = copy.get();
        c->what = n->what;
        c->what.parameter_addresses.clear();
        for (void* p : n->what.parameter_addresses)
            c->what.parameter_addresses.push_back(
                c->what.parameters.data() +
                (static_cast<std::byte*>(p) - n->what.parameters.data()));
        if (c->what.kind == node_kind::kernel)
            c->what.kernel.arguments = c->what.parameter_addresses.data();
        if (n->what.child) c->what.child = n->what.child->clone();
        if (n->what.condition) {
            c->what.condition = std::make_shared<conditional>(*n->what.condition);
            c->what.condition->handed_out.clear();
            for (auto& body : c->what.condition->bodies) body = body->clone();
        }
        c->number = n->number;
        c->enabled = n->enabled;
        mine[n.get()] = c.get();
        copy->nodes.push_back(std::move(c));
    }
    for (const auto& n : nodes)
        for (std::size_t i = 0; i < n->after.size(); ++i)
            copy->connect(mine[n->after[i]], mine[n.get()], n->edges[i]);
    copy->conditions = conditions;
    return copy;
}

std::shared_ptr<graph> graph::clone_for_node() const {
    auto copy = clone();
    renumber(*copy);
    return copy;
}

graph_node* graph::find(std::uint64_t number) const {
    for (const auto& n : nodes)
        if (n->number == number) return n.get();
    for (const auto& n : nodes) {
        if (n->what.child)
            if (graph_node* const found = n->what.child->find(number)) return found;
        if (n->what.condition)
            for (const auto& body : n->what.condition->bodies)
                if (graph_node* const found = body->find(number)) return found;
    }
    return nullptr;
}

const graph* conditional::chosen(std::uint32_t value) const {
    std::size_t which = value;
    if (what == form::if_else) which = value != 0 ? 0 : 1;
    if (what == form::loop) which = value != 0 ? 0 : bodies.size();
    return which < bodies.size() ? bodies[which].get() : nullptr;
}

std::vector<graph_node*> graph::sorted() const {
    std::vector<graph_node*> order;
    std::map<const graph_node*, std::size_t> missing;
    for (const auto& n : nodes) {
        missing[n.get()] = n->after.size();
        if (n->after.empty()) order.push_back(n.get());
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (graph_node* b : order[i]->before)
            if (--missing[b] == 0) order.push_back(b);
    require(order.size() == nodes.size(), status::invalid_value, "the graph has a cycle");
    return order;
}

}  // namespace simtlm::cuda
