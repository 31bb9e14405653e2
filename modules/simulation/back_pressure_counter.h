// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/clocked_process.h"

#include <cstdint>

namespace simtlm::simulation {

/// Counts the stall cycles of a block under back-pressure: one per cycle of its process's clock
/// domain in which at least one reason holds, whether the process runs in that cycle or sleeps. The
/// owner of a reason reports each change in the cycle in which it happens.
class back_pressure_counter {
public:
    /// Reasons for a stall; bits of a mask.
    enum reason : std::uint8_t {
        queued = 1,  ///< the block has something to send and is stalled
        held = 2,    ///< a message it has sent waits at a shared port
    };

    /// @param asker  the process that sends, at most once per cycle, in its phase
    explicit back_pressure_counter(const clocked_process& asker) : asker_(asker) {}

    /// Sets or clears a reason, effective from the next activation of the process.
    void set(reason why, bool waits) {
        if (((reasons_ & why) != 0) != waits) change(why, waits, next_uncounted());
    }
    /// Sets a reason, effective from the current cycle: the process was stalled in this activation.
    void stalled_now(reason why) {
        if ((reasons_ & why) == 0) change(why, true, asker_.now());
    }
    /// @return stall cycles up to the last completed edge; to be called between steps
    std::uint64_t up_to_date() {
        if (reasons_ != 0) count(next_uncounted());
        return counted_;
    }
    /// The counter itself, for statistics tables; valid after up_to_date().
    const std::uint64_t& counted() const { return counted_; }

private:
    /// The first cycle in which the process has not yet been activated.
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
    std::uint64_t since_ = 0;  // first cycle that has not been counted
    std::uint64_t counted_ = 0;
};

}  // namespace simtlm::simulation
