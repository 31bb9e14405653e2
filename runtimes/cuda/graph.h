// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::cuda {

/// Makes the task that an operation is, each time that it is to be carried out.
using task_maker = std::function<device::task_ptr(session&)>;

/// cudaGraphNodeType
enum class node_kind : int {
    kernel,
    copy,
    fill,
    host,
    graph,
    empty,
    wait_event,
    record_event,
    signal,
    wait_signal,
    allocate,
    release,
    conditional = 13
};

/// A conditional node: which of its graphs runs is told by a value that kernels write
/// (cudaGraphSetConditional).
struct conditional {
    enum class form : int { if_else, loop, choice };  ///< cudaGraphConditionalNodeType

    /// Of the graphs, the one that a value chooses, or nullptr.
    const graph* chosen(std::uint32_t value) const;

    form what = form::if_else;
    std::uint64_t handle = 0;  ///< address of the value, 32 bits
    std::vector<std::shared_ptr<graph>> bodies;
    std::vector<graph*> handed_out;  ///< the same, as the program holds them
};

/// cudaGraphConditionalHandle: a value that conditional nodes of a graph go by.
struct condition {
    std::uint64_t handle = 0;   ///< its address
    std::uint32_t initial = 0;  ///< when the graph is launched
    bool is_initialised = false;
    std::shared_ptr<const void> keeps;  ///< its memory
};

/// An operation of a stream, or of a graph.
struct operation {
    node_kind kind = node_kind::empty;
    task_maker make;
    // What can be asked for again.
    kernel_parameters kernel{};
    std::vector<std::byte> parameters;       ///< of the kernel
    std::vector<void*> parameter_addresses;  ///< into `parameters`
    std::vector<launch_attribute> attributes;
    copy_3d copy{};
    fill_parameters fill{};
    host_parameters host{};
    device::event* event = nullptr;
    std::shared_ptr<graph> child;
    std::shared_ptr<conditional> condition;
    std::uint64_t address = 0;  ///< allocations
    std::uint64_t bytes = 0;
    std::shared_ptr<const void> keeps;  ///< what lives as long as the node and its clones
};

/// cudaGraphNode_t
class graph_node {
public:
    graph* owner = nullptr;
    operation what;
    std::vector<graph_node*> after;   ///< it waits for these
    std::vector<graph_node*> before;  ///< these wait for it
    std::uint64_t number = 0;         ///< of no other node but those of clones
    bool enabled = true;
};

/// cudaGraph_t: operations and their order.
class graph {
public:
    std::vector<std::unique_ptr<graph_node>> nodes;
    std::vector<condition> conditions;

    graph_node* add(operation what, const std::vector<graph_node*>& after);
    void connect(graph_node* from, graph_node* to);
    void disconnect(graph_node* from, graph_node* to);
    void remove(graph_node* n);
    /// With everything in it.
    std::shared_ptr<graph> clone() const;
    /// The same, whose nodes are others: the program takes it for another graph.
    std::shared_ptr<graph> clone_for_node() const;
    /// A node of this graph, or of the graphs in its nodes.
    graph_node* find(std::uint64_t number) const;
    /// In an order in which each comes after those it waits for. @throws failure  there is a circle
    std::vector<graph_node*> sorted() const;
};

/// cudaGraphExec_t
struct executable_graph {
    std::shared_ptr<graph> what;
    std::uint64_t flags = 0;
    device::task_ptr last;  ///< a graph runs once at a time
};

/// A capture that is under way in one stream or several.
struct capture {
    std::shared_ptr<graph> what;
    const device::stream* origin = nullptr;
    int mode = 0;
    std::uint64_t id = 0;
    bool invalid = false;
    std::unordered_map<const device::stream*, std::vector<graph_node*>> tails;
    std::unordered_map<const device::event*, std::vector<graph_node*>> events;
};

/// The capture that a stream is part of, or nullptr.
std::shared_ptr<capture> capture_of(session& s, const device::stream& stream);

/// Puts an operation into a stream: carried out in time, or noted where the stream is captured.
/// @return the task; nullptr when it was captured
device::task_ptr enqueue(session& s, device::stream& stream, operation what);

/// Carries out a graph in a stream.
void launch_graph(session& s, executable_graph& g, device::stream& stream);

/// What must not be done while the thread's streams are captured.
void refuse_during_capture(session& s);

// ---- makers of operations ----

/// A copy of planes of rows.
struct block_copy {
    std::uint64_t to = 0, to_pitch = 0, to_slice = 0;
    std::uint64_t from = 0, from_pitch = 0, from_slice = 0;
    std::uint64_t width = 0;  ///< bytes
    std::uint64_t height = 1, depth = 1;
    int kind = by_address;
    bool symbol = false;  ///< from or to a variable of a module: cudaMemcpyToSymbol and its kin
};

/// @param stage  the source may change as soon as the call is over
operation copy_operation(session& s, const block_copy& what, bool stage);
/// The same, from what the runtime passes. @throws failure
block_copy block_of(session& s, const copy_3d& what);
operation copy_operation(session& s, const copy_3d& what);
operation fill_operation(session& s, const fill_parameters& what);
/// How a kernel is launched beyond its parameters.
struct launch_options {
    bool cooperative = false;
    size3 cluster{1, 1, 1};  ///< thread blocks of a cluster
};
/// @param f  as long as its module
operation kernel_operation(session& s, function* f, const kernel_parameters& what,
                           const launch_options& how);
operation host_operation(const host_parameters& what);
/// Memory that a graph allocates at each of its launches, always at the same address.
/// @throws failure  out of memory
operation allocation_operation(session& s, unsigned device, std::uint64_t bytes);
/// @param address  of memory of a graph, or of any other
operation release_operation(std::uint64_t address);
operation record_operation(device::event* e);
/// A value for conditional nodes of the graph.
condition make_condition(session& s, std::uint32_t initial, bool is_initialised);
/// @param graphs  how many of them it has. @throws failure
operation conditional_operation(std::uint64_t handle, conditional::form what, unsigned graphs);

/// Whether a plain pointer of the host: neither pinned, managed nor registered.
bool is_pageable(session& s, std::uint64_t address);

}  // namespace simtlm::cuda
