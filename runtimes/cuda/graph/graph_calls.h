// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/graph/graph.h"

namespace simtlm::cuda {

/// Reason why an executable graph cannot be updated to match another graph.
struct update_result {
    int code = 0;  ///< cudaGraphExecUpdateResult
    graph_node* at = nullptr;
};

struct node_parameters;  ///< cudaGraphNodeParams
/// Converts a structure to the operation of a node. @throws failure
operation node_operation(session& s, const node_parameters* p);
/// Writes the output members of the structure that a node was created from.
void describe_node(session& s, const graph_node& n, node_parameters* p);
/// Adds a condition to a graph. @return its handle
std::uint64_t add_condition(session& s, graph* g, unsigned initial, unsigned flags);
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
