// SPDX-License-Identifier: Apache-2.0
// Streams.
#include "runtimes/cuda/stream/stream.h"

#include "runtimes/cuda/abi/call.h"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace simtlm::cuda {

void require_success(device::status outcome) {
    if (outcome != device::status::success) throw failure(status_of(outcome), "a GPU has failed");
}

void finish(session& s, const device::task_ptr& t) {
    if (!t) return;
    require_success(s.work().wait(t));
    require_success(s.work().fault(t->device));
}

namespace {

device::stream* create_stream(session& s, unsigned flags, int priority) {
    require(flags <= 1, status::invalid_value, "unknown flags");
    return s.work().create_stream(s.current_device(), flags == 0, std::clamp(priority, -5, 0),
                                  flags);
}

}  // namespace

CALL(cudaDeviceGetStreamPriorityRange, session&, int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
}
CALL(cudaStreamCreate, session& s, device::stream** to) {
    require_pointer(to);
    *to = create_stream(s, 0, 0);
}
CALL(cudaStreamCreateWithFlags, session& s, device::stream** to, unsigned flags) {
    require_pointer(to);
    *to = create_stream(s, flags, 0);
}
CALL(cudaStreamCreateWithPriority, session& s, device::stream** to, unsigned flags, int priority) {
    require_pointer(to);
    *to = create_stream(s, flags, priority);
}
CALL(cudaStreamDestroy, session& s, void* handle) {
    require(reinterpret_cast<std::uintptr_t>(handle) > 2, status::invalid_handle,
            "the default stream cannot be destroyed");
    device::stream& stream = s.stream(handle);
    require(!stream.legacy, status::invalid_handle, "the default stream cannot be destroyed");
    const auto lock = s.captures.lock();
    s.captures.set(stream, nullptr);
    s.work().destroy_stream(&stream);
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
    device::stream& one = s.stream(stream);
    refuse_waiting_for_captured(s, one);
    require_success(s.work().wait(one));
}
QUERY(cudaStreamQuery, session& s, void* stream) {
    device::stream& one = s.stream(stream);
    refuse_waiting_for_captured(s, one);
    return s.work().poll(one) ? status_of(s.work().fault(one.device)) : status::not_ready;
}
CALL(cudaStreamAddCallback, session& s, void* handle, void (*act)(void*, result, void*), void* data,
     unsigned) {
    device::stream& stream = s.stream(handle);
    require(act != nullptr, status::invalid_value, "no function is given");
    if (const auto c = valid_capture_of(s, stream))
        invalidate(*c, status::capture_unsupported, "callbacks cannot be captured");
    refuse_implicit_dependency(s, stream);
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::host_call;
    t->even_after_fault = true;
    const unsigned on = stream.device;
    t->effect = [&s, handle, act, data, on] {
        act(handle, static_cast<result>(s.work().fault(on)), data);
    };
    s.work().submit(stream, t);
}
CALL(cudaStreamAttachMemAsync, session& s, void* stream, void*, std::size_t, unsigned) {
    s.stream(stream);
}
CALL(cuStreamGetCtx, session& s, void* stream, context** to) {
    require_pointer(to);
    *to = s.contexts.primary(s.stream(stream).device);
}
CALL(cuStreamGetCtx_v2, session& s, void* stream, context** to, void** green) {
    cuStreamGetCtx_call::run(s, stream, to);
    if (green != nullptr) *green = nullptr;
}
GRAPH_CALL(cudaStreamIsCapturing, session& s, void* stream, int* state) {
    require_pointer(state);
    const auto c = s.captures.of(s.stream(stream));
    *state = !c ? 0 : c->invalid ? 2 : 1;
}

}  // namespace simtlm::cuda
