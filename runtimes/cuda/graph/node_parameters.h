// SPDX-License-Identifier: Apache-2.0
// Shared by the sources of the runtime API's graph functions.
#pragma once

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"

#include <mutex>

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
copy_3d plain_copy(void* to, const void* from, std::size_t bytes, int kind);
copy_3d copy_to_symbol(session& s, const void* symbol, const void* from, std::size_t bytes,
                       std::size_t offset, int kind);
copy_3d copy_from_symbol(session& s, void* to, const void* symbol, std::size_t bytes,
                         std::size_t offset, int kind);
/// @throws failure  if the node is of another kind
void check_node(const graph_node* n, node_kind kind);

}  // namespace simtlm::cuda
