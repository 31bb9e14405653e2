// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::core {

/// Registers with a write under way, per warp: an instruction that reads or writes one of them
/// does not issue (RAW and WAW hazards; manual, Scoreboard). Registers are reserved at issue and
/// released at write-back. Loads from global, local and texture memory are marked as long
/// operations, which the two-level scheduler looks at.
class scoreboard {
public:
    /// @param rz_is_a_register  RZ takes part in hazards (quirk rz-is-a-register)
    /// @param loads_stay_long   a loaded register counts as waiting for a long operation until
    ///                          something that is no load writes it (quirk loads-stay-long)
    scoreboard(warp_table& warps, bool rz_is_a_register, bool loads_stay_long = false)
        : warps_(warps),
          rz_is_a_register_(rz_is_a_register),
          loads_stay_long_(loads_stay_long),
          entries_(warps.warp.size()) {}

    bool collides(unsigned warp, const isa::static_instruction& inst) const {
        const entry& e = entries_[warp];
        if (e.pending == 0) return false;
        for (unsigned i = 0; i < inst.n_dst; ++i)
            if (reserved(e, inst.dst[i])) return true;
        for (unsigned i = 0; i < inst.n_src; ++i)
            if (reserved(e, inst.src[i])) return true;
        return false;
    }

    /// Reserves the destinations of an issued instruction.
    void reserve(unsigned warp, const isa::static_instruction& inst, isa::memory_space space) {
        const bool is_long = inst.is_load && (space == isa::memory_space::global ||
                                              space == isa::memory_space::local ||
                                              space == isa::memory_space::texture);
        entry& e = entries_[warp];
        for (unsigned i = 0; i < inst.n_dst; ++i) {
            const unsigned r = inst.dst[i];
            if (ignored(r) || reserved(e, r)) continue;
            e.bits[r / 64] |= std::uint64_t{1} << (r % 64);
            if (is_long) e.long_bits[r / 64] |= std::uint64_t{1} << (r % 64);
            ++e.pending;
        }
    }

    /// Releases the destinations of an instruction whose results are written.
    void release(unsigned warp, const isa::static_instruction& inst) {
        entry& e = entries_[warp];
        bool any = false;
        for (unsigned i = 0; i < inst.n_dst; ++i) {
            const unsigned r = inst.dst[i];
            if (ignored(r) || !reserved(e, r)) continue;
            e.bits[r / 64] &= ~(std::uint64_t{1} << (r % 64));
            if (!(loads_stay_long_ && inst.is_load))
                e.long_bits[r / 64] &= ~(std::uint64_t{1} << (r % 64));
            --e.pending;
            any = true;
        }
        if (!any) return;
        warps_.hazards_changed(warp);
        if (e.pending != 0) return;
        if ((warps_.at_memory_barrier & warp_bit(warp)) != 0) warps_.passes_memory_barrier(warp);
        if ((warps_.done & warp_bit(warp)) != 0) warps_.listener->may_fetch();
    }

    bool writes_pending(unsigned warp) const { return entries_[warp].pending != 0; }
    /// Registers of a warp with a write under way.
    unsigned pending(unsigned warp) const { return entries_[warp].pending; }

    /// Whether a source of the instruction waits for a long operation.
    bool waits_for_long_operation(unsigned warp, const isa::static_instruction& inst) const {
        const entry& e = entries_[warp];
        for (unsigned i = 0; i < inst.n_src; ++i)
            if ((e.long_bits[inst.src[i] / 64] >> (inst.src[i] % 64) & 1u) != 0) return true;
        return false;
    }

private:
    struct entry {
        std::array<std::uint64_t, 4> bits{};
        std::array<std::uint64_t, 4> long_bits{};
        std::uint32_t pending = 0;
    };
    bool ignored(unsigned r) const { return r == isa::register_zero && !rz_is_a_register_; }
    static bool reserved(const entry& e, unsigned r) {
        return (e.bits[r / 64] >> (r % 64) & 1u) != 0;
    }

    warp_table& warps_;
    bool rz_is_a_register_;
    bool loads_stay_long_;
    std::vector<entry> entries_;
};

}  // namespace simtlm::core
