// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/status.h"
#include "runtimes/cuda/graph/graph.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace simtlm::cuda {

/// A capture in progress, of one or several streams.
struct capture {
    std::shared_ptr<graph> what;
    const device::stream* origin = nullptr;
    std::thread::id thread;  ///< that has begun it
    int mode = 0;            ///< cudaStreamCaptureMode
    std::uint64_t id = 0;
    bool invalid = false;
    /// By stream: the nodes after which its next operation begins.
    std::unordered_map<const device::stream*, std::vector<graph_node*>> tails;
    /// Edges of these nodes to the next operation; missing ones are default
    /// (cudaStreamUpdateCaptureDependencies).
    std::unordered_map<const device::stream*, std::vector<edge_data>> tail_edges;
    std::unordered_map<const device::event*, std::vector<graph_node*>> events;
};

/// The captures in progress, by the streams that take part in them and the events recorded in them.
/// Thread-safe.
class capture_table {
public:
    /// To be held while graphs and captures are read or changed; recursive.
    std::unique_lock<std::recursive_mutex> lock() const { return std::unique_lock(mutex_); }

    /// The capture of a stream or event, or nullptr.
    std::shared_ptr<capture> of(const device::stream& stream) const;
    std::shared_ptr<capture> of(const device::event& e) const;
    /// @param c  nullptr: the stream or event is in no capture any more
    void set(const device::stream& stream, std::shared_ptr<capture> c);
    void set(const device::event& e, std::shared_ptr<capture> c);
    /// The number of a new capture, never reused. @pre lock()
    std::uint64_t new_id() { return ++last_id_; }
    /// Ends a capture for all its streams and events.
    void end(const std::shared_ptr<capture>& c);
    /// Invalidates all captures for a stream of which `applies(stream, capture)`.
    /// @return whether there are any
    template <class Applies>
    bool invalidate_if(Applies&& applies) {
        const auto held = lock();
        bool any = false;
        for (auto& [stream, c] : streams_)
            if (applies(*stream, *c)) any = c->invalid = true;
        return any;
    }

private:
    mutable std::recursive_mutex mutex_;
    std::uint64_t last_id_ = 0;
    std::unordered_map<const device::stream*, std::shared_ptr<capture>> streams_;
    std::unordered_map<const device::event*, std::shared_ptr<capture>> events_;
};

/// The capture of a stream for a call that adds to it, or nullptr. @throws failure  if it is
/// invalid
std::shared_ptr<capture> valid_capture_of(session& s, const device::stream& stream);

// Calls that are not permitted during a capture throw a failure and invalidate the capture:
/// calls that may have side effects on a capture (allocations, among others), in threads whose
/// capture mode does not permit them.
void refuse_during_capture(session& s);
/// calls that wait for a stream, or for its state.
void refuse_waiting_for_captured(session& s, const device::stream& stream);
/// calls that wait for all streams of a device.
void refuse_waiting_for_captured_device(session& s, unsigned device);
/// operations of the legacy default stream, which blocking streams depend on.
void refuse_implicit_dependency(session& s, const device::stream& stream);
/// Invalidates a capture because of a call, and throws a failure.
[[noreturn]] void invalidate(capture& c, status code, const char* why);

}  // namespace simtlm::cuda
