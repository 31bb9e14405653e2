// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <cstdint>

namespace simtlm::core {

using program::lane_addresses;

/// Turns the lanes of a memory instruction into accesses (manual: Memory Coalescing).
///
/// From compute capability 4.0 every access is a 32-byte sector. Before, lanes are gathered into
/// segments of 32, 64 or 128 bytes by data size, which shrink to the halves that are used; 2.x and
/// 3.x use sectors where L1 is skipped. Accesses end up in address order per group of lanes;
/// atomics to the same bytes take an access each. Constant and texture accesses fetch a line.
class coalescer {
public:
    explicit coalescer(const sm_config& config) : config_(config) {}

    /// Fills inst.accesses. @pre the instruction is a load, a store or an atomic, not shared
    void coalesce(warp_instruction& inst, const lane_addresses& lanes) const;

private:
    void gather(warp_instruction& inst, const lane_addresses& lanes, unsigned bytes) const;
    void gather_atomics(warp_instruction& inst, const lane_addresses& lanes) const;
    void gather_lines(warp_instruction& inst, const lane_addresses& lanes,
                      unsigned line_bytes) const;
    unsigned segment_bytes(const warp_instruction& inst) const;

    const sm_config& config_;
};

}  // namespace simtlm::core
