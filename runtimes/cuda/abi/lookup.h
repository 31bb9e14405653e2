// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::cuda {

/// Looks up a driver function by name for programs of a CUDA version.
/// @param version     1000 * major + 10 * minor
/// @param per_thread  prefer the variant in which stream 0 is the per-thread stream
/// @return nullptr if there is no such function
void* find_driver_function(const char* name, int version, bool per_thread);

/// Flag for cuGetProcAddress and cudaGetDriverEntryPoint.
constexpr std::uint64_t per_thread_default_stream = 2;

}  // namespace simtlm::cuda
