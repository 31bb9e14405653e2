// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/l0_instruction_cache.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Fetch and decode of a sub-core: L0 instruction cache, decoder, instruction buffers.
///
/// Serves the youngest warp whose buffer is empty and that has no fetch in flight; otherwise the
/// warp that issued last until its buffer is full, then the youngest with room. Instructions after
/// a branch are fetched before the branch has issued only if they follow it in memory.
///
/// Action: fetch (core_front_end). The issue stage decodes before it issues.
class fetch_stage {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    struct client {
        virtual ~client() = default;
        /// The L0 has a request for the L1 instruction cache.
        virtual void wants_line(unsigned sub_core) = 0;
    };
    fetch_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots, client& sm);

    /// A warp has been placed. @param from  core cycle from which it is fetched
    void warp_starts(unsigned slot, std::uint64_t from);
    void sm_stopped() { fetch_process_.sleep(); }

    // ---- instruction buffers ----

    /// The next instruction of a warp. @pre count() != 0
    const program::dynamic_instruction* head(unsigned slot) const {
        return slots_[slot].buffer[slots_[slot].first];
    }
    unsigned count(unsigned slot) const { return slots_[slot].count; }
    /// Whether the last fetch of a warp missed the L0.
    bool missed(unsigned slot) const { return slots_[slot].missed; }
    /// Fills the buffers with the instructions that are decoded in this cycle.
    /// @pre next_decode() <= now @return the warps whose buffer was empty
    slot_mask decode(std::uint64_t now);
    /// The cycle of the next decode(); never: nothing is being decoded.
    std::uint64_t next_decode() const { return decoding_.empty() ? never : decoding_.front().at; }
    /// Removes the head of a warp's buffer, which issues.
    const program::dynamic_instruction& take(unsigned slot);
    /// Whether a recorded warp has issued all its instructions.
    bool at_end(unsigned slot) const {
        return slots_[slot].count == 0 && slots_[slot].in_decode == 0 &&
               context_.warps.warp[context_.warp_of(slot)].code.empty();
    }
    /// Continues after an issued instruction of a warp at the next one on its path.
    void follow(unsigned slot, std::uint64_t now);
    /// Discards the buffered instructions of a warp, and those being decoded.
    void flush(unsigned slot);
    /// The buffer of a warp may have room.
    void note_space(unsigned slot);

    // ---- the L0 ----

    l0_instruction_cache& l0() { return l0_; }
    /// A line has arrived from the L1 instruction cache.
    void line_arrived(std::uint64_t line);
    bool idle() const { return decoding_.empty() && !l0_.has_request(); }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    static constexpr unsigned max_buffered = 8;
    struct slot_state {
        std::array<const program::dynamic_instruction*, max_buffered> buffer{};
        std::uint8_t first = 0, count = 0;
        std::uint8_t in_decode = 0;
        bool branch_ahead = false;     ///< recorded warps: nothing is fetched until a branch has
                                       ///< issued
        bool missed = false;           ///< the last fetch missed the L0
        std::uint64_t fetch_from = 0;  ///< cycle
    };
    struct decoding {
        std::uint64_t at;
        const program::dynamic_instruction* code;
        std::uint8_t slot;
        std::uint8_t generation;
    };
    void fetch();
    bool fetch_for(unsigned slot, std::uint64_t now);
    std::uint64_t next_address(unsigned slot) const;

    sub_core_slots& context_;
    client& sm_;
    l0_instruction_cache l0_;
    std::vector<slot_state> slots_;
    std::vector<std::uint8_t> generation_;  // by slot: number of flushes, to discard instructions
                                            // being decoded
    slot_mask wants_fetch_ = 0;             // may have room in its buffer
    slot_mask delayed_ = 0;                 // fetch_from may not have been reached
    slot_mask in_decode_ = 0;               // slot_state::in_decode is not 0
    support::ring_buffer<decoding> decoding_;  // in order of arrival
    simulation::clocked_process fetch_process_;
};

}  // namespace simtlm::core::sub_core_pipeline
