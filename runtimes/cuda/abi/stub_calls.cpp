// SPDX-License-Identifier: Apache-2.0
// What the stubs (stubs.S) call besides the entry points.
#include "runtimes/cuda/abi/call.h"

using namespace simtlm::cuda;

#define FOR_STUBS extern "C" __attribute__((visibility("default")))

/// Target of unimplemented calls. @param name  of the call
FOR_STUBS result simtlm_rt_refuse(const char* name) {
    return call<library_kind::runtime>(name, after_fault::refused, [](session&) -> status {
        throw failure(status::not_supported, "this call is not implemented");
    });
}

/// The next call of the thread takes stream 0 as the per-thread stream.
FOR_STUBS void simtlm_rt_use_thread_stream(const char*) {
    session::thread().per_thread_default = true;
}

/// The next call of the thread implements a function of the driver. @param name  of that function
FOR_STUBS void simtlm_rt_come_through_driver(const char* name) {
    session::thread().called_as = name;
}

FOR_STUBS void simtlm_rt_come_through_driver_for_thread(const char* name) {
    session::thread().called_as = name;
    session::thread().per_thread_default = true;
}
