// SPDX-License-Identifier: Apache-2.0
// Driver API (libcuda.so.1): initialisation, error names, lookup of functions, and helpers of its
// parts. Functions shared with the runtime are in the runtime: see runtime_api.h.
#include "runtimes/cuda/driver_api.h"

#include "runtimes/cuda/export_tables.h"

#include <string>

using namespace simtlm::cuda;

namespace simtlm::cuda {

void copy(session& s, const block_copy& c, void* stream, bool asynchronous) {
    device::stream& where = s.stream(stream);
    if (!asynchronous) {
        refuse_implicit_dependency(s, where);
        refuse_during_capture(s);
    }
    const bool captured = capture_of(s, where) != nullptr;
    const auto t = enqueue(s, where, copy_operation(s, c, asynchronous && !captured));
    if (!asynchronous || (!captured && is_pageable(s, c.to))) finish(s, t);
}

void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {pointer_to(to), pitch, value, element, width, height}));
}

void launch(session& s, void* f, const kernel_parameters& p, const launch_options& how,
            void* stream) {
    device::stream& to = s.stream(stream);
    enqueue(s, to, launch_operation(s, f, to.device, p, how, false));
}

}  // namespace simtlm::cuda

RUNTIME(cuInit)(unsigned flags) {
    return driver_call(
        "cuInit", [&](session&) { require(flags == 0, status::invalid_value, "unknown flags"); });
}
RUNTIME(cuDriverGetVersion)(int* version) {
    if (version == nullptr) return 1;
    *version = runtime_version;
    return 0;
}
RUNTIME(cuGetErrorName)(result r, const char** to) {
    if (to == nullptr) return driver_number(status::invalid_value);
    *to = driver_name_of(r);
    return *to != nullptr ? 0 : 1;
}
RUNTIME(cuGetErrorString)(result r, const char** to) {
    if (to == nullptr) return driver_number(status::invalid_value);
    *to = driver_name_of(r) != nullptr ? text_of(r) : nullptr;
    return *to != nullptr ? 0 : 1;
}

// ---- lookup of functions ----

RUNTIME(cuGetProcAddress)(const char* name, void** to, int version, std::uint64_t flags) {
    return driver_call("cuGetProcAddress", [&](session&) {
        require_pointer(name);
        require_pointer(to);
        *to = find_driver_function(name, version, (flags & per_thread_default_stream) != 0);
        require(*to != nullptr, status::not_found,
                (std::string("unknown function ") + name).c_str());
    });
}
RUNTIME(cuGetProcAddress_v2)
(const char* name, void** to, int version, std::uint64_t flags, int* found) {
    const result r = simtlm_rt_cuGetProcAddress(name, to, version, flags);
    if (found != nullptr) *found = r == 0 ? 0 : 1;
    return r;
}
RUNTIME(cuGetExportTable)(const void** to, const uuid* which) {
    if (to == nullptr || which == nullptr) return driver_number(status::invalid_value);
    return call<library_kind::driver>("cuGetExportTable", after_fault::allowed, [&](session&) {
        *to = export_table(*which);
        return *to != nullptr ? status::success : status::not_found;
    });
}
