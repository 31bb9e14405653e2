// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/program/kernel_descriptor.h"

#include <cstdint>

namespace simtlm::core {

/// Resources that one CTA of a kernel needs.
struct cta_needs {
    std::uint32_t threads = 0;
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t shared_memory = 0;  ///< bytes
    std::uint32_t barriers = 0;       ///< named barriers; 0: unknown, no limit
    /// Preferred shared memory of the SM, in percent; negative: no preference.
    std::int32_t carve_out = -1;

    bool operator==(const cta_needs& o) const {
        return threads == o.threads && registers == o.registers &&
               shared_memory == o.shared_memory && barriers == o.barriers &&
               carve_out == o.carve_out;
    }
    std::uint32_t warps(unsigned warp_size) const { return (threads + warp_size - 1) / warp_size; }
    std::uint32_t padded_threads(unsigned warp_size) const { return warps(warp_size) * warp_size; }
    /// Registers that an SM allocates to each warp.
    std::uint64_t registers_per_warp(const sm_config& config) const {
        return rounded(std::uint64_t{registers} * config.warp_size,
                       config.allocation.register_unit);
    }
    /// Bytes of shared memory that an SM allocates to the CTA.
    std::uint64_t allotted_shared(const sm_config& config) const {
        return rounded(std::uint64_t{shared_memory} + config.allocation.reserved_shared,
                       config.allocation.shared_unit);
    }

private:
    static std::uint64_t rounded(std::uint64_t n, unsigned unit) {
        return (n + unit - 1) / unit * unit;
    }
};

/// What a CTA of a kernel needs.
cta_needs needs_of(const program::kernel_descriptor& kernel);

/// Number of CTAs of a kernel that fit in an SM at a time, and the limiting resources. The only
/// statement of the occupancy rules: for the timing model, for host programs and for reports.
struct occupancy {
    unsigned ctas = 0;
    bool by_threads = false, by_shared_memory = false, by_registers = false, by_cta_limit = false,
         by_barriers = false;
};

/// @param blocks  CTAs of the grid: a small grid is distributed evenly over the SMs
/// @param sms     number of SMs in the GPU
occupancy occupancy_of(const sm_config& config, const cta_needs& needs, std::uint64_t blocks,
                       unsigned sms);
/// The same for a grid of any size.
occupancy occupancy_of(const sm_config& config, const cta_needs& needs);

/// Registers of which a CTA may not have more than sm_config::registers_per_block.
std::uint64_t checked_registers(const sm_config& config, std::uint64_t per_warp,
                                std::uint64_t warps);

/// Most threads that a CTA of a kernel with that many registers per thread can have.
unsigned max_threads_per_cta(const sm_config& config, std::uint32_t registers);

/// Most registers per thread, a multiple of 8, with which a CTA of so many threads fits; 0: none.
unsigned max_registers_per_thread(const sm_config& config, unsigned threads);

/// Most bytes of shared memory that a CTA can have, static and dynamic, if the kernel has opted in
/// to more than usual (cudaDevAttrMaxSharedMemoryPerBlockOptin).
std::uint64_t max_shared_per_cta(const sm_config& config);
/// Bytes of shared memory that a CTA of any kernel may have (cudaDevAttrMaxSharedMemoryPerBlock).
std::uint64_t usual_shared_per_cta(const sm_config& config);

/// Shared memory that an SM has while CTAs of a kernel run, in bytes: the largest, or the preferred
/// one if the CTA fits.
std::uint64_t shared_of_sm(const sm_config& config, const cta_needs& needs);

/// Dynamic shared memory with which that many CTAs are resident, in bytes
/// (cudaOccupancyAvailableDynamicSMemPerBlock); 0: none.
/// @param needs  with the static shared memory only
std::uint64_t dynamic_shared_for(const sm_config& config, const cta_needs& needs, unsigned ctas);

/// The L1D's share of the on-chip memory while a kernel runs (-gpgpu_adaptive_cache_config): the
/// shared memory of the resident CTAs is rounded up to a carve-out, and the L1D gets the rest.
struct l1_split {
    unsigned ways;
    cache::allocation_policy allocation;
};
/// The split for a kernel of which `ctas` CTAs are resident.
l1_split l1_split_of(const sm_config& config, const cta_needs& needs, unsigned ctas);

}  // namespace simtlm::core
