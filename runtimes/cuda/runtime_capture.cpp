// SPDX-License-Identifier: Apache-2.0
// Runtime API: capture of streams into graphs.
#include "runtimes/cuda/runtime_graph.h"

#include <algorithm>

using namespace simtlm::cuda;

RUNTIME(cudaStreamBeginCapture)(void* stream, int mode) {
    return graph_call("cudaStreamBeginCapture",
                      [&](session& s) { begin_capture(s, s.stream(stream), mode); });
}
RUNTIME(cudaStreamBeginCaptureToGraph)
(void* stream, graph* g, nodes after, const edge_data* edges, std::size_t count, int mode) {
    return graph_call("cudaStreamBeginCaptureToGraph", [&](session& s) {
        require(g != nullptr && (count == 0 || after != nullptr), status::invalid_value,
                "no graph or dependencies");
        for (std::size_t i = 0; i < count; ++i)
            require(after[i] != nullptr && after[i]->owner == g, status::invalid_value,
                    "a node of a different graph");
        simtlm::device::stream& one = s.stream(stream);
        begin_capture(s, one, mode, graph_store::of(s).get(g), {after, after + count});
        if (edges != nullptr) capture_of(s, one)->tail_edges[&one].assign(edges, edges + count);
    });
}
RUNTIME(cudaStreamEndCapture)(void* stream, graph** to) {
    return graph_call("cudaStreamEndCapture", [&](session& s) {
        // The program may own the graph already (cudaStreamBeginCaptureToGraph).
        simtlm::device::stream& one = s.stream(stream);
        const auto c = capture_of(s, one);
        require(to != nullptr || (c != nullptr && graph_store::of(s).holds(c->what.get())),
                status::invalid_value, "a null pointer");
        if (to != nullptr) *to = nullptr;
        graph* const captured = graph_store::of(s).add(end_capture(s, one));
        if (to != nullptr) *to = captured;
    });
}
RUNTIME(cudaStreamIsCapturing)(void* stream, int* state) {
    return graph_call("cudaStreamIsCapturing", [&](session& s) {
        require_pointer(state);
        const auto c = capture_of(s, s.stream(stream));
        *state = !c ? 0 : c->invalid ? 2 : 1;
    });
}
RUNTIME(cudaStreamGetCaptureInfo_v3)
(void* stream, int* state, unsigned long long* id, graph** g, graph_node*** tail, edge_data** edges,
 std::size_t* count) {
    return graph_call("cudaStreamGetCaptureInfo", [&](session& s) {
        require_pointer(state);
        if (edges != nullptr) *edges = nullptr;
        simtlm::device::stream& one = s.stream(stream);
        const auto c = capture_of(s, one);
        *state = !c ? 0 : c->invalid ? 2 : 1;
        if (!c) return;
        const std::vector<graph_node*>& nodes_of_tail = c->tails[&one];
        std::vector<edge_data>& all = c->tail_edges[&one];
        all.resize(nodes_of_tail.size());
        require(edges != nullptr || tail == nullptr ||
                    std::all_of(all.begin(), all.end(),
                                [](const edge_data& e) { return e.is_default(); }),
                status::lossy_query, "the edges have data, which this query does not return");
        if (id != nullptr) *id = c->id;
        if (g != nullptr) *g = graph_store::of(s).add(c->what);
        if (tail != nullptr) *tail = c->tails[&one].data();
        if (edges != nullptr) *edges = all.data();
        if (count != nullptr) *count = nodes_of_tail.size();
    });
}
RUNTIME(cudaStreamGetCaptureInfo_v2)
(void* stream, int* state, unsigned long long* id, graph** g, graph_node*** tail,
 std::size_t* count) {
    return simtlm_rt_cudaStreamGetCaptureInfo_v3(stream, state, id, g, tail, nullptr, count);
}
RUNTIME(cudaStreamGetCaptureInfo)(void* stream, int* state, unsigned long long* id) {
    return simtlm_rt_cudaStreamGetCaptureInfo_v2(stream, state, id, nullptr, nullptr, nullptr);
}
RUNTIME(cudaStreamUpdateCaptureDependencies_v2)
(void* stream, graph_node** nodes_of_tail, const edge_data* edges, std::size_t count,
 unsigned flags) {
    return graph_call("cudaStreamUpdateCaptureDependencies", [&](session& s) {
        simtlm::device::stream& one = s.stream(stream);
        const auto c = capture_of(s, one);
        require(c != nullptr, status::invalid_value, "the stream is not being captured");
        std::vector<graph_node*>& tail = c->tails[&one];
        std::vector<edge_data>& all = c->tail_edges[&one];
        constexpr unsigned replaces = 1;
        if (flags == replaces) tail.clear();
        all.resize(tail.size());
        tail.insert(tail.end(), nodes_of_tail, nodes_of_tail + count);
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(edges != nullptr ? edges[i] : edge_data());
    });
}
RUNTIME(cudaStreamUpdateCaptureDependencies)
(void* stream, graph_node** nodes_of_tail, std::size_t count, unsigned flags) {
    return simtlm_rt_cudaStreamUpdateCaptureDependencies_v2(stream, nodes_of_tail, nullptr, count,
                                                            flags);
}
RUNTIME(cudaThreadExchangeStreamCaptureMode)(int* mode) {
    return runtime_call("cudaThreadExchangeStreamCaptureMode", [&](session&) {
        require_pointer(mode);
        std::swap(*mode, session::thread().capture_mode);
    });
}
