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
    exact_clock(const sc_core::sc_module_name& name, double frequency)
        : sc_module(name),
          signal("signal", false),
          half_period_(0.5L / static_cast<long double>(frequency) /
                       static_cast<long double>(sc_core::sc_get_time_resolution().to_seconds())) {
        using SC_CURRENT_USER_MODULE = exact_clock;
        SC_METHOD(toggle);
    }

private:
    void toggle() {
        signal.write((half_edges_ & 1u) == 0);
        const std::uint64_t at = next_;
        next_ = edge(++half_edges_);
        next_trigger(sc_core::sc_time::from_value(next_ - at));
    }
    std::uint64_t edge(std::uint64_t n) const {
        return static_cast<std::uint64_t>(static_cast<long double>(n) * half_period_ + 0.5L);
    }

    long double half_period_;  // in units of the time resolution
    std::uint64_t half_edges_ = 0;
    std::uint64_t next_ = 0;
};

}  // namespace simtlm::kernel
