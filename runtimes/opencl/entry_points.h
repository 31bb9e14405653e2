// SPDX-License-Identifier: Apache-2.0
// CL(result, name)(parameters): an entry point. The library exports it under its name; inside it
// has a name of its own, so that a loader in the same process is never called in its place.
#pragma once

#include "runtimes/opencl/headers.h"

#define CL(result, name)                                                                      \
    extern "C" __attribute__((visibility("hidden"))) decltype(::name) simtlm_##name;          \
    extern "C"                                                                                \
        __attribute__((visibility("default"), alias("simtlm_" #name))) decltype(::name) name; \
    extern "C" __attribute__((visibility("hidden"))) result CL_API_CALL simtlm_##name
