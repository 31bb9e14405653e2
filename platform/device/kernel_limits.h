// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/program_image.h"
#include "platform/device/system_config.h"

#include <cstdint>

namespace simtlm::device {

// Limits of the blocks and clusters of a kernel. All follow from core::occupancy_of().

/// Maximum number of clusters of a kernel that are resident at the same time; each occupies one
/// GPC.
/// @param size       thread blocks per cluster
/// @param carve_out  preferred shared memory of the SM in percent; negative: no preference
unsigned active_cta_clusters(const system_config& c, const execution::kernel_image& k,
                             unsigned threads, std::uint64_t dynamic_shared, unsigned size,
                             int carve_out = -1);

/// Maximum number of resident thread blocks of a kernel per SM; 0: they are not permitted.
/// @param carve_out  preferred shared memory of the SM in percent; negative: no preference
unsigned resident_blocks(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared, int carve_out = -1);

/// Most threads that a block of a kernel can have: by its launch bounds and its registers.
unsigned max_block_threads(const system_config& c, const execution::kernel_image& k);

/// Most bytes of shared memory per block, for a kernel that has opted in and for others.
std::uint64_t max_shared_memory(const system_config& c);
std::uint64_t usual_shared(const system_config& c);

/// Most dynamic shared memory with which that many blocks of a kernel are resident on an SM, bytes.
/// @param carve_out  preferred shared memory of the SM in percent; negative: no preference
std::uint64_t available_shared(const system_config& c, const execution::kernel_image& k,
                               unsigned blocks, int carve_out);

/// Blocks per cluster of a launch: those asked for or, if that is one, those that the kernel
/// requires. @throws failure  if the kernel does not permit them
unsigned cluster_size(const execution::kernel_image& k, const program::dim3& asked);

}  // namespace simtlm::device
