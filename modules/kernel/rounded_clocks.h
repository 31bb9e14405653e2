// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

namespace simtlm::kernel {

/// Several clocks, as a simulator has them that adds up periods in double precision and lets those
/// with the least sum tick next (quirk rounded-clocks): edges that coincide are apart, in one order
/// or the other, where their sums have been rounded differently. An edge comes at its sum, or as
/// soon after the one before as the time resolution allows. Falling edges are half-way between.
class rounded_clocks : public sc_core::sc_module {
public:
    sc_core::sc_vector<sc_core::sc_signal<bool>> signal;

    /// @param frequencies  Hz
    rounded_clocks(const sc_core::sc_module_name& name, const std::vector<double>& frequencies)
        : sc_module(name), signal("signal", frequencies.size()), sums_(frequencies.size()) {
        for (const double f : frequencies) periods_.push_back(1 / f);
        using SC_CURRENT_USER_MODULE = rounded_clocks;
        SC_METHOD(tick);
    }

private:
    void tick() {
        high_ = !high_;
        if (!high_) {
            for (auto& s : signal) s.write(false);
            next_trigger(sc_core::sc_time::from_value(next_ - middle_));
            return;
        }
        const double now = *std::min_element(sums_.begin(), sums_.end());
        for (std::size_t c = 0; c < sums_.size(); ++c) {
            if (sums_[c] != now) continue;
            signal[c].write(true);
            sums_[c] += periods_[c];
        }
        const double next = *std::min_element(sums_.begin(), sums_.end());
        const std::uint64_t at = next_;
        next_ = std::max(at + 2, static_cast<std::uint64_t>(
                                     next / sc_core::sc_get_time_resolution().to_seconds() + 0.5));
        middle_ = at + (next_ - at) / 2;
        next_trigger(sc_core::sc_time::from_value(middle_ - at));
    }

    std::vector<double> periods_, sums_;   // seconds
    std::uint64_t next_ = 0, middle_ = 0;  // in units of the time resolution
    bool high_ = false;
};

}  // namespace simtlm::kernel
