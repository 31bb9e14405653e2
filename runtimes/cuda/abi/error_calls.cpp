// SPDX-License-Identifier: Apache-2.0
// The last error of a thread, and the names of results. All can be called in any state.
#include "runtimes/cuda/abi/call.h"

namespace simtlm::cuda {

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

namespace {

/// The last error of the thread or, after a fault of the device, that fault, which only a reset
/// clears.
result last_error_or_fault() {
    const result last = session::thread().last_error;
    if (!session::is_running()) return last;
    try {
        session& s = session::get();
        s.gpus().log().errors_seen();
        return last != 0 ? last : runtime_number(status_of(s.work().fault(s.current_device())));
    } catch (const failure& f) {  // a forked process
        return last != 0 ? last : runtime_number(f.code());
    }
}

}  // namespace

FUNCTION(result, cudaGetLastError, void) {
    const result r = last_error_or_fault();
    session::thread().last_error = 0;
    return r;
}
FUNCTION(result, cudaPeekAtLastError, void) {
    return last_error_or_fault();
}
FUNCTION(const char*, cudaGetErrorName, result r) {
    return name_of(r);
}
FUNCTION(const char*, cudaGetErrorString, result r) {
    return text_of(r);
}

}  // namespace simtlm::cuda
