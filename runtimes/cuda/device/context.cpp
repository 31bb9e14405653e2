// SPDX-License-Identifier: Apache-2.0
// Contexts of the driver API.
#include "runtimes/cuda/device/context.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/stream/stream.h"

#include <algorithm>
#include <memory>

namespace simtlm::cuda {

void context::end() {
    for (const auto& [key, stored] : storage.clear())
        if (stored.at_end != nullptr) stored.at_end(this, key, stored.value);
}

context_table::context_table(unsigned devices) {
    for (unsigned d = 0; d < devices; ++d) {
        primary_.push_back(make(d, 0));
        primary_.back()->primary = true;
    }
}

std::unique_ptr<context> context_table::make(unsigned device, unsigned flags) {
    auto c = std::make_unique<context>();
    c->device = device;
    c->flags = flags;
    c->number = ++made_;
    return c;
}

bool context_table::knows(const context* c) const {
    return others_.contains(c) || std::any_of(primary_.begin(), primary_.end(),
                                              [&](const auto& p) { return p.get() == c; });
}

context* context_table::current() {
    thread_state& t = session::thread();
    if (t.contexts.empty() && t.uses_runtime) t.contexts.push_back(primary(t.device));
    return t.contexts.empty() ? nullptr : t.contexts.back();
}

context& context_table::require_current() {
    context* const c = current();
    require(c != nullptr, status::invalid_context, "no current context");
    return *c;
}

context& context_table::of_device(unsigned device) {
    context* const c = current();
    return c != nullptr && c->device == device ? *c : *primary(device);
}

context& context_table::get_or_current(context* c) {
    if (c == nullptr) c = current();
    require(c != nullptr && knows(c), status::invalid_context, "not a context");
    return *c;
}

context* context_table::add(unsigned device, unsigned flags) {
    return others_.insert(make(device, flags));
}

void context_table::remove(context* c) {
    if (others_.contains(c)) c->end();
    others_.erase(c);
}

namespace {

/// Makes a context current, and with it its device.
void make_current(context* c) {
    if (c != nullptr) session::thread().device = c->device;
}

void check_context(session& s, context* c) {
    require(c != nullptr && s.contexts.knows(c), status::invalid_context, "not a context");
}

}  // namespace

CALL(cuCtxCreate, session& s, context** to, unsigned flags, int device) {
    require_pointer(to);
    check_device(s, device);
    *to = s.contexts.add(static_cast<unsigned>(device), flags);
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
    *to = &s.contexts.require_current();
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
    s.contexts.remove(c);
}
CALL(cuCtxGetCurrent, session& s, context** to) {
    require_pointer(to);
    *to = s.contexts.current();
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
    s.contexts.current();  // keeps the primary context at the bottom of the stack
    session::thread().contexts.push_back(c);
    make_current(c);
}
CALL(cuCtxPopCurrent, session& s, context** to) {
    s.contexts.require_current();
    auto& stack = session::thread().contexts;
    if (to != nullptr) *to = stack.back();
    stack.pop_back();
    session::thread().uses_runtime = false;
    make_current(s.contexts.current());
}
CALL(cuCtxGetDevice, session& s, int* device) {
    require_pointer(device);
    *device = static_cast<int>(s.contexts.require_current().device);
}
CALL(cuCtxGetFlags, session& s, unsigned* flags) {
    require_pointer(flags);
    *flags = s.contexts.require_current().flags;
}
CALL(cuCtxGetApiVersion, session&, context*, unsigned* version) {
    require_pointer(version);
    *version = 3020;
}
CALL(cuCtxSynchronize_v2, session& s, context* c) {
    const unsigned device = s.contexts.get_or_current(c).device;
    refuse_waiting_for_captured_device(s, device);
    require_success(s.work().wait_all(device));
}
CALL(cuCtxGetDevice_v2, session& s, int* device, context* c) {
    require_pointer(device);
    *device = static_cast<int>(s.contexts.get_or_current(c).device);
}
CALL(cuDevicePrimaryCtxRetain, session& s, context** to, int device) {
    require_pointer(to);
    check_device(s, device);
    *to = s.contexts.primary(static_cast<unsigned>(device));
    ++(*to)->references;
}
CALL(cuDevicePrimaryCtxRelease, session& s, int device) {
    check_device(s, device);
    context* const c = s.contexts.primary(static_cast<unsigned>(device));
    if (c->references > 0) --c->references;
}
CALL(cuDevicePrimaryCtxSetFlags, session& s, int device, unsigned flags) {
    check_device(s, device);
    s.contexts.primary(static_cast<unsigned>(device))->flags = flags;
}
CALL(cuDevicePrimaryCtxGetState, session& s, int device, unsigned* flags, int* active) {
    require_pointer(flags, active);
    check_device(s, device);
    context* const c = s.contexts.primary(static_cast<unsigned>(device));
    *flags = c->flags;
    *active = c->references > 0 ? 1 : 0;
}
CALL(cuDevicePrimaryCtxReset, session& s, int device) {
    check_device(s, device);
    s.reset_device(static_cast<unsigned>(device));
}
CALL(cuCtxEnablePeerAccess, session& s, context* c, unsigned) {
    check_context(s, c);
    set_peer_access(s, c->device, true);
}
CALL(cuCtxDisablePeerAccess, session& s, context* c) {
    check_context(s, c);
    set_peer_access(s, c->device, false);
}
CALL(cuCtxGetId, session& s, context* c, unsigned long long* to) {
    require_pointer(to);
    *to = s.contexts.get_or_current(c).number;
}
CALL(cuCtxSetFlags, session&, unsigned) {}

}  // namespace simtlm::cuda
