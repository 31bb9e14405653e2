// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <cstdint>

namespace simtlm::core {

using program::lane_addresses;

/// Converts the lanes of a memory instruction to memory accesses (GPGPU-Sim manual: Memory
/// Coalescing).
///
/// From compute capability 4.0 on, every access is a 32-byte sector. Before, lanes are combined
/// into segments of 32, 64 or 128 bytes depending on the data size, which are reduced to the halves
/// that are used; 2.x and 3.x use sectors if the L1 is bypassed. Accesses are in address order per
/// group of lanes; atomics to the same bytes take separate accesses. Constant and texture accesses
/// fetch a line.
class coalescer {
public:
    explicit coalescer(const sm_config& config) : config_(config) {}

    /// Sets inst.accesses. @pre the instruction is a load, store or atomic that is not to shared
    /// memory
    void coalesce(warp_instruction& inst, const lane_addresses& lanes) const;

private:
    void gather(warp_instruction& inst, const lane_addresses& lanes, unsigned bytes) const;
    void gather_atomics(warp_instruction& inst, const lane_addresses& lanes) const;
    void gather_lines(warp_instruction& inst, const lane_addresses& lanes, unsigned words,
                      unsigned bytes) const;
    unsigned segment_bytes(const warp_instruction& inst) const;

    const sm_config& config_;
};

}  // namespace simtlm::core
