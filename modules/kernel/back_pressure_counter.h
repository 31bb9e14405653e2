// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_process.h"

#include <cstdint>

namespace simtlm::kernel {

/// Counts the cycles in which a block asks for room in vain, whether it runs in them or sleeps:
/// one per cycle of its process's domain, for any of two reasons. Whoever changes one of them tells
/// it at once.
class back_pressure_counter {
public:
    enum reason : std::uint8_t {
        queued = 1,  ///< the block has something to send and may not
        held = 2,    ///< what it has sent waits at a shared port
    };

    /// @param asker  asks once per cycle, in its phase
    explicit back_pressure_counter(const clocked_process& asker) : asker_(asker) {}

    /// Whether the block's turns to come will be in vain for a reason.
    void set(reason why, bool waits) {
        if (((reasons_ & why) != 0) != waits) change(why, waits, next_uncounted());
    }
    /// The same from this very cycle on: the block has just asked.
    void stalled_now(reason why) {
        if ((reasons_ & why) == 0) change(why, true, asker_.now());
    }
    /// Counts up to the last edge that was completed. Call between steps.
    std::uint64_t up_to_date() {
        if (reasons_ != 0) count(next_uncounted());
        return counted_;
    }
    /// Where the count lies, for a list of statistics.
    const std::uint64_t& counted() const { return counted_; }

private:
    /// The first cycle in which the asker's phase is yet to come.
    std::uint64_t next_uncounted() const {
        return asker_.now() + (asker_.sub_phase_has_passed(0) ? 1u : 0u);
    }
    void count(std::uint64_t cycle) {
        if (cycle <= since_) return;
        counted_ += cycle - since_;
        since_ = cycle;
    }
    void change(reason why, bool waits, std::uint64_t cycle) {
        if (waits) {
            if (reasons_ == 0) since_ = cycle;
            reasons_ = static_cast<std::uint8_t>(reasons_ | why);
            return;
        }
        reasons_ = static_cast<std::uint8_t>(reasons_ & ~why);
        if (reasons_ == 0) count(cycle);
    }

    const clocked_process& asker_;
    std::uint8_t reasons_ = 0;
    std::uint64_t since_ = 0;  // first turn that has not been counted
    std::uint64_t counted_ = 0;
};

}  // namespace simtlm::kernel
