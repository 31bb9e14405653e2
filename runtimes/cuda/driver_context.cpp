// SPDX-License-Identifier: Apache-2.0
// Driver API: devices and contexts.
#include "runtimes/cuda/driver_api.h"

#include <memory>

using namespace simtlm::cuda;

namespace {

/// Makes a context current, and with it its device.
void make_current(context* c) {
    if (c != nullptr) session::thread().device = c->device;
}

void check_context(session& s, context* c) {
    require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
}

}  // namespace

// ---- devices ----

CALL(cuDeviceGet, session& s, int* device, int ordinal) {
    require_pointer(device);
    check_device(s, ordinal);
    *device = ordinal;
}
CALL(cuDeviceGetName, session& s, char* to, int bytes, int device) {
    require_pointer(to);
    std::snprintf(to, static_cast<std::size_t>(bytes), "%s", properties_of(s, device).name);
}
CALL(cuDeviceGetUuid, session& s, uuid* to, int device) {
    require_pointer(to);
    *to = properties_of(s, device).id;
}
CALL(cuDeviceTotalMem, session& s, std::size_t* bytes, int device) {
    require_pointer(bytes);
    *bytes = properties_of(s, device).global_bytes;
}
CALL(cuDeviceComputeCapability, session& s, int* major, int* minor, int device) {
    require_pointer(major, minor);
    *major = properties_of(s, device).major;
    *minor = properties_of(s, device).minor;
}

// ---- contexts ----

CALL(cuCtxCreate, session& s, context** to, unsigned flags, int device) {
    require_pointer(to);
    check_device(s, device);
    *to = s.add_context(static_cast<unsigned>(device), flags);
    session::thread().contexts.push_back(*to);
    make_current(*to);
}
/// Version of CUDA 13, with parameters.
CALL_AS(cuCtxCreate_v4, cuCtxCreate_call::name, session& s, context** to, void*, unsigned flags,
        int device) {
    cuCtxCreate_call::run(s, to, flags, device);
}
CALL_AS(cuCtxCreate_v3, cuCtxCreate_call::name, session& s, context** to, void*, int,
        unsigned flags, int device) {
    cuCtxCreate_call::run(s, to, flags, device);
}
/// Deprecated reference counting of contexts.
CALL(cuCtxAttach, session& s, context** to, unsigned) {
    require_pointer(to);
    *to = s.current_context();
    require(*to != nullptr, status::invalid_context, "no current context");
    ++(*to)->references;
}
CALL(cuCtxDetach, session& s, context* c) {
    check_context(s, c);
    if (c->references > 0) --c->references;
}
CALL(cuCtxDestroy, session& s, context* c) {
    check_context(s, c);
    s.work().wait_all(c->device);
    auto& stack = session::thread().contexts;
    stack.erase(std::remove(stack.begin(), stack.end(), c), stack.end());
    s.remove_context(c);
}
CALL(cuCtxGetCurrent, session& s, context** to) {
    require_pointer(to);
    *to = s.current_context();
}
CALL(cuCtxSetCurrent, session& s, context* c) {
    auto& stack = session::thread().contexts;
    if (!stack.empty()) stack.pop_back();
    session::thread().uses_runtime = false;  // until the next runtime call
    if (c == nullptr) return;
    check_context(s, c);
    stack.push_back(c);
    make_current(c);
}
CALL(cuCtxPushCurrent, session& s, context* c) {
    check_context(s, c);
    s.current_context();  // keeps the primary context at the bottom of the stack
    session::thread().contexts.push_back(c);
    make_current(c);
}
CALL(cuCtxPopCurrent, session& s, context** to) {
    require(s.current_context() != nullptr, status::invalid_context, "no current context");
    auto& stack = session::thread().contexts;
    if (to != nullptr) *to = stack.back();
    stack.pop_back();
    session::thread().uses_runtime = false;
    make_current(s.current_context());
}
CALL(cuCtxGetDevice, session& s, int* device) {
    require_pointer(device);
    const context* const c = s.current_context();
    require(c != nullptr, status::invalid_context, "no current context");
    *device = static_cast<int>(c->device);
}
CALL(cuCtxGetFlags, session& s, unsigned* flags) {
    require_pointer(flags);
    const context* const c = s.current_context();
    require(c != nullptr, status::invalid_context, "no current context");
    *flags = c->flags;
}
CALL(cuCtxGetApiVersion, session&, context*, unsigned* version) {
    require_pointer(version);
    *version = 3020;
}
CALL(cuCtxSynchronize_v2, session& s, context* c) {
    if (c == nullptr) c = s.current_context();
    check_context(s, c);
    refuse_waiting_for_captured_device(s, c->device);
    const status r = status_of(s.work().wait_all(c->device));
    if (r != status::success) throw failure(r, "a GPU has failed");
}
CALL(cuCtxGetDevice_v2, session& s, int* device, context* c) {
    require_pointer(device);
    if (c == nullptr) c = s.current_context();
    check_context(s, c);
    *device = static_cast<int>(c->device);
}
CALL(cuDevicePrimaryCtxRetain, session& s, context** to, int device) {
    require_pointer(to);
    check_device(s, device);
    *to = s.primary_context(static_cast<unsigned>(device));
    ++(*to)->references;
}
CALL(cuDevicePrimaryCtxRelease, session& s, int device) {
    check_device(s, device);
    context* const c = s.primary_context(static_cast<unsigned>(device));
    if (c->references > 0) --c->references;
}
CALL(cuDevicePrimaryCtxSetFlags, session& s, int device, unsigned flags) {
    check_device(s, device);
    s.primary_context(static_cast<unsigned>(device))->flags = flags;
}
CALL(cuDevicePrimaryCtxGetState, session& s, int device, unsigned* flags, int* active) {
    require_pointer(flags, active);
    check_device(s, device);
    context* const c = s.primary_context(static_cast<unsigned>(device));
    *flags = c->flags;
    *active = c->references > 0 ? 1 : 0;
}
CALL(cuDevicePrimaryCtxReset, session& s, int device) {
    check_device(s, device);
    s.reset_device(static_cast<unsigned>(device));
}
