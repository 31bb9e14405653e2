// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/graph.h"

namespace simtlm::cuda {

/// Graphs owned by the program. The caller must hold session::graphs_mutex.
class graph_store {
public:
    static graph_store& of(session& s);

    graph* add(std::shared_ptr<graph> g);
    void remove(graph* g);
    /// @throws failure  if it does not exist
    std::shared_ptr<graph> get(const graph* g);
    executable_graph* add(std::unique_ptr<executable_graph> g);
    void remove(executable_graph* g);
    executable_graph& get(const executable_graph* g);
    bool holds(const graph* g) const { return graphs_.find(g) != graphs_.end(); }
    /// Returns whether a graph has a condition with this handle.
    bool has_condition(std::uint64_t handle) const;

private:
    std::unordered_map<const graph*, std::shared_ptr<graph>> graphs_;
    std::unordered_map<const executable_graph*, std::unique_ptr<executable_graph>> executables_;
};

/// Reason why an executable graph cannot be updated to match another graph.
struct update_result {
    int code = 0;  ///< cudaGraphExecUpdateResult
    graph_node* at = nullptr;
};

struct node_parameters;  ///< cudaGraphNodeParams
/// Converts a structure to the operation of a node. @throws failure
operation node_operation(session& s, const node_parameters* p);
/// Writes the output members of the structure that a node was created from.
void tell_of_node(session& s, const graph_node& n, node_parameters* p);
/// @param edges  of `after`; nullptr: all default
graph_node* add_node(session& s, graph* g, graph_node* const* after, std::size_t count,
                     operation what, const edge_data* edges = nullptr);
/// Replaces the operation of a node of a graph.
void change_node(graph_node* n, operation what);
/// Replaces the operation of the node of an executable graph that was created from a node.
void change_node(session& s, executable_graph* g, const graph_node* n, operation what);
executable_graph* instantiate(session& s, graph* g, std::uint64_t flags);
update_result update(session& s, executable_graph* to, graph* from);

}  // namespace simtlm::cuda
