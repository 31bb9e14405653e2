// SPDX-License-Identifier: Apache-2.0
// Runtime API: streams and events.
#include "runtimes/cuda/runtime_api.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace simtlm::cuda;

CALL(cudaStreamCreate, session& s, simtlm::device::stream** to) {
    require_pointer(to);
    *to = s.create_stream(true, 0, 0);
}
CALL(cudaStreamCreateWithFlags, session& s, simtlm::device::stream** to, unsigned flags) {
    require_pointer(to);
    require(flags <= 1, status::invalid_value, "unknown flags");
    *to = s.create_stream(flags == 0, 0, flags);
}
CALL(cudaStreamCreateWithPriority, session& s, simtlm::device::stream** to, unsigned flags,
     int priority) {
    require_pointer(to);
    require(flags <= 1, status::invalid_value, "unknown flags");
    *to = s.create_stream(flags == 0, priority, flags);
}
CALL(cudaStreamDestroy, session& s, void* stream) {
    require(reinterpret_cast<std::uintptr_t>(stream) > 2, status::invalid_handle,
            "the default stream cannot be destroyed");
    destroy_stream(s, s.stream(stream));
}
CALL(cudaStreamGetPriority, session& s, void* stream, int* priority) {
    require_pointer(priority);
    *priority = s.stream(stream).priority;
}
CALL(cudaStreamGetFlags, session& s, void* stream, unsigned* flags) {
    require_pointer(flags);
    *flags = s.stream(stream).flags;
}
CALL(cudaStreamGetId, session& s, void* stream, unsigned long long* id) {
    require_pointer(id);
    *id = s.stream(stream).number;
}
CALL(cudaStreamGetDevice, session& s, void* stream, int* device) {
    require_pointer(device);
    *device = static_cast<int>(s.stream(stream).device);
}
CALL(cudaStreamSynchronize, session& s, void* stream) {
    simtlm::device::stream& one = s.stream(stream);
    refuse_waiting_for_captured(s, one);
    const status r = status_of(s.work().wait(one));
    if (r != status::success) throw failure(r, "a GPU has failed");
}
QUERY(cudaStreamQuery, session& s, void* stream) {
    simtlm::device::stream& one = s.stream(stream);
    refuse_waiting_for_captured(s, one);
    return s.work().poll(one) ? status_of(s.work().fault(one.device)) : status::not_ready;
}
CALL(cudaStreamWaitEvent, session& s, void* stream, void* event, unsigned) {
    wait_event(s, s.stream(stream), s.event(event));
}
CALL(cudaStreamAddCallback, session& s, void* stream, void (*act)(void*, result, void*), void* data,
     unsigned) {
    add_callback(s, s.stream(stream), stream, act, data);
}
CALL(cudaLaunchHostFunc, session& s, void* stream, void (*act)(void*), void* data) {
    enqueue(s, s.stream(stream), host_operation({act, data}));
}

namespace {

/// Attributes of streams other than their priority (cudaLaunchAttributeID). They have no effect on
/// the simulation; programs can read them.
class stream_attributes {
public:
    enum id { access_window = 1, synchronization = 3, priority = 8, domain_map = 9, domain = 10 };
    struct value {
        unsigned char bytes[32] = {};
    };
    /// Size of a value. The union that contains it has become larger since CUDA 11.
    static constexpr std::size_t bytes_of(int id) {
        return id == access_window ? 32 : id == domain_map ? 2 : 4;
    }
    static stream_attributes& get() {
        static auto* const all = new stream_attributes;
        return *all;
    }
    value read(const simtlm::device::stream& stream, int id) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = values_.find({stream.number, id});
        if (at != values_.end()) return at->second;
        value v;
        if (id == synchronization) v.bytes[0] = 1;  // automatic
        if (id == domain_map) v.bytes[1] = 1;       // domain 0, and 1 for remote accesses
        return v;
    }
    void write(const simtlm::device::stream& stream, int id, const value& v) {
        const std::lock_guard<std::mutex> lock(mutex_);
        values_[{stream.number, id}] = v;
    }

private:
    std::mutex mutex_;
    /// By the number of the stream, which is never reused.
    std::map<std::pair<unsigned long long, int>, value> values_;
};

void check_stream_attribute(int id) {
    require(id == stream_attributes::access_window || id == stream_attributes::synchronization ||
                (id >= stream_attributes::priority && id <= stream_attributes::domain),
            status::invalid_value, "streams have no such attribute");
}

}  // namespace

CALL(cudaStreamCopyAttributes, session& s, void* to, void* from) {
    simtlm::device::stream& target = s.stream(to);
    const simtlm::device::stream& source = s.stream(from);
    target.priority = source.priority;
    stream_attributes& all = stream_attributes::get();
    for (const int id : {stream_attributes::access_window, stream_attributes::synchronization,
                         stream_attributes::domain_map, stream_attributes::domain})
        all.write(target, id, all.read(source, id));
}
CALL(cudaStreamGetAttribute, session& s, void* stream, int attribute, void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    const simtlm::device::stream& one = s.stream(stream);
    const auto v = stream_attributes::get().read(one, attribute);
    std::memcpy(value, v.bytes, stream_attributes::bytes_of(attribute));
    if (attribute == stream_attributes::priority)
        std::memcpy(value, &one.priority, sizeof one.priority);
}
CALL(cudaStreamSetAttribute, session& s, void* stream, int attribute, const void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    simtlm::device::stream& one = s.stream(stream);
    stream_attributes::value v;
    std::memcpy(v.bytes, value, stream_attributes::bytes_of(attribute));
    if (attribute == stream_attributes::synchronization)
        require(v.bytes[0] >= 1 && v.bytes[0] <= 4, status::invalid_value,
                "unknown synchronization policy");
    if (attribute == stream_attributes::priority)
        std::memcpy(&one.priority, value, sizeof one.priority);
    else
        stream_attributes::get().write(one, attribute, v);
}

// ---- events ----

CALL(cudaEventCreate, session& s, simtlm::device::event** to) {
    require_pointer(to);
    *to = s.create_event(0);
}
CALL(cudaEventCreateWithFlags, session& s, simtlm::device::event** to, unsigned flags) {
    require_pointer(to);
    check_event_flags(flags);
    *to = s.create_event(flags);
}
CALL(cudaEventDestroy, session& s, void* event) {
    s.destroy_event(&s.event(event));
}
CALL(cudaEventRecord, session& s, void* event, void* stream) {
    record_event(s, s.event(event), s.stream(stream));
}
CALL(cudaEventRecordWithFlags, session& s, void* event, void* stream, unsigned) {
    record_event(s, s.event(event), s.stream(stream));
}
QUERY(cudaEventQuery, session& s, void* event) {
    return is_done(s, s.event(event)) ? status::success : status::not_ready;
}
CALL(cudaEventSynchronize, session& s, void* event) {
    wait_for(s, s.event(event));
}
CALL(cudaEventElapsedTime, session& s, float* to, void* from, void* until) {
    require_pointer(to);
    *to = milliseconds(s, s.event(from), s.event(until));
}
