// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/exact_clock.h"
#include "modules/simulation/suppressed_edges.h"
#include "modules/simulation/timer_wheel.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm::simulation {

/// The edges of a sequencer's clock domains: their counts, which of them are suppressed because no
/// process would run (gating), and which are deferred (temporal decoupling of one domain). The
/// cycle of a domain is incremented when the step of an edge has ended, its edge count when the
/// step begins.
class edge_source {
public:
    static constexpr unsigned max_domains = 4;
    using counts = std::array<std::uint64_t, max_domains>;

    /// Edges of a domain before the current step.
    std::uint64_t cycle(unsigned domain) const { return cycle_[domain]; }
    /// Edges of every domain so far.
    const counts& edges() const { return edges_; }

    /// Counts an edge of a domain in the step that begins.
    void count_edge(unsigned domain) { ++edges_[domain]; }
    /// Ends a step. Its cycles are counted by count_cycles(), before anything else happens.
    /// @param domains  those with an edge in the step, one bit each
    void end_step(unsigned domains) { uncounted_ = domains; }
    /// Increments the cycles of the domains that had an edge in the last step.
    void count_cycles() {
        for (unsigned d = 0; d < max_domains; ++d) cycle_[d] += uncounted_ >> d & 1u;
        uncounted_ = 0;
    }

    // ---- gating ----

    /// Enables gating.
    /// @param clocks  the clocks to gate, one per domain
    /// @param limit   see phase_sequencer::gate()
    void gate(std::vector<computed_clock*> clocks, std::function<std::uint64_t()> limit) {
        gates_ = std::move(clocks);
        gate_limit_ = std::move(limit);
    }
    bool gates() const { return !gates_.empty(); }
    /// The time of the next edge of any domain, in units of the time resolution.
    /// @pre gates(), and no edge is deferred
    std::uint64_t next_edge() const {
        std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
        for (unsigned d = 0; d < gates_.size(); ++d) next = rising_edge(d, 1, next);
        return next;
    }
    /// Keeps the clocks low until the first edge for which a timer is set, or until the limit. The
    /// edges in between are counted as if they had occurred.
    /// @pre gates(), and no process is awake
    /// @param timers  by domain
    /// @param last    number of an edge of domain 0 that must occur, in the future
    void gate_until_timer(const std::array<timer_wheel, max_domains>& timers, std::uint64_t last);

    // ---- temporal decoupling ----

    /// Enables temporal decoupling of a domain, see phase_sequencer::decouple().
    void decouple(unsigned domain, computed_clock& of_domain) {
        decoupled_domain_ = domain;
        suppressed_.emplace(of_domain);
    }
    /// Disables temporal decoupling, before the simulation starts.
    void couple() { suppressed_.reset(); }
    bool decouples() const { return suppressed_.has_value(); }
    unsigned decoupled_domain() const { return decoupled_domain_; }
    /// The number of edges that the decoupled domain has deferred.
    std::uint64_t deferred() const { return deferred_; }
    /// The time of a deferred edge. @param edges_deferred  edges from it to the next edge, 1 for
    /// the last one
    sc_core::sc_time deferred_time(std::uint64_t edges_deferred) const {
        return sc_core::sc_time::from_value(
            deferred_times_[deferred_times_.size() - edges_deferred]);
    }
    /// The local time offset of the domain: the time since the first deferred
    /// edge.
    sc_core::sc_time local_time_offset() const {
        return deferred_times_.empty() ? sc_core::SC_ZERO_TIME
                                       : sc_core::sc_time_stamp() -
                                             sc_core::sc_time::from_value(deferred_times_.front());
    }
    /// Clears the deferred edges, all of which have been replayed.
    void end_deferral() {
        deferred_ = 0;
        deferred_times_.clear();
    }
    /// Defers the suppressed edges before a time.
    /// @param time        in units of the time resolution
    /// @param begin_edge  called for each edge with the domain, before its cycle is counted
    template <class BeginEdge>
    void defer_before(std::uint64_t time, BeginEdge begin_edge) {
        while (suppressed_->pass_before(time)) defer(suppressed_->last(), begin_edge);
    }
    bool has_edges_before(std::uint64_t time) const { return suppressed_->has_before(time); }
    /// Takes the clock edges at a time: adds the suppressed edge of the decoupled domain at that
    /// time, if there is one, and defers that edge if no other domain has an edge.
    /// @param pending     domains with an edge, one bit each; updated
    /// @param may         whether edges may be deferred now
    /// @param begin_edge  see defer_before()
    /// @return whether edges are left for a step
    template <class BeginEdge>
    bool take(std::uint64_t time, unsigned& pending, bool may, BeginEdge begin_edge) {
        const unsigned decoupled = 1u << decoupled_domain_;
        const bool risen = (pending & decoupled) != 0;
        defer_before(time, begin_edge);
        if (suppressed_->pass_at(time)) pending |= decoupled;
        if (risen && may) suppressed_->suppress_more();
        if (pending != decoupled || !may) return true;
        pending = 0;
        defer(time, begin_edge);
        return false;
    }

private:
    template <class BeginEdge>
    void defer(std::uint64_t time, BeginEdge begin_edge) {
        deferred_times_.push_back(time);
        begin_edge(decoupled_domain_);
        ++cycle_[decoupled_domain_];
        ++deferred_;
    }
    std::uint64_t rising_edge(unsigned domain, std::uint64_t k, std::uint64_t limit) const {
        return suppressed_ && domain == decoupled_domain_ ? suppressed_->rising_edge(k, limit)
                                                          : gates_[domain]->rising_edge(k, limit);
    }

    counts cycle_{};
    std::uint64_t deferred_ = 0;
    std::vector<std::uint64_t> deferred_times_;  // in units of the time resolution
    counts edges_{};
    unsigned uncounted_ = 0;  // domains of the last step, to be counted by count_cycles()
    unsigned decoupled_domain_ = max_domains;
    std::optional<suppressed_edges> suppressed_;  // of the decoupled domain
    std::vector<computed_clock*> gates_;          // empty: clocks are not gated
    std::function<std::uint64_t()> gate_limit_;   // empty: blocks are not woken from outside the
                                                  // simulation
};

inline void edge_source::gate_until_timer(const std::array<timer_wheel, max_domains>& timers,
                                          std::uint64_t last) {
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limit = gate_limit_ ? gate_limit_() : never;
    if (limit <= sc_core::sc_time_stamp().value()) return;
    std::uint64_t until = limit;
    for (unsigned d = 0; d < gates_.size(); ++d)
        if (const unsigned k = timers[d].edges_to_next(edges_[d]); k != 0)
            until = rising_edge(d, k, until);
    if (last != never) until = rising_edge(0, last - edges_[0], until);
    if (until == never) return;
    end_deferral();
    while (suppressed_ && suppressed_->pass_before(until)) {
        ++cycle_[decoupled_domain_];
        ++edges_[decoupled_domain_];
    }
    for (unsigned d = 0; d < gates_.size(); ++d) {
        if (!gates_[d]->can_be_gated())
            continue;  // its falling edge has not occurred yet: gated one edge
                       // later
        const std::uint64_t skipped = gates_[d]->gate_until(until);
        cycle_[d] += skipped;
        edges_[d] += skipped;
    }
}

}  // namespace simtlm::simulation
