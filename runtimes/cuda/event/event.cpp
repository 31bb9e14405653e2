// SPDX-License-Identifier: Apache-2.0
// Events.
#include "runtimes/cuda/event/event.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/stream/stream.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

void record_event(session& s, device::event& e, device::stream& stream) {
    {
        const auto lock = s.captures.lock();
        const auto c = valid_capture_of(s, stream);
        s.captures.set(e, c);
        if (c) {
            c->events[&e] = c->tails[&stream];
            return;
        }
    }
    enqueue(s, stream, record_operation(&e));
}

namespace {

device::event* create_event(session& s, unsigned flags) {
    constexpr unsigned no_timing = 2, between_processes = 4, all = 7;
    require(flags <= all && ((flags & between_processes) == 0 || (flags & no_timing) != 0),
            status::invalid_value, "unknown flags, or an event of several processes with timing");
    auto e = std::make_unique<device::event>();
    e->device = s.current_device();
    e->flags = flags;
    return s.events.insert(std::move(e));
}

/// Makes a captured stream depend on an event that was recorded in a capture.
void wait_in_capture(session& s, const device::stream& stream, const device::event& e,
                     const std::shared_ptr<capture>& c) {
    const auto mine = valid_capture_of(s, stream);
    require(!c->invalid, status::capture_invalidated, "the capture is invalidated");
    if (mine && mine != c) {
        mine->invalid = true;
        invalidate(*c, status::capture_merge, "an event of a different capture");
    }
    std::vector<graph_node*>& tail = c->tails[&stream];
    for (graph_node* n : c->events[&e])
        if (std::find(tail.begin(), tail.end(), n) == tail.end()) tail.push_back(n);
    s.captures.set(stream, c);
}

/// Events that were recorded in a capture cannot be waited for.
void refuse_captured(session& s, const device::event& e) {
    const auto lock = s.captures.lock();
    if (const auto c = s.captures.of(e)) invalidate(*c, status::captured_event, "a captured event");
}

}  // namespace

CALL(cudaStreamWaitEvent, session& s, void* handle, void* event, unsigned) {
    device::stream& stream = s.stream(handle);
    device::event& e = s.event(event);
    {
        const auto lock = s.captures.lock();
        if (const auto c = s.captures.of(e)) return wait_in_capture(s, stream, e, c);
        if (const auto mine = valid_capture_of(s, stream))
            invalidate(*mine, status::capture_isolation,
                       "a captured stream cannot wait for an event outside of the capture");
        refuse_implicit_dependency(s, stream);
    }
    if (e.recorded) s.work().mark(stream, {e.recorded});
}
CALL(cudaEventCreate, session& s, device::event** to) {
    require_pointer(to);
    *to = create_event(s, 0);
}
CALL(cudaEventCreateWithFlags, session& s, device::event** to, unsigned flags) {
    require_pointer(to);
    *to = create_event(s, flags);
}
CALL(cudaEventDestroy, session& s, void* event) {
    s.events.erase(event);
}
CALL(cudaEventRecord, session& s, void* event, void* stream) {
    record_event(s, s.event(event), s.stream(stream));
}
CALL(cudaEventRecordWithFlags, session& s, void* event, void* stream, unsigned) {
    record_event(s, s.event(event), s.stream(stream));
}
QUERY(cudaEventQuery, session& s, void* event) {
    device::event& e = s.event(event);
    refuse_captured(s, e);
    refuse_during_capture(s);
    return !e.recorded || s.work().poll(e.recorded) ? status::success : status::not_ready;
}
CALL(cudaEventSynchronize, session& s, void* event) {
    device::event& e = s.event(event);
    refuse_captured(s, e);
    finish(s, e.recorded);
}
/// In milliseconds.
CALL(cudaEventElapsedTime, session& s, float* to, void* begin, void* end) {
    require_pointer(to);
    const device::event &from = s.event(begin), &until = s.event(end);
    require((from.flags & 2) == 0 && (until.flags & 2) == 0, status::invalid_handle,
            "an event without timing");
    require(from.recorded && until.recorded, status::invalid_handle, "the event was not recorded");
    require(s.work().poll(from.recorded) && s.work().poll(until.recorded), status::not_ready,
            "the event has not completed");
    *to = static_cast<float>((static_cast<double>(until.recorded->finished_at) -
                              static_cast<double>(from.recorded->finished_at)) *
                             1e-9);
}
CALL(cudaIpcGetEventHandle, session& s, void* handle, void* event) {
    require_pointer(handle);
    s.event(event);
    std::memset(handle, 0, 64);
    std::memcpy(handle, &event, sizeof event);
}

}  // namespace simtlm::cuda
