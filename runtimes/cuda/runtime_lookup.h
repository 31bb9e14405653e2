// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::cuda {

/// A function of the driver library by name, as programs of a version of CUDA mean it.
/// @param version     1000 * major + 10 * minor
/// @param per_thread  the variant for which stream 0 is the thread's own, where there is one
/// @return nullptr: there is no such function
void* find_driver_function(const char* name, int version, bool per_thread);

/// Flag of cuGetProcAddress and cudaGetDriverEntryPoint.
constexpr std::uint64_t per_thread_default_stream = 2;

}  // namespace simtlm::cuda
