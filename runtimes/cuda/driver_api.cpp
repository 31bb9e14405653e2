// SPDX-License-Identifier: Apache-2.0
// Driver API (libcuda.so.1): initialisation, error names, lookup of functions, and helpers of its
// parts. Functions shared with the runtime are in the runtime: see runtime_api.h.
#include "runtimes/cuda/driver_api.h"

#include "runtimes/cuda/export_tables.h"

#include <string>

using namespace simtlm::cuda;

namespace simtlm::cuda {

void launch(session& s, void* f, const kernel_parameters& p, const launch_options& how,
            void* stream) {
    device::stream& to = s.stream(stream);
    enqueue(s, to, launch_operation(s, f, to.device, p, how, false));
}

}  // namespace simtlm::cuda

CALL(cuInit, session&, unsigned flags) {
    require(flags == 0, status::invalid_value, "unknown flags");
}
FUNCTION(result, cuGetErrorName, result r, const char** to) {
    if (to == nullptr) return driver_number(status::invalid_value);
    *to = driver_name_of(r);
    return *to != nullptr ? 0 : 1;
}
FUNCTION(result, cuGetErrorString, result r, const char** to) {
    if (to == nullptr) return driver_number(status::invalid_value);
    *to = driver_name_of(r) != nullptr ? text_of(r) : nullptr;
    return *to != nullptr ? 0 : 1;
}

// ---- lookup of functions ----

CALL(cuGetProcAddress, session&, const char* name, void** to, int version, std::uint64_t flags) {
    require_pointer(name, to);
    *to = find_driver_function(name, version, (flags & per_thread_default_stream) != 0);
    require(*to != nullptr, status::not_found, (std::string("unknown function ") + name).c_str());
}
CALL_AS(cuGetProcAddress_v2, cuGetProcAddress_call::name, session& s, const char* name, void** to,
        int version, std::uint64_t flags, int* found) {
    if (found != nullptr) *found = 1;
    cuGetProcAddress_call::run(s, name, to, version, flags);
    if (found != nullptr) *found = 0;
}
FUNCTION(result, cuGetExportTable, const void** to, const uuid* which) {
    if (to == nullptr || which == nullptr) return driver_number(status::invalid_value);
    return call<library_kind::driver>("cuGetExportTable", after_fault::allowed, [&](session&) {
        *to = export_table(*which);
        return *to != nullptr ? status::success : status::not_found;
    });
}
