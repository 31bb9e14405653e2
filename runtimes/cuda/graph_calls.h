// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/graph.h"

namespace simtlm::cuda {

/// Graphs that programs hold. All calls while session::graphs_mutex is held.
class graph_store {
public:
    static graph_store& of(session& s);

    graph* add(std::shared_ptr<graph> g);
    void remove(graph* g);
    /// @throws failure  there is none
    std::shared_ptr<graph> get(const graph* g);
    executable_graph* add(std::unique_ptr<executable_graph> g);
    void remove(executable_graph* g);
    executable_graph& get(const executable_graph* g);
    bool holds(const graph* g) const { return graphs_.find(g) != graphs_.end(); }
    /// Whether a graph has a condition with this handle.
    bool has_condition(std::uint64_t handle) const;

private:
    std::unordered_map<const graph*, std::shared_ptr<graph>> graphs_;
    std::unordered_map<const executable_graph*, std::unique_ptr<executable_graph>> executables_;
};

/// What keeps an executable graph from becoming like another one.
struct update_result {
    int code = 0;  ///< cudaGraphExecUpdateResult
    graph_node* at = nullptr;
};

struct node_parameters;  ///< cudaGraphNodeParams
/// What a node is by this structure. @throws failure
operation node_operation(session& s, const node_parameters* p);
/// Tells in the structure what became of a node that was made by it.
void tell_of_node(session& s, const graph_node& n, node_parameters* p);
graph_node* add_node(session& s, graph* g, graph_node* const* after, std::size_t count,
                     operation what);
/// Changes the operation of a node of a graph.
void change_node(graph_node* n, operation what);
/// Changes the operation of the node of an executable graph that was made from a node.
void change_node(session& s, executable_graph* g, const graph_node* n, operation what);
executable_graph* instantiate(session& s, graph* g, std::uint64_t flags);
update_result update(session& s, executable_graph* to, graph* from);

}  // namespace simtlm::cuda
