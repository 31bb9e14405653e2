// SPDX-License-Identifier: Apache-2.0
// Runtime API: parameters of the nodes of graphs and of executable graphs.
#include "runtimes/cuda/runtime_graph.h"

#include <cstring>

using namespace simtlm::cuda;

RUNTIME(cudaGraphKernelNodeGetParams)(graph_node* n, kernel_parameters* p) {
    return graph_call("cudaGraphKernelNodeGetParams", [&](session&) {
        check_node(n, node_kind::kernel);
        value_at(p) = n->what.kernel;
    });
}
RUNTIME(cudaGraphKernelNodeSetParams)(graph_node* n, const kernel_parameters* p) {
    return graph_call("cudaGraphKernelNodeSetParams",
                      [&](session& s) { change_node(n, kernel_of(s, p)); });
}
RUNTIME(cudaGraphExecKernelNodeSetParams)
(executable_graph* g, graph_node* n, const kernel_parameters* p) {
    return graph_call("cudaGraphExecKernelNodeSetParams",
                      [&](session& s) { change_node(s, g, n, kernel_of(s, p)); });
}
RUNTIME(cudaGraphKernelNodeGetAttribute)(graph_node* n, int, void* value) {
    return graph_call("cudaGraphKernelNodeGetAttribute", [&](session&) {
        check_node(n, node_kind::kernel);
        std::memset(value, 0, 64);
    });
}
RUNTIME(cudaGraphKernelNodeSetAttribute)(graph_node* n, int, const void*) {
    return graph_call("cudaGraphKernelNodeSetAttribute",
                      [&](session&) { check_node(n, node_kind::kernel); });
}
RUNTIME(cudaGraphKernelNodeCopyAttributes)(graph_node* to, graph_node* from) {
    return graph_call("cudaGraphKernelNodeCopyAttributes", [&](session&) {
        check_node(to, node_kind::kernel);
        check_node(from, node_kind::kernel);
    });
}
RUNTIME(cudaGraphMemcpyNodeGetParams)(graph_node* n, copy_3d* p) {
    return graph_call("cudaGraphMemcpyNodeGetParams", [&](session&) {
        check_node(n, node_kind::copy);
        value_at(p) = n->what.copy;
    });
}
RUNTIME(cudaGraphMemcpyNodeSetParams)(graph_node* n, const copy_3d* p) {
    return graph_call("cudaGraphMemcpyNodeSetParams",
                      [&](session& s) { change_node(n, copy_operation(s, value_at(p))); });
}
RUNTIME(cudaGraphMemcpyNodeSetParams1D)
(graph_node* n, void* to, const void* from, std::size_t bytes, int kind) {
    return graph_call("cudaGraphMemcpyNodeSetParams1D", [&](session& s) {
        change_node(n, copy_operation(s, plain_copy(to, from, bytes, kind)));
    });
}
RUNTIME(cudaGraphMemcpyNodeSetParamsToSymbol)
(graph_node* n, const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
 int kind) {
    return graph_call("cudaGraphMemcpyNodeSetParamsToSymbol", [&](session& s) {
        change_node(n, copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphMemcpyNodeSetParamsFromSymbol)
(graph_node* n, void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    return graph_call("cudaGraphMemcpyNodeSetParamsFromSymbol", [&](session& s) {
        change_node(n, copy_operation(s, copy_from_symbol(s, to, symbol, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParams)(executable_graph* g, graph_node* n, const copy_3d* p) {
    return graph_call("cudaGraphExecMemcpyNodeSetParams",
                      [&](session& s) { change_node(s, g, n, copy_operation(s, value_at(p))); });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(executable_graph* g, graph_node* n, void* to, const void* from, std::size_t bytes, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParams1D", [&](session& s) {
        change_node(s, g, n, copy_operation(s, plain_copy(to, from, bytes, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParamsToSymbol)
(executable_graph* g, graph_node* n, const void* symbol, const void* from, std::size_t bytes,
 std::size_t offset, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParamsToSymbol", [&](session& s) {
        change_node(s, g, n,
                    copy_operation(s, copy_to_symbol(s, symbol, from, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
(executable_graph* g, graph_node* n, void* to, const void* symbol, std::size_t bytes,
 std::size_t offset, int kind) {
    return graph_call("cudaGraphExecMemcpyNodeSetParamsFromSymbol", [&](session& s) {
        change_node(s, g, n,
                    copy_operation(s, copy_from_symbol(s, to, symbol, bytes, offset, kind)));
    });
}
RUNTIME(cudaGraphMemsetNodeGetParams)(graph_node* n, fill_parameters* p) {
    return graph_call("cudaGraphMemsetNodeGetParams", [&](session&) {
        check_node(n, node_kind::fill);
        value_at(p) = n->what.fill;
    });
}
RUNTIME(cudaGraphMemsetNodeSetParams)(graph_node* n, const fill_parameters* p) {
    return graph_call("cudaGraphMemsetNodeSetParams",
                      [&](session& s) { change_node(n, fill_operation(s, value_at(p))); });
}
RUNTIME(cudaGraphExecMemsetNodeSetParams)
(executable_graph* g, graph_node* n, const fill_parameters* p) {
    return graph_call("cudaGraphExecMemsetNodeSetParams",
                      [&](session& s) { change_node(s, g, n, fill_operation(s, value_at(p))); });
}
RUNTIME(cudaGraphHostNodeGetParams)(graph_node* n, host_parameters* p) {
    return graph_call("cudaGraphHostNodeGetParams", [&](session&) {
        check_node(n, node_kind::host);
        value_at(p) = n->what.host;
    });
}
RUNTIME(cudaGraphHostNodeSetParams)(graph_node* n, const host_parameters* p) {
    return graph_call("cudaGraphHostNodeSetParams",
                      [&](session&) { change_node(n, host_operation(value_at(p))); });
}
RUNTIME(cudaGraphExecHostNodeSetParams)
(executable_graph* g, graph_node* n, const host_parameters* p) {
    return graph_call("cudaGraphExecHostNodeSetParams",
                      [&](session& s) { change_node(s, g, n, host_operation(value_at(p))); });
}
RUNTIME(cudaGraphExecEventRecordNodeSetEvent)(executable_graph* g, graph_node* n, void* event) {
    return graph_call("cudaGraphExecEventRecordNodeSetEvent",
                      [&](session& s) { change_node(s, g, n, record_operation(&s.event(event))); });
}
RUNTIME(cudaGraphExecEventWaitNodeSetEvent)(executable_graph* g, graph_node* n, void* event) {
    return graph_call("cudaGraphExecEventWaitNodeSetEvent",
                      [&](session& s) { change_node(s, g, n, event_wait(&s.event(event))); });
}
RUNTIME(cudaGraphEventRecordNodeGetEvent)(graph_node* n, simtlm::device::event** to) {
    return graph_call("cudaGraphEventRecordNodeGetEvent", [&](session&) {
        check_node(n, node_kind::record_event);
        value_at(to) = n->what.event;
    });
}
RUNTIME(cudaGraphEventRecordNodeSetEvent)(graph_node* n, void* event) {
    return graph_call("cudaGraphEventRecordNodeSetEvent",
                      [&](session& s) { change_node(n, record_operation(&s.event(event))); });
}
RUNTIME(cudaGraphEventWaitNodeGetEvent)(graph_node* n, simtlm::device::event** to) {
    return graph_call("cudaGraphEventWaitNodeGetEvent", [&](session&) {
        check_node(n, node_kind::wait_event);
        value_at(to) = n->what.event;
    });
}
RUNTIME(cudaGraphEventWaitNodeSetEvent)(graph_node* n, void* event) {
    return graph_call("cudaGraphEventWaitNodeSetEvent",
                      [&](session& s) { change_node(n, event_wait(&s.event(event))); });
}
RUNTIME(cudaGraphChildGraphNodeGetGraph)(graph_node* n, graph** to) {
    return graph_call("cudaGraphChildGraphNodeGetGraph", [&](session& s) {
        check_node(n, node_kind::graph);
        value_at(to) = graph_store::of(s).add(n->what.child);
    });
}
RUNTIME(cudaGraphExecChildGraphNodeSetParams)(executable_graph* g, graph_node* n, graph* child) {
    return graph_call("cudaGraphExecChildGraphNodeSetParams", [&](session& s) {
        operation o;
        o.kind = node_kind::graph;
        o.child = graph_store::of(s).get(child)->clone_for_node();
        change_node(s, g, n, std::move(o));
    });
}
RUNTIME(cudaGraphNodeSetEnabled)(executable_graph* g, graph_node* n, unsigned enabled) {
    return graph_call("cudaGraphNodeSetEnabled", [&](session& s) {
        require_pointer(n);
        graph_node* const mine = graph_store::of(s).get(g).what->find(n->number);
        require_pointer(mine);
        mine->enabled = enabled != 0;
    });
}
RUNTIME(cudaGraphNodeGetEnabled)(executable_graph* g, graph_node* n, unsigned* enabled) {
    return graph_call("cudaGraphNodeGetEnabled", [&](session& s) {
        require_pointer(n);
        graph_node* const mine = graph_store::of(s).get(g).what->find(n->number);
        require_pointer(mine);
        value_at(enabled) = mine->enabled ? 1 : 0;
    });
}
