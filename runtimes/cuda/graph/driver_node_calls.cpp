// SPDX-License-Identifier: Apache-2.0
// Nodes whose parameters differ between driver and runtime: kernels and copies.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/graph_calls.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/session.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

namespace {

/// Converts to the runtime's description of the copy, which can be queried later.
copy_3d described(const driver_copy_3d& p) {
    copy_3d c{};
    c.from_array = p.from.kind == 3 ? p.from.array : nullptr;
    c.from_position = {p.from.x, p.from.y, p.from.z};
    c.from_pointer = {p.from.kind == 1 ? p.from.host : pointer_to(p.from.device), p.from.pitch,
                      p.from.pitch, p.from.height};
    c.to_array = p.to.kind == 3 ? p.to.array : nullptr;
    c.to_position = {p.to.x, p.to.y, p.to.z};
    c.to_pointer = {p.to.kind == 1 ? p.to.host : pointer_to(p.to.device), p.to.pitch, p.to.pitch,
                    p.to.height};
    c.size = {p.width, p.height, p.depth};
    c.kind = by_address;
    return c;
}

operation copy_of(session& s, const driver_copy_3d* p) {
    require_pointer(p);
    operation o = copy_operation(s, block_of(s, *p), false);
    o.copy = described(*p);
    return o;
}

side_3d side_of(void* array, const position& at, const pitched_pointer& p) {
    side_3d s{};
    s.x = at.x;
    s.y = at.y;
    s.z = at.z;
    s.kind = array != nullptr ? 3 : 4;
    s.array = array;
    s.device = address_of(p.pointer);
    s.host = p.pointer;
    s.pitch = p.pitch;
    s.height = p.height;
    return s;
}

}  // namespace

NODE_CALLS(cuGraphAddMemcpyNode, cuGraphMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams,
           session& s, const driver_copy_3d* p) {
    return copy_of(s, p);
}
GRAPH_CALL(cuGraphMemcpyNodeGetParams, session&, graph_node* n, driver_copy_3d* to) {
    require_pointer(to);
    check_node(n, node_kind::copy);
    const copy_3d& c = n->what.copy;
    *to = {side_of(c.from_array, c.from_position, c.from_pointer),
           side_of(c.to_array, c.to_position, c.to_pointer), c.size.width, c.size.height,
           c.size.depth};
}

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v2, which may refer to a kernel instead of a function.
struct kernel_parameters_v2 {
    kernel_parameters plain;
    void* kernel;
    void* context;
};

operation kernel_of(session& s, const kernel_parameters_v2* p) {
    require_pointer(p);
    kernel_parameters k = p->plain;
    if (k.function == nullptr) k.function = p->kernel;
    return kernel_of(s, &k);
}

}  // namespace

// Version 2 of these; version 1 is shared with the runtime.
NODE_CALLS(cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams,
           session& s, const kernel_parameters_v2* p) {
    return kernel_of(s, p);
}
GRAPH_CALL(cuGraphKernelNodeGetParams, session&, graph_node* n, kernel_parameters_v2* to) {
    require_pointer(to);
    check_node(n, node_kind::kernel);
    *to = {n->what.kernel, nullptr, nullptr};
}

namespace {

/// CUgraphNodeParams: like the runtime's, except for kernels and copies.
struct driver_node_parameters {
    int kind;
    int reserved[3];
    union {
        char bytes[232];
        kernel_parameters_v2 kernel;
        struct {
            int flags[2];
            void* context;
            driver_copy_3d what;
        } copy;
    };
    std::int64_t reserved_2;
};

static_assert(sizeof(driver_node_parameters) == 256);

node_parameters* as_of_runtime(driver_node_parameters* p) {
    return reinterpret_cast<node_parameters*>(p);
}

operation node_of(session& s, driver_node_parameters* p) {
    require_pointer(p);
    switch (static_cast<node_kind>(p->kind)) {
        case node_kind::kernel:
            return kernel_of(s, &p->kernel);
        case node_kind::copy:
            return copy_of(s, &p->copy.what);
        default:
            return node_operation(s, as_of_runtime(p));
    }
}

}  // namespace

GRAPH_CALL_AS(cuGraphAddNode_v2, "cuGraphAddNode", session& s, graph_node** to, graph* g,
              graph_node* const* after, const edge_data* edges, std::size_t count,
              driver_node_parameters* p) {
    require_pointer(to);
    *to = add_node(s, g, after, count, node_of(s, p), edges);
    describe_node(s, **to, as_of_runtime(p));
}
GRAPH_CALL_AS(cuGraphAddNode, cuGraphAddNode_v2_call::name, session& s, graph_node** to, graph* g,
              graph_node* const* after, std::size_t count, driver_node_parameters* p) {
    cuGraphAddNode_v2_call::run(s, to, g, after, nullptr, count, p);
}
GRAPH_CALL(cuGraphNodeSetParams, session& s, graph_node* n, driver_node_parameters* p) {
    change_node(n, node_of(s, p));
}
GRAPH_CALL(cuGraphExecNodeSetParams, session& s, executable_graph* g, graph_node* n,
           driver_node_parameters* p) {
    change_node(s, g, n, node_of(s, p));
}
GRAPH_CALL(cuGraphConditionalHandleCreate, session& s, std::uint64_t* to, graph* g, void*,
           unsigned initial, unsigned flags) {
    require_pointer(to);
    *to = add_condition(s, g, initial, flags);
}

}  // namespace simtlm::cuda
