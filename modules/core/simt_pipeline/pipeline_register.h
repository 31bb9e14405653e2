// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"

#include <cstdint>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// The pipeline registers between two stages for one kind of unit, as many as the stage's width. In
/// the sub-core model each scheduler has the register with its own number.
class pipeline_register {
public:
    static constexpr unsigned max_width = 64;

    pipeline_register() = default;
    /// @param width     number of registers, at most max_width
    /// @param sub_core  register s belongs to scheduler s
    pipeline_register(unsigned width, bool sub_core)
        : slots_(width),
          free_(width == 0 ? 0 : ~std::uint64_t{0} >> (max_width - width)),
          all_(free_),
          sub_core_(sub_core) {
        sc_assert(width <= max_width);
    }

    bool empty() const { return free_ == all_; }
    unsigned width() const { return static_cast<unsigned>(slots_.size()); }
    unsigned count() const { return static_cast<unsigned>(__builtin_popcountll(taken())); }
    /// Occupied registers, bit s: register s.
    std::uint64_t taken() const { return all_ & ~free_; }

    bool has_free(unsigned scheduler) const {
        return sub_core_ ? scheduler < max_width && (free_ >> scheduler & 1u) != 0 : free_ != 0;
    }
    /// @pre has_free(scheduler)
    void put(unsigned scheduler, warp_instruction& inst) {
        const unsigned i = sub_core_ ? scheduler : static_cast<unsigned>(__builtin_ctzll(free_));
        slots_[i] = &inst;
        free_ &= ~(std::uint64_t{1} << i);
    }
    /// The instruction in an occupied register.
    warp_instruction& at(unsigned s) const { return *slots_[s]; }
    /// The register with the instruction that was issued first. @pre !empty()
    unsigned oldest() const {
        std::uint64_t left = taken();
        unsigned found = static_cast<unsigned>(__builtin_ctzll(left));
        for (left &= left - 1; left != 0; left &= left - 1) {
            const unsigned s = static_cast<unsigned>(__builtin_ctzll(left));
            if (slots_[s]->uid < slots_[found]->uid) found = s;
        }
        return found;
    }
    void remove(unsigned s) { free_ |= std::uint64_t{1} << s; }

private:
    std::vector<warp_instruction*> slots_;
    std::uint64_t free_ = 0;
    std::uint64_t all_ = 0;
    bool sub_core_ = false;
};

}  // namespace simtlm::core::simt_pipeline
