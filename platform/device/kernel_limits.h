// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

#include <cstdint>
#include <string>

namespace simtlm::device {

// Limits of the blocks and clusters of a kernel, for the runtime libraries. All follow from
// core::occupancy_of(), as resident_blocks().

/// Most threads that a block of a kernel can have: by its launch bounds and its registers.
unsigned most_threads(const system_config& c, const execution::kernel_image& k);

/// Most bytes of shared memory per block, for a kernel that has opted in and for others.
std::uint64_t most_shared(const system_config& c);
std::uint64_t usual_shared(const system_config& c);

/// Most dynamic shared memory with which that many blocks of a kernel are resident on an SM, bytes.
/// @param carve_out  preferred shared memory of the SM in percent; negative: no preference
std::uint64_t available_shared(const system_config& c, const execution::kernel_image& k,
                               unsigned blocks, int carve_out);

/// Blocks per cluster of a launch: those asked for or, if that is one, those that the kernel
/// requires. @throws failure  if the kernel does not permit them
unsigned cluster_size(const execution::kernel_image& k, const program::dim3& asked);

}  // namespace simtlm::device
