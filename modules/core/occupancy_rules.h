// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace simtlm::core {

/// The units in which an SM allocates registers, shared memory and barriers to CTAs. By default
/// those of compute capability 7.0.
struct allocation_rules {
    /// Registers are allocated to warps, in this unit.
    unsigned register_unit = 256;
    /// The register file consists of this many equal parts. A warp gets its registers from one of
    /// them.
    unsigned sub_core_register_files = 4;
    /// A launch is refused if its CTAs, with their warps rounded up to a multiple of this number,
    /// have more registers than a CTA may have; 0: it is not checked.
    unsigned checked_warps = 4;
    unsigned shared_unit = 256;    ///< bytes
    unsigned reserved_shared = 0;  ///< bytes that the driver reserves in each CTA
    unsigned barriers = 0;         ///< named barriers of an SM; 0: they do not limit the CTAs

    bool operator==(const allocation_rules& o) const {
        return register_unit == o.register_unit &&
               sub_core_register_files == o.sub_core_register_files &&
               checked_warps == o.checked_warps && shared_unit == o.shared_unit &&
               reserved_shared == o.reserved_shared && barriers == o.barriers;
    }
};

/// GPGPU-Sim's units: registers by four per thread, shared memory by the byte.
inline constexpr allocation_rules gpgpu_sim_allocation{128, 1, 0, 1, 0, 0};

/// Resources of an SM of a compute capability, and how it allocates them (CUDA C++ Programming
/// Guide, technical specifications per compute capability; CUDA occupancy calculator). The
/// configured GPU may have other resources than its compute capability.
struct occupancy_rules {
    unsigned capability;  ///< 10 * major + minor
    unsigned max_threads, max_ctas;
    unsigned registers, registers_per_block, registers_per_thread;
    unsigned shared_kb;            ///< shared memory of an SM, at most
    unsigned shared_per_block_kb;  ///< largest allocation to a CTA, with what the driver reserves
    /// Sizes of shared memory between which the driver selects, in KB; empty: one size.
    std::vector<unsigned> carve_out_kb;
    allocation_rules allocation;
};

/// All rows, by compute capability.
const std::vector<occupancy_rules>& occupancy_table();

/// The row of a compute capability or, if there is none, of the closest earlier one.
/// @param capability  10 * major + minor
const occupancy_rules& occupancy_rules_of(unsigned capability);

}  // namespace simtlm::core
