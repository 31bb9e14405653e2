// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"
#include "modules/support/archive_fwd.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtlm::core {

/// Tracks registers with a pending write, per warp: an instruction that reads or writes one of them
/// does not issue (RAW and WAW hazards; GPGPU-Sim manual, Scoreboard). Registers are reserved at
/// issue and released at write-back. Loads from global, local and texture memory are marked as long
/// operations, for the two-level scheduler.
class scoreboard {
public:
    /// @param loads_stay_long  a loaded register counts as waiting for a long operation until an
    ///                         instruction other than a load writes it (quirk loads-stay-long)
    explicit scoreboard(warp_table& warps, bool loads_stay_long = false)
        : warps_(warps), loads_stay_long_(loads_stay_long), pending_(warps.warp.size(), 0) {
        allow_registers(256);
    }

    /// Makes room for register numbers below a limit; reservations are kept.
    void allow_registers(unsigned numbers) {
        const std::size_t words = (numbers + 63) / 64;
        if (words <= words_) return;
        std::vector<word> larger(pending_.size() * words);
        for (std::size_t w = 0; w < pending_.size(); ++w)
            std::copy_n(words_of_.begin() + static_cast<std::ptrdiff_t>(w * words_), words_,
                        larger.begin() + static_cast<std::ptrdiff_t>(w * words));
        words_of_ = std::move(larger);
        words_ = words;
    }

    /// Whether an instruction reads or writes a register with a pending write.
    bool collides(unsigned warp, const program::static_instruction& inst) const {
        if (pending_[warp] == 0) return false;
        const word* const of = registers_of(warp);
        for (unsigned i = 0; i < inst.n_dst; ++i)
            if (reserved(of, inst.dst[i])) return true;
        for (unsigned i = 0; i < inst.n_src; ++i)
            if (reserved(of, inst.src[i])) return true;
        return false;
    }

    /// Reserves the destinations of an issued instruction.
    void reserve(unsigned warp, const program::static_instruction& inst,
                 program::memory_space space) {
        const bool is_long = inst.is_load && (space == program::memory_space::global ||
                                              space == program::memory_space::local ||
                                              space == program::memory_space::texture);
        word* const of = registers_of(warp);
        for (unsigned i = 0; i < inst.n_dst; ++i) {
            const unsigned r = inst.dst[i];
            if (r == program::register_zero || reserved(of, r)) continue;
            of[r / 64].written |= bit(r);
            if (is_long) of[r / 64].by_long |= bit(r);
            ++pending_[warp];
        }
    }

    /// Releases the destinations of an instruction whose results are written.
    void release(unsigned warp, const program::static_instruction& inst) {
        word* const of = registers_of(warp);
        bool any = false;
        for (unsigned i = 0; i < inst.n_dst; ++i) {
            const unsigned r = inst.dst[i];
            if (!reserved(of, r)) continue;
            of[r / 64].written &= ~bit(r);
            if (!(loads_stay_long_ && inst.is_load)) of[r / 64].by_long &= ~bit(r);
            --pending_[warp];
            any = true;
        }
        if (!any) return;
        // A warp without a hazard cannot have one now.
        if (((warps_.scoreboard_blocked | warps_.scoreboard_stale) & warp_bit(warp)) != 0)
            warps_.hazards_changed(warp);
        if (pending_[warp] != 0) return;
        if ((warps_.at_memory_barrier & warp_bit(warp)) != 0) warps_.passes_memory_barrier(warp);
        warps_.may_leave(warp);
    }

    bool writes_pending(unsigned warp) const { return pending_[warp] != 0; }
    /// Number of registers of a warp with a pending write.
    unsigned pending(unsigned warp) const { return pending_[warp]; }

    /// Whether a source of the instruction waits for a long operation.
    bool waits_for_long_operation(unsigned warp, const program::static_instruction& inst) const {
        const word* const of = registers_of(warp);
        for (unsigned i = 0; i < inst.n_src; ++i) {
            const unsigned r = inst.src[i];
            if (r != program::register_zero && (of[r / 64].by_long & bit(r)) != 0) return true;
        }
        return false;
    }

    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    /// 64 registers of a warp.
    struct word {
        std::uint64_t written = 0;  ///< pending write
        std::uint64_t by_long = 0;  ///< pending write by a long operation
    };
    static std::uint64_t bit(unsigned r) { return std::uint64_t{1} << (r % 64); }
    static bool reserved(const word* of, unsigned r) {
        return r != program::register_zero && (of[r / 64].written & bit(r)) != 0;
    }
    word* registers_of(unsigned warp) { return words_of_.data() + warp * words_; }
    const word* registers_of(unsigned warp) const { return words_of_.data() + warp * words_; }

    warp_table& warps_;
    bool loads_stay_long_;
    std::vector<std::uint32_t> pending_;  ///< registers with a pending write, by warp
    std::vector<word> words_of_;          ///< `words_` entries per warp
    std::size_t words_ = 0;
};

}  // namespace simtlm::core
