// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/runtime_api.h"

using namespace simtlm::cuda;

/// Target of unimplemented calls. @param name  of the call
extern "C" __attribute__((visibility("default"))) result simtlm_rt_refuse(const char* name) {
    return runtime_call(name, [](session&) {
        throw failure(status::not_supported, "this call is not implemented");
    });
}

extern "C" __attribute__((visibility("default"))) void simtlm_rt_use_thread_stream() {
    session::thread().per_thread_default = true;
}

extern "C" __attribute__((visibility("default"))) void simtlm_rt_come_through_driver() {
    session::thread().through_driver = true;
}

extern "C" __attribute__((visibility("default"))) void simtlm_rt_come_through_driver_for_thread() {
    session::thread().through_driver = true;
    session::thread().per_thread_default = true;
}
