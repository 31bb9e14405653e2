// SPDX-License-Identifier: Apache-2.0
// Driver API: streams and events.
#include "runtimes/cuda/driver_api.h"

using namespace simtlm::cuda;

RUNTIME(cuStreamCreate)(simtlm::device::stream** to, unsigned flags) {
    return driver_call("cuStreamCreate", [&](session& s) {
        require_pointer(to);
        require(flags <= 1, status::invalid_value, "unknown flags");
        *to = s.create_stream(flags == 0, 0, flags);
    });
}
RUNTIME(cuStreamCreateWithPriority)(simtlm::device::stream** to, unsigned flags, int priority) {
    return driver_call("cuStreamCreateWithPriority", [&](session& s) {
        require_pointer(to);
        require(flags <= 1, status::invalid_value, "unknown flags");
        *to = s.create_stream(flags == 0, priority, flags);
    });
}
RUNTIME(cuStreamDestroy)(void* stream) {
    return driver_call("cuStreamDestroy", [&](session& s) { destroy_stream(s, s.stream(stream)); });
}
RUNTIME(cuStreamSynchronize)(void* stream) {
    return driver_call("cuStreamSynchronize", [&](session& s) {
        simtlm::device::stream& one = s.stream(stream);
        refuse_waiting_for_captured(s, one);
        const status r = status_of(s.work().wait(one));
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuStreamQuery)(void* stream) {
    return call<library_kind::driver>("cuStreamQuery", after_fault::refused, [&](session& s) {
        simtlm::device::stream& one = s.stream(stream);
        refuse_waiting_for_captured(s, one);
        return s.work().poll(one) ? status_of(s.work().fault(one.device)) : status::not_ready;
    });
}
RUNTIME(cuStreamWaitEvent)(void* stream, void* event, unsigned) {
    return driver_call("cuStreamWaitEvent",
                       [&](session& s) { wait_event(s, s.stream(stream), s.event(event)); });
}
RUNTIME(cuStreamAddCallback)
(void* stream, void (*act)(void*, result, void*), void* data, unsigned) {
    return driver_call("cuStreamAddCallback",
                       [&](session& s) { add_callback(s, s.stream(stream), stream, act, data); });
}
RUNTIME(cuEventCreate)(simtlm::device::event** to, unsigned flags) {
    return driver_call("cuEventCreate", [&](session& s) {
        require_pointer(to);
        check_event_flags(flags);
        *to = s.create_event(flags);
    });
}
RUNTIME(cuEventDestroy)(void* event) {
    return driver_call("cuEventDestroy", [&](session& s) { s.destroy_event(&s.event(event)); });
}
RUNTIME(cuEventRecord)(void* event, void* stream) {
    return driver_call("cuEventRecord",
                       [&](session& s) { record_event(s, s.event(event), s.stream(stream)); });
}
RUNTIME(cuEventQuery)(void* event) {
    return call<library_kind::driver>("cuEventQuery", after_fault::refused, [&](session& s) {
        return is_done(s, s.event(event)) ? status::success : status::not_ready;
    });
}
RUNTIME(cuEventSynchronize)(void* event) {
    return driver_call("cuEventSynchronize", [&](session& s) { wait_for(s, s.event(event)); });
}
RUNTIME(cuEventElapsedTime)(float* to, void* from, void* until) {
    return driver_call("cuEventElapsedTime", [&](session& s) {
        require_pointer(to);
        *to = milliseconds(s, s.event(from), s.event(until));
    });
}
RUNTIME(cuProfilerStart)() {
    return 0;
}
RUNTIME(cuProfilerStop)() {
    return 0;
}
