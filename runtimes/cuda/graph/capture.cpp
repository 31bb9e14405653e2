// SPDX-License-Identifier: Apache-2.0
// Capture of streams into graphs.
#include "runtimes/cuda/graph/capture.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/graph/node_parameters.h"
#include "runtimes/cuda/session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace simtlm::cuda {

namespace {

void begin_capture(session& s, device::stream& stream, int mode,
                   std::shared_ptr<graph> into = nullptr, std::vector<graph_node*> after = {}) {
    require(!stream.legacy, status::capture_unsupported,
            "the legacy default stream cannot be captured");
    require(mode >= 0 && mode <= 2, status::invalid_value, "unknown capture mode");
    const auto lock = s.captures.lock();
    require(!s.captures.of(stream), status::illegal_state, "the stream is being captured");
    auto c = std::make_shared<capture>();
    c->what = into != nullptr ? std::move(into) : std::make_shared<graph>();
    c->origin = &stream;
    c->mode = mode;
    c->thread = std::this_thread::get_id();
    c->id = s.captures.new_id();
    c->tails[&stream] = std::move(after);
    s.captures.set(stream, c);
}

std::shared_ptr<graph> end_capture(session& s, device::stream& stream) {
    const auto lock = s.captures.lock();
    const auto c = s.captures.of(stream);
    require(c != nullptr, status::illegal_state, "the stream is not being captured");
    require(c->origin == &stream, status::capture_unmatched, "the capture began in another stream");
    // All forked streams must have been joined.
    bool joined = true;
    const std::vector<graph_node*>& end = c->tails[&stream];
    for (const auto& [other, tail] : c->tails) {
        if (other == &stream) continue;
        for (graph_node* n : tail)
            joined &= !n->before.empty() || std::find(end.begin(), end.end(), n) != end.end();
    }
    s.captures.end(c);
    require(!c->invalid, status::capture_invalidated, "the capture is invalidated");
    require(joined, status::capture_unjoined, "a stream was not joined to the capture");
    return c->what;
}

}  // namespace

GRAPH_CALL(cuStreamBeginCapture, session& s, void* stream) {
    begin_capture(s, s.stream(stream), 0);
}

std::shared_ptr<capture> capture_table::of(const device::stream& stream) const {
    const auto held = lock();
    const auto at = streams_.find(&stream);
    return at == streams_.end() ? nullptr : at->second;
}

std::shared_ptr<capture> capture_table::of(const device::event& e) const {
    const auto held = lock();
    const auto at = events_.find(&e);
    return at == events_.end() ? nullptr : at->second;
}

void capture_table::set(const device::stream& stream, std::shared_ptr<capture> c) {
    const auto held = lock();
    if (c != nullptr)
        streams_[&stream] = std::move(c);
    else
        streams_.erase(&stream);
}

void capture_table::set(const device::event& e, std::shared_ptr<capture> c) {
    const auto held = lock();
    if (c != nullptr)
        events_[&e] = std::move(c);
    else
        events_.erase(&e);
}

void capture_table::end(const std::shared_ptr<capture>& c) {
    const auto held = lock();
    const auto erase_from = [&](auto& all) {
        for (auto i = all.begin(); i != all.end();)
            i = i->second == c ? all.erase(i) : std::next(i);
    };
    erase_from(streams_);
    erase_from(events_);
}

std::shared_ptr<capture> valid_capture_of(session& s, const device::stream& stream) {
    auto c = s.captures.of(stream);
    require(!c || !c->invalid, status::capture_invalidated, "the capture is invalidated");
    return c;
}

device::task_ptr enqueue(session& s, device::stream& stream, operation what) {
    {
        const auto lock = s.captures.lock();
        if (const auto c = valid_capture_of(s, stream)) {
            std::vector<graph_node*>& tail = c->tails[&stream];
            std::vector<edge_data>& edges = c->tail_edges[&stream];
            edges.resize(tail.size());
            // The launch attribute becomes an edge from the previous kernel.
            if (what.programmatic && tail.size() == 1 &&
                tail.front()->what.kind == node_kind::kernel)
                edges.front() = {edge_data::programmatic_launch, 0, 1, {}};
            tail = {c->what->add(std::move(what), tail, edges)};
            edges.clear();
            return nullptr;
        }
        refuse_implicit_dependency(s, stream);
    }
    device::task_ptr t = what.make(s);
    s.work().submit(stream, t);
    return t;
}

void invalidate(capture& c, status code, const char* why) {
    c.invalid = true;
    throw failure(code, why);
}

namespace {

/// Invalidates all captures with a property; a failure if there are any.
template <class Applies>
void refuse_if(session& s, status code, const char* why, Applies applies) {
    require(!s.captures.invalidate_if(applies), code, why);
}

}  // namespace

void refuse_during_capture(session& s) {
    constexpr int global = 0, relaxed = 2;
    const int mine = session::thread().capture_mode;
    if (mine == relaxed) return;
    refuse_if(s, status::capture_unsupported, "not permitted while a stream is being captured",
              [mine](const device::stream&, const capture& c) {
                  if (c.mode == relaxed) return false;
                  return c.thread == std::this_thread::get_id() ||
                         (mine == global && c.mode == global);
              });
}

void refuse_waiting_for_captured(session& s, const device::stream& stream) {
    refuse_if(s, status::capture_unsupported, "the stream is being captured",
              [&](const device::stream& other, const capture&) { return &other == &stream; });
    refuse_implicit_dependency(s, stream);
}

void refuse_waiting_for_captured_device(session& s, unsigned device) {
    refuse_if(s, status::capture_unsupported, "a stream of the device is being captured",
              [=](const device::stream& other, const capture&) { return other.device == device; });
}

void refuse_implicit_dependency(session& s, const device::stream& stream) {
    if (!stream.legacy) return;
    refuse_if(s, status::capture_implicit,
              "the legacy default stream depends on a stream that is captured",
              [&](const device::stream& other, const capture&) {
                  return other.blocking && other.device == stream.device;
              });
}

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
    device::stream& one = s.stream(stream);
    begin_capture(s, one, mode, s.graphs.share(g), {after, after + count});
    if (edges != nullptr) s.captures.of(one)->tail_edges[&one].assign(edges, edges + count);
}
GRAPH_CALL(cudaStreamEndCapture, session& s, void* stream, graph** to) {
    // The program may own the graph already (cudaStreamBeginCaptureToGraph).
    device::stream& one = s.stream(stream);
    const auto c = s.captures.of(one);
    require(to != nullptr || (c != nullptr && s.graphs.contains(c->what.get())),
            status::invalid_value, "a null pointer");
    if (to != nullptr) *to = nullptr;
    graph* const captured = s.graphs.insert(end_capture(s, one));
    if (to != nullptr) *to = captured;
}
GRAPH_CALL_AS(cudaStreamGetCaptureInfo_v3, "cudaStreamGetCaptureInfo", session& s, void* stream,
              int* state, unsigned long long* id, graph** g, graph_node*** tail, edge_data** edges,
              std::size_t* count) {
    require_pointer(state);
    if (edges != nullptr) *edges = nullptr;
    device::stream& one = s.stream(stream);
    const auto c = s.captures.of(one);
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
    if (g != nullptr) *g = s.graphs.insert(c->what);
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
    device::stream& one = s.stream(stream);
    const auto c = s.captures.of(one);
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

}  // namespace simtlm::cuda
