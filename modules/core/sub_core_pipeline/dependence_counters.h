// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_bits.h"

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The six dependence counters SB0 to SB5 of a warp (Huerta et al., MICRO 2025, section 4): a
/// variable-latency instruction increments a counter, and decrements it when its result is written
/// (RAW, WAW) or when its operands have been read (WAR). An instruction issues when all counters in
/// its wait mask are 0. A counter ranges from 0 to 63.
class dependence_counters {
public:
    static constexpr unsigned count = program::control_bits::barriers;
    static constexpr std::uint8_t most = 63;

    void increment(unsigned b) {
        ++value_[b];
        pending_ = static_cast<std::uint8_t>(pending_ | 1u << b);
    }
    /// @return whether the counter has reached 0
    bool decrement(unsigned b) {
        if (--value_[b] != 0) return false;
        pending_ = static_cast<std::uint8_t>(pending_ & ~(1u << b));
        return true;
    }
    /// Whether a counter is at its maximum; an instruction that would increment it waits at issue.
    bool full(unsigned b) const { return value_[b] >= most; }
    bool ready(std::uint8_t wait_mask) const { return (pending_ & wait_mask) == 0; }
    /// DEPBAR.LE SBb, limit {, others}: whether counter b is at most `limit` and the others are 0.
    bool at_most(unsigned b, unsigned limit, std::uint8_t others) const {
        return value_[b] <= limit && ready(others);
    }
    unsigned value(unsigned b) const { return value_[b]; }
    /// Bit b: SBb is not 0.
    std::uint8_t pending() const { return pending_; }
    void clear() { *this = {}; }

private:
    std::array<std::uint8_t, count> value_{};
    std::uint8_t pending_ = 0;
};

}  // namespace simtlm::core::sub_core_pipeline
