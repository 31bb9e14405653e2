// SPDX-License-Identifier: Apache-2.0
// Parameters of nodes, and the definition of calls that set them:
// NODE_CALLS(ADD, SET, EXEC_SET, session& s, parameters...) { ... } returns the operation of a node
// and defines three entry points: ADD adds a node to a graph, SET changes one, and EXEC_SET changes
// the node of an executable graph that was created from one.
#pragma once

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"

namespace simtlm::cuda {

using nodes = graph_node* const*;

/// cudaMemAllocNodeParams: pool properties (88 bytes), access descriptors, size, address.
struct allocation_parameters {
    char pool[88];
    const void* access;
    std::size_t access_count, bytes;
    void* address;
};
/// cudaConditionalNodeParams
struct conditional_parameters {
    std::uint64_t handle;
    conditional::form what;
    unsigned graphs;
    graph** handed_out;
};
/// cudaGraphNodeParams
struct node_parameters {
    int kind;
    int reserved[3];
    union {
        char bytes[232];
        kernel_parameters kernel;
        struct {
            int flags[4];
            copy_3d what;
        } copy;
        fill_parameters fill;
        host_parameters host;
        graph* child;
        void* event;
        allocation_parameters allocation;
        void* address;
        conditional_parameters conditional;
    };
    std::int64_t reserved_2;
};
static_assert(sizeof(node_parameters) == 256);

/// Operations for nodes of graphs and executable graphs. @throws failure
operation kernel_of(session& s, const kernel_parameters* p);
operation event_wait(device::event* e);
/// A copy of a graph as one node.
operation graph_operation(session& s, const graph* g);
/// @throws failure  if the node is of another kind
void check_node(const graph_node* n, node_kind kind);

/// The three calls that `Call::run` implements.
template <class Call, class Run = decltype(Call::run)>
struct node_calls;
template <class Call, class... Parameters>
struct node_calls<Call, operation(session&, Parameters...)> {
    struct add : Call {
        static constexpr const char* name = Call::names[0];
        static void run(session& s, graph_node** to, graph* g, nodes after, std::size_t count,
                        Parameters... arguments) {
            require_pointer(to);
            *to = add_node(s, g, after, count, Call::run(s, arguments...));
        }
    };
    struct set : Call {
        static constexpr const char* name = Call::names[1];
        static void run(session& s, graph_node* n, Parameters... arguments) {
            change_node(n, Call::run(s, arguments...));
        }
    };
    struct set_executable : Call {
        static constexpr const char* name = Call::names[2];
        static void run(session& s, executable_graph* g, graph_node* n, Parameters... arguments) {
            change_node(s, g, n, Call::run(s, arguments...));
        }
    };
};

#define NODE_CALLS(add_symbol, set_symbol, exec_symbol, ...)                                   \
    namespace {                                                                                \
    struct add_symbol##_call {                                                                 \
        static constexpr const char* names[] = {#add_symbol, #set_symbol, #exec_symbol};       \
        static constexpr bool is_about_graphs = true;                                          \
        static operation run(__VA_ARGS__);                                                     \
    };                                                                                         \
    }                                                                                          \
    SIMTLM_EXPORT(add_symbol, entry_of<node_calls<add_symbol##_call>::add>::enter)             \
    SIMTLM_EXPORT(set_symbol, entry_of<node_calls<add_symbol##_call>::set>::enter)             \
    SIMTLM_EXPORT(exec_symbol, entry_of<node_calls<add_symbol##_call>::set_executable>::enter) \
    operation add_symbol##_call::run(__VA_ARGS__)

}  // namespace simtlm::cuda
