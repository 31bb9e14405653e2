// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "runtimes/cuda/abi/abi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::cuda {

class graph;
class session;
struct function;

/// Creates the task of an operation, once per execution.
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

/// A conditional node: a value written by kernels (cudaGraphSetConditional) selects the graph to
/// execute.
struct conditional {
    enum class form : int { if_else, loop, choice };  ///< cudaGraphConditionalNodeType

    /// The graph selected by a value, or nullptr.
    const graph* chosen(std::uint32_t value) const;

    form what = form::if_else;
    std::uint64_t handle = 0;  ///< address of the 32-bit value
    std::vector<std::shared_ptr<graph>> bodies;
    std::vector<graph*> handed_out;  ///< the same graphs, as returned to the program
};

/// cudaGraphConditionalHandle: a value used by conditional nodes of a graph.
struct condition {
    std::uint64_t handle = 0;   ///< address of the value
    std::uint32_t initial = 0;  ///< value at the launch of the graph
    bool is_initialised = false;
    std::shared_ptr<const void> keeps;  ///< owns its memory
};

/// cudaGraphEdgeData: when a dependency between two nodes of a graph is satisfied.
struct edge_data {
    enum port : std::uint8_t {
        completion = 0,
        programmatic_launch = 1,  ///< all blocks allow dependents (griddepcontrol), or have ended
        launch_completion = 2,    ///< all blocks have begun; here as `completion`
    };
    std::uint8_t from_port = completion;
    std::uint8_t to_port = 0;
    std::uint8_t is_programmatic = 0;  ///< cudaGraphDependencyType
    std::uint8_t reserved[5] = {};

    bool is_default() const { return from_port == completion && is_programmatic == 0; }
};
static_assert(sizeof(edge_data) == 8);

/// An operation of a stream or of a graph.
struct operation {
    node_kind kind = node_kind::empty;
    task_maker make;
    // Parameters that can be queried.
    kernel_parameters kernel{};
    std::vector<std::byte> parameters;       ///< of the kernel
    std::vector<void*> parameter_addresses;  ///< pointers into `parameters`
    bool programmatic = false;               ///< kernels: launch_options::programmatic
    copy_3d copy{};
    fill_parameters fill{};
    host_parameters host{};
    device::event* event = nullptr;
    std::shared_ptr<graph> child;
    std::shared_ptr<conditional> condition;
    std::uint64_t address = 0;  ///< of an allocation
    std::uint64_t bytes = 0;
    std::shared_ptr<const void> keeps;  ///< must live as long as the node and its clones
};

/// cudaGraphNode_t
class graph_node {
public:
    graph* owner = nullptr;
    operation what;
    std::vector<graph_node*> after;   ///< nodes that it depends on
    std::vector<edge_data> edges;     ///< of `after`
    std::vector<graph_node*> before;  ///< nodes that depend on it
    std::uint64_t number = 0;         ///< unique, except that clones share it
    bool enabled = true;
};

/// cudaGraph_t: operations and their dependencies.
class graph {
public:
    std::vector<std::unique_ptr<graph_node>> nodes;
    std::vector<condition> conditions;

    /// @param edges  of `after`; empty: all default
    /// @throws failure  if an edge is invalid
    graph_node* add(operation what, const std::vector<graph_node*>& after,
                    const std::vector<edge_data>& edges = {});
    /// @throws failure  if the edge is invalid
    void connect(graph_node* from, graph_node* to, const edge_data& edge = {});
    void disconnect(graph_node* from, graph_node* to);
    void remove(graph_node* n);
    /// Deep copy; clones of nodes keep their numbers.
    std::shared_ptr<graph> clone() const;
    /// Deep copy with new node numbers, for use as a separate graph.
    std::shared_ptr<graph> clone_for_node() const;
    /// Finds a node by number in this graph or in graphs nested in its nodes.
    graph_node* find(std::uint64_t number) const;
    /// The nodes in topological order. @throws failure  if the graph has a cycle
    std::vector<graph_node*> sorted() const;
};

/// cudaGraphExec_t
struct executable_graph {
    std::shared_ptr<graph> what;
    std::uint64_t flags = 0;
    device::task_ptr last;  ///< launches of one executable graph are serialised
};

/// Appends an operation to a stream: submits it, or records it if the stream is being captured.
/// @return the task; nullptr if it was captured
device::task_ptr enqueue(session& s, device::stream& stream, operation what);

/// Submits a graph to a stream.
void launch_graph(session& s, executable_graph& g, device::stream& stream);

// ---- makers of operations ----

/// A copy of planes of rows.
struct block_copy {
    std::uint64_t to = 0, to_pitch = 0, to_slice = 0;
    std::uint64_t from = 0, from_pitch = 0, from_slice = 0;
    std::uint64_t width = 0;  ///< bytes
    std::uint64_t height = 1, depth = 1;
    int kind = by_address;
    /// Source or target is a variable of a module (cudaMemcpyToSymbol, cudaMemcpyFromSymbol).
    bool symbol = false;
};

/// @param stage  copy the source during the call, since it may change afterwards
operation copy_operation(session& s, const block_copy& what, bool stage);
/// The same for the runtime's parameters. @throws failure
block_copy block_of(session& s, const copy_3d& what);
operation copy_operation(session& s, const copy_3d& what);
operation fill_operation(session& s, const fill_parameters& what);
/// Launch options beyond the parameters of a kernel.
struct launch_options {
    bool cooperative = false;
    size3 cluster{1, 1, 1};  ///< thread blocks per cluster
    /// Whether the kernel may begin before the previous kernel of its stream has ended.
    bool programmatic = false;
    int carve_out = -1;  ///< preferred shared memory in percent; negative: that of the function
};
/// @param f  must outlive the operation, as its module
operation kernel_operation(session& s, function* f, const kernel_parameters& what,
                           const launch_options& how);
/// The launch of a kernel given by a handle, for a program's call. If the code cannot be executed,
/// this is noted for the exit code.
/// @param handle   see session::function_of
/// @param unseen   programs usually do not check the result of this call (<<<>>>)
operation launch_operation(session& s, const void* handle, unsigned device,
                           const kernel_parameters& what, const launch_options& how, bool unseen);
operation host_operation(const host_parameters& what);
/// Memory that a graph allocates at each launch, always at the same address.
/// @throws failure  if memory is exhausted
operation allocation_operation(session& s, unsigned device, std::uint64_t bytes);
/// @param address  of graph memory, or of any other allocation
operation release_operation(std::uint64_t address);
operation record_operation(device::event* e);
/// Creates a value for conditional nodes of a graph.
condition make_condition(session& s, std::uint32_t initial, bool is_initialised);
/// @param graphs  number of graphs of the node. @throws failure
operation conditional_operation(std::uint64_t handle, conditional::form what, unsigned graphs);

}  // namespace simtlm::cuda
