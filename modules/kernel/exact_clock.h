// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

namespace simtlm::kernel {

/// An sc_clock whose edges come when a derived class says, instead of after one repeated period.
/// It is an sc_clock to everybody else: it binds, is found, listed and traced like one.
///
/// The edge processes of sc_clock ask m_posedge_time and m_negedge_time how long it is to the edge
/// after theirs; those are set anew with every edge.
///
/// It can be gated: its owner leaves out edges while nobody needs them.
class computed_clock : public sc_core::sc_clock {
public:
    /// The time of the k-th rising edge to come, or a limit, whichever is earlier; in units of the
    /// time resolution.
    /// @param k  from 1 on
    virtual std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const = 0;

    /// Stays low from its next falling edge to the first rising edge that is not before a time.
    /// @pre it is high
    /// @return how many rising edges that leaves out
    std::uint64_t gate_until(std::uint64_t time) {
        const std::uint64_t skipped = skip_before(time);
        if (skipped != 0) stay_low();
        return skipped;
    }

    /// Leaves out the next rising edges, of which it tells when they would have come.
    /// @param times  as many as are to be left out, in units of the time resolution
    /// @pre it is high
    void suppress(std::vector<std::uint64_t>& times) {
        for (std::uint64_t& t : times) {
            t = rising_edge(1, ~std::uint64_t{0});
            skip_before(t + 1);
        }
        stay_low();
    }

protected:
    /// Edges alternate, from a rising one at time 0 on. In units of the time resolution.
    /// @param period  the nominal one
    /// @param first   time of the first falling edge
    computed_clock(const char* name, std::uint64_t period, std::uint64_t first)
        : sc_clock(name, sc_core::sc_time::from_value(period)), told_(first) {
        m_negedge_time = sc_core::sc_time::from_value(first);
    }

    /// The time of the second edge, the third, and so on: of the one that follows all those told
    /// before.
    virtual std::uint64_t next_edge() = 0;

    /// Forgets the rising edges to come that are before a time. @return how many
    virtual std::uint64_t skip_before(std::uint64_t time) = 0;

private:
    /// Until the next rising edge that has not been forgotten.
    void stay_low() {
        const std::uint64_t next = rising_edge(1, ~std::uint64_t{0});
        m_posedge_time += sc_core::sc_time::from_value(next - told_);
        told_ = next;
    }

    void update() override {
        sc_clock::update();
        const std::uint64_t next = next_edge();
        const auto gap = sc_core::sc_time::from_value(next - told_);
        told_ = next;
        (read() ? m_posedge_time : m_negedge_time) = gap;
    }

    std::uint64_t told_;
};

/// A clock of an arbitrary frequency that does not drift: rising edge n comes at n/f rounded to the
/// time resolution, falling edges half-way. An sc_clock repeats one rounded period, so that two
/// clocks whose frequencies are related slide past each other by a cycle in a million or so, and
/// the order of their edges, on which contention depends, is no longer that of the hardware.
class exact_clock : public computed_clock {
public:
    /// @param frequency  Hz
    exact_clock(const char* name, double frequency)
        : exact_clock(
              name, 0.5L / static_cast<long double>(frequency) /
                        static_cast<long double>(sc_core::sc_get_time_resolution().to_seconds())) {}

    std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const override {
        return std::min(edge(2 * (edges_ / 2 + k - 1), half_period_), limit);
    }

private:
    /// @param half_period  in units of the time resolution
    exact_clock(const char* name, long double half_period)
        : computed_clock(name, edge(2, half_period), edge(1, half_period)),
          half_period_(half_period) {}

    std::uint64_t next_edge() override { return edge(++edges_, half_period_); }
    std::uint64_t skip_before(std::uint64_t time) override {
        const std::uint64_t next = edges_ / 2;
        std::uint64_t n = std::max(
            next, static_cast<std::uint64_t>(static_cast<long double>(time) / (2 * half_period_)));
        while (n > next && edge(2 * (n - 1), half_period_) >= time) --n;
        while (edge(2 * n, half_period_) < time) ++n;
        edges_ = 2 * n;
        return n - next;
    }
    static std::uint64_t edge(std::uint64_t n, long double half_period) {
        return static_cast<std::uint64_t>(static_cast<long double>(n) * half_period + 0.5L);
    }

    long double half_period_;
    std::uint64_t edges_ = 1;  // told after the first
};

}  // namespace simtlm::kernel
