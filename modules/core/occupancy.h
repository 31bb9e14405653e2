// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"

#include <cstdint>

namespace simtlm::core {

/// Resources that one CTA of a kernel needs.
struct cta_needs {
    std::uint32_t threads = 0;
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t shared_memory = 0;  ///< bytes

    std::uint32_t padded_threads(unsigned warp_size) const {
        return (threads + warp_size - 1) / warp_size * warp_size;
    }
    /// Registers are allocated in units of four per thread, and to whole warps.
    std::uint64_t allotted_registers(unsigned warp_size) const {
        return std::uint64_t{padded_threads(warp_size)} * ((registers + 3u) & ~3u);
    }
};

/// Number of CTAs of a kernel that fit in an SM at a time, and the limiting resources (GPGPU-Sim
/// manual: occupancy).
struct occupancy {
    unsigned ctas = 0;
    bool by_threads = false, by_shared_memory = false, by_registers = false, by_cta_limit = false;
};

/// @param blocks  CTAs of the grid: a small grid is distributed evenly over the SMs
/// @param sms     number of SMs in the GPU
occupancy occupancy_of(const sm_config& config, const cta_needs& needs, std::uint64_t blocks,
                       unsigned sms);

/// The L1D's share of the on-chip memory while a kernel runs (-gpgpu_adaptive_cache_config): the
/// shared memory of the resident CTAs is rounded up to a carve-out, and the L1D gets the rest.
struct l1_split {
    unsigned ways;
    cache::allocation_policy allocation;
};
/// The split for a kernel of which `ctas` CTAs are resident.
l1_split l1_split_of(const sm_config& config, const cta_needs& needs, unsigned ctas);

}  // namespace simtlm::core
