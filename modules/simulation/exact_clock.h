// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm::simulation {

/// An sc_clock whose edge times are computed by a derived class instead of being multiples of a
/// constant period. It is bound, found, listed and traced like any sc_clock.
///
/// Falling edges are omitted, at half the cost, until something asks for the level of the clock or
/// for an event other than that of rising edges.
///
/// The clock can be gated: its owner suppresses edges on which no process would run.
class computed_clock : public sc_core::sc_clock {
public:
    /// @return the time of the k-th future rising edge or the limit, whichever is earlier; in units
    ///         of the time resolution
    /// @param k  starts at 1
    virtual std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const = 0;

    /// Whether the clock can be gated: it has risen, and its falling edge has not been modelled.
    bool can_be_gated() const { return m_cur_val; }
    /// Gates the clock: it stays low from its next falling edge until the first rising edge at or
    /// after a time.
    /// @param time  in units of the time resolution
    /// @pre can_be_gated()
    /// @return the number of suppressed rising edges
    std::uint64_t gate_until(std::uint64_t time) {
        const std::uint64_t skipped = skip_before(time);
        if (skipped != 0) {
            rise_ = rising_edge(1, ~std::uint64_t{0});
            reschedule_rise();
        }
        return skipped;
    }

    /// Suppresses the next times.size() rising edges.
    /// @param times  set to the times of these edges, in units of the time resolution
    /// @pre can_be_gated()
    void suppress(std::vector<std::uint64_t>& times) {
        for (std::uint64_t& t : times) {
            t = rise_;
            next_edge();
            rise_ = next_edge();
        }
        reschedule_rise();
    }

    const bool& read() const override;
    const sc_core::sc_event& default_event() const override;
    const sc_core::sc_event& value_changed_event() const override;
    const sc_core::sc_event& negedge_event() const override;

protected:
    /// The first rising edge is at time 0. Times are in units of the time resolution.
    /// @param period  nominal period
    /// @param first   time of the first falling edge
    computed_clock(const char* name, std::uint64_t period, std::uint64_t first)
        : sc_clock(name, sc_core::sc_time::from_value(period)), fall_(first) {}

    /// @return the time of the edge after the one returned by the previous call; the first call
    ///         returns the time of the second edge
    virtual std::uint64_t next_edge() = 0;

    /// Skips all future rising edges before a time. @return their number
    virtual std::uint64_t skip_before(std::uint64_t time) = 0;

    void before_end_of_elaboration() override;

private:
    void begin_edge();
    void update() override;
    void reschedule_rise();
    void notify_at(std::uint64_t time);
    void stop_omitting_falls();

    std::uint64_t fall_;      // time of the falling edge after the last rising edge
    std::uint64_t rise_ = 0;  // time of the next rising edge
    bool omits_falls_ = true;
};

/// A clock of arbitrary frequency without drift: rising edge n occurs at n / frequency, rounded to
/// the time resolution, and the falling edge half a period later. A plain sc_clock repeats one
/// rounded period, so that two clocks with a fixed frequency ratio drift apart by about one cycle
/// in a million, and the order of their edges, on which contention depends, differs from that of
/// the hardware.
class exact_clock : public computed_clock {
public:
    /// @param frequency  Hz
    exact_clock(const char* name, double frequency)
        : exact_clock(name, segment{0, 0, half_period_of(frequency)}) {}

    std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const override {
        return std::min(edge(2 * (edges_ / 2 + k - 1)), limit);
    }

    /// Changes the frequency.
    /// @param frequency  Hz
    /// @param from       number of the rising edge, from 0, with which the new period begins
    /// @pre  the previous change has taken effect, and two more rising edges precede this one
    void set_frequency(double frequency, std::uint64_t from) {
        const std::uint64_t origin = edge(2 * from);
        previous_ = std::exchange(current_, {2 * from, origin, half_period_of(frequency)});
    }

private:
    /// A constant frequency: that of the edges from one on.
    struct segment {
        std::uint64_t first;      ///< number of this edge, a rising one, in half-periods
        std::uint64_t origin;     ///< time of this edge
        long double half_period;  ///< in units of the time resolution

        std::uint64_t edge(std::uint64_t n) const {
            return origin + static_cast<std::uint64_t>(
                                static_cast<long double>(n - first) * half_period + 0.5L);
        }
    };

    explicit exact_clock(const char* name, const segment& first)
        : computed_clock(name, first.edge(2), first.edge(1)), previous_(first), current_(first) {}

    std::uint64_t next_edge() override { return edge(++edges_); }
    std::uint64_t skip_before(std::uint64_t time) override {
        const std::uint64_t next = edges_ / 2;
        const segment& p = time < current_.origin ? previous_ : current_;
        const auto since = static_cast<long double>(time - p.origin);
        std::uint64_t n =
            std::max(next, p.first / 2 + static_cast<std::uint64_t>(since / (2 * p.half_period)));
        while (n > next && edge(2 * (n - 1)) >= time) --n;
        while (edge(2 * n) < time) ++n;
        edges_ = 2 * n;
        return n - next;
    }
    std::uint64_t edge(std::uint64_t n) const {
        return n < current_.first ? previous_.edge(n) : current_.edge(n);
    }
    static long double half_period_of(double frequency) {
        return 0.5L / static_cast<long double>(frequency) /
               static_cast<long double>(sc_core::sc_get_time_resolution().to_seconds());
    }

    segment previous_, current_;
    std::uint64_t edges_ = 1;  // half-periods whose edge has been returned; the constructor covers
                               // the first
};

}  // namespace simtlm::simulation
