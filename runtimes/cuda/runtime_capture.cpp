// SPDX-License-Identifier: Apache-2.0
// Runtime API: capture of streams into graphs.
#include "runtimes/cuda/runtime_graph.h"

#include <algorithm>

using namespace simtlm::cuda;

GRAPH_CALL(cudaStreamBeginCapture, session& s, void* stream, int mode) {
    begin_capture(s, s.stream(stream), mode);
}
GRAPH_CALL(cudaStreamBeginCaptureToGraph, session& s, void* stream, graph* g, nodes after,
           const edge_data* edges, std::size_t count, int mode) {
    require(g != nullptr && (count == 0 || after != nullptr), status::invalid_value,
            "no graph or dependencies");
    for (std::size_t i = 0; i < count; ++i)
        require(after[i] != nullptr && after[i]->owner == g, status::invalid_value,
                "a node of a different graph");
    simtlm::device::stream& one = s.stream(stream);
    begin_capture(s, one, mode, graph_store::of(s).get(g), {after, after + count});
    if (edges != nullptr) capture_of(s, one)->tail_edges[&one].assign(edges, edges + count);
}
GRAPH_CALL(cudaStreamEndCapture, session& s, void* stream, graph** to) {
    // The program may own the graph already (cudaStreamBeginCaptureToGraph).
    simtlm::device::stream& one = s.stream(stream);
    const auto c = capture_of(s, one);
    require(to != nullptr || (c != nullptr && graph_store::of(s).holds(c->what.get())),
            status::invalid_value, "a null pointer");
    if (to != nullptr) *to = nullptr;
    graph* const captured = graph_store::of(s).add(end_capture(s, one));
    if (to != nullptr) *to = captured;
}
GRAPH_CALL(cudaStreamIsCapturing, session& s, void* stream, int* state) {
    require_pointer(state);
    const auto c = capture_of(s, s.stream(stream));
    *state = !c ? 0 : c->invalid ? 2 : 1;
}
GRAPH_CALL_AS(cudaStreamGetCaptureInfo_v3, "cudaStreamGetCaptureInfo", session& s, void* stream,
              int* state, unsigned long long* id, graph** g, graph_node*** tail, edge_data** edges,
              std::size_t* count) {
    require_pointer(state);
    if (edges != nullptr) *edges = nullptr;
    simtlm::device::stream& one = s.stream(stream);
    const auto c = capture_of(s, one);
    *state = !c ? 0 : c->invalid ? 2 : 1;
    if (!c) return;
    const std::vector<graph_node*>& nodes_of_tail = c->tails[&one];
    std::vector<edge_data>& all = c->tail_edges[&one];
    all.resize(nodes_of_tail.size());
    require(
        edges != nullptr || tail == nullptr ||
            std::all_of(all.begin(), all.end(), [](const edge_data& e) { return e.is_default(); }),
        status::lossy_query, "the edges have data, which this query does not return");
    if (id != nullptr) *id = c->id;
    if (g != nullptr) *g = graph_store::of(s).add(c->what);
    if (tail != nullptr) *tail = c->tails[&one].data();
    if (edges != nullptr) *edges = all.data();
    if (count != nullptr) *count = nodes_of_tail.size();
}
GRAPH_CALL_AS(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v3_call::name, session& s,
              void* stream, int* state, unsigned long long* id, graph** g, graph_node*** tail,
              std::size_t* count) {
    cudaStreamGetCaptureInfo_v3_call::run(s, stream, state, id, g, tail, nullptr, count);
}
GRAPH_CALL_AS(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2_call::name, session& s,
              void* stream, int* state, unsigned long long* id) {
    cudaStreamGetCaptureInfo_v2_call::run(s, stream, state, id, nullptr, nullptr, nullptr);
}
GRAPH_CALL_AS(cudaStreamUpdateCaptureDependencies_v2, "cudaStreamUpdateCaptureDependencies",
              session& s, void* stream, graph_node** nodes_of_tail, const edge_data* edges,
              std::size_t count, unsigned flags) {
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
}
GRAPH_CALL_AS(cudaStreamUpdateCaptureDependencies,
              cudaStreamUpdateCaptureDependencies_v2_call::name, session& s, void* stream,
              graph_node** nodes_of_tail, std::size_t count, unsigned flags) {
    cudaStreamUpdateCaptureDependencies_v2_call::run(s, stream, nodes_of_tail, nullptr, count,
                                                     flags);
}
CALL(cudaThreadExchangeStreamCaptureMode, session&, int* mode) {
    require_pointer(mode);
    std::swap(*mode, session::thread().capture_mode);
}
