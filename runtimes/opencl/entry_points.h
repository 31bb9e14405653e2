// SPDX-License-Identifier: Apache-2.0
// CL(result, name)(parameters) defines an entry point. The library exports it under its name;
// internally it has a different name, so that a call never resolves to a loader in the same
// process.
#pragma once

#include "runtimes/opencl/headers.h"

#define CL(result, name)                                                                      \
    extern "C" __attribute__((visibility("hidden"))) decltype(::name) simtlm_##name;          \
    extern "C"                                                                                \
        __attribute__((visibility("default"), alias("simtlm_" #name))) decltype(::name) name; \
    extern "C" __attribute__((visibility("hidden"))) result CL_API_CALL simtlm_##name
