// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <cstdint>

namespace simtlm::execution {

/// Layout of the registers of machine code in a warp's frame: masks (predicates) followed by rows
/// of 32 words. A convergence barrier is a row in which each lane has the mask of lanes for which
/// it waits, because diverged groups of a warp use the same barriers concurrently. A uniform
/// register is a row with the same value in all lanes, a uniform predicate a mask of all lanes or
/// none.
struct machine_frame {
    static constexpr std::uint32_t predicates = frame_layout::first_predicate;  ///< P0..P6
    static constexpr std::uint32_t no_predicate = predicates + 4 * 7;  ///< results written to PT
    static constexpr std::uint32_t uniform_predicates = no_predicate + 4;
    static constexpr std::uint32_t scratch_mask = uniform_predicates + 4 * 8;
    static constexpr std::uint32_t scratch_mask2 = scratch_mask + 4;
    static constexpr std::uint32_t barrier_mask = scratch_mask2 + 4;  ///< BAR.RED, for B2R
    static constexpr std::uint32_t zero = 256;               ///< RZ as a source: never written
    static constexpr std::uint32_t discard = zero + 256;     ///< RZ as a result; two rows
    static constexpr std::uint32_t scratch = discard + 256;  ///< double rows
    static constexpr unsigned scratch_rows = 24;
    static constexpr std::uint32_t uniform = scratch + 256 * scratch_rows;  ///< UR0..UR79
    static constexpr unsigned uniform_rows = 80;
    static constexpr std::uint32_t barriers = uniform + 128 * uniform_rows;  ///< B0..B15
    static constexpr std::uint32_t saved_counter = barriers + 128 * 16;      ///< Rpc: low, high
    /// Address and phase of a wait at an mbarrier that is retried after others have executed.
    static constexpr std::uint32_t wait_address = saved_counter + 128 * 2;
    static constexpr std::uint32_t wait_phase = wait_address + 128;
    static constexpr std::uint32_t registers = wait_phase + 128;  ///< R0..

    static constexpr std::uint32_t bytes(unsigned count) { return registers + 128 * count; }
};

/// Offsets in constant bank 0 of words that lowering knows.
struct launch_words {
    static constexpr std::uint32_t stack_top(unsigned architecture) {
        return architecture < 100 ? 0x28 : 0x37c;
    }
    static constexpr std::uint32_t processors(unsigned architecture) {  ///< %nsmid
        return architecture < 100 ? 0x10c : 0x2d0;
    }
};

}  // namespace simtlm::execution
