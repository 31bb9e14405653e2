// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace simtlm::kernel {

/// A clock of an arbitrary frequency that does not drift: rising edge n comes at n/f rounded to the
/// time resolution, falling edges half-way. An sc_clock repeats one rounded period, so that two
/// clocks whose frequencies are related slide past each other by a cycle in a million or so, and
/// the order of their edges, on which contention depends, is no longer that of the hardware.
/// Bind `signal` where an sc_clock would be bound.
class exact_clock : public sc_core::sc_module {
public:
    sc_core::sc_signal<bool> signal;

    /// @param frequency  Hz
    /// @param leader     Hz; not 0: edges that coincide with those of a clock of this frequency
    /// come
    ///                   just before or after them, as the sums of periods in double precision
    ///                   compare (what a simulator that adds periods up does; quirk rounded-clocks)
    exact_clock(const sc_core::sc_module_name& name, double frequency, double leader = 0)
        : sc_module(name),
          signal("signal", false),
          half_period_(0.5L / static_cast<long double>(frequency) /
                       static_cast<long double>(sc_core::sc_get_time_resolution().to_seconds())),
          frequency_(frequency),
          leader_(leader) {
        using SC_CURRENT_USER_MODULE = exact_clock;
        SC_METHOD(toggle);
    }

    double frequency() const { return frequency_; }

private:
    void toggle() {
        signal.write((half_edges_ & 1u) == 0);
        const std::uint64_t at = next_;
        next_ = edge(++half_edges_);
        if (leader_ != 0 && (half_edges_ & 1u) == 0) next_ += nudge();
        next_trigger(sc_core::sc_time::from_value(next_ - at));
    }
    /// -1, 0 or 1: where the sums of periods put the next rising edge beside one of the leader's.
    std::uint64_t nudge() {
        sum_ += 1 / frequency_;
        const double period = 1 / leader_;
        while (leader_sum_ + period / 2 < sum_) leader_sum_ += period;
        const double apart = sum_ - leader_sum_;
        const double resolution = sc_core::sc_get_time_resolution().to_seconds();
        if (apart == 0 || apart > resolution / 2 || apart < -resolution / 2) return 0;
        return apart > 0 ? 1 : ~std::uint64_t{0};
    }
    std::uint64_t edge(std::uint64_t n) const {
        return static_cast<std::uint64_t>(static_cast<long double>(n) * half_period_ + 0.5L);
    }

    long double half_period_;  // in units of the time resolution
    std::uint64_t half_edges_ = 0;
    std::uint64_t next_ = 0;
    double frequency_, leader_;
    double sum_ = 0, leader_sum_ = 0;  // seconds
};

}  // namespace simtlm::kernel
