// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core {

/// The core cycles in which an SM runs: from the cycle after its first CTA is placed to the one in
/// which its last CTA ends.
class running_cycles {
public:
    bool running() const { return running_; }
    /// The SM runs from the next cycle on.
    void start(std::uint64_t now) {
        running_ = true;
        since_ = now + 1;
    }
    /// The SM stops after this cycle.
    void stop(std::uint64_t now) {
        if (now >= since_) finished_ += now - since_ + 1;
        running_ = false;
        stopped_at_ = now;
    }
    /// Number of such cycles before a given cycle.
    std::uint64_t before(std::uint64_t cycle) const {
        return finished_ + (running_ && cycle > since_ ? cycle - since_ : 0);
    }
    /// The same since the last reset, for priorities that rotate.
    std::uint64_t since_reset(std::uint64_t cycle) const {
        return before(cycle) - finished_before_reset_;
    }
    /// Whether the SM ran in a cycle that has just ended.
    bool include(std::uint64_t cycle) const {
        return (running_ && cycle >= since_) || (finished_ != 0 && cycle == stopped_at_);
    }
    /// The last cycle of the last run.
    std::uint64_t stopped_at() const { return stopped_at_; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a.history(finished_, since_, stopped_at_, running_, finished_before_reset_);
        // Priorities continue with another past, too: since_reset() minus the cycle, if running.
        std::uint64_t rotation = finished_ - finished_before_reset_ - (running_ ? since_ : 0);
        if (!a.resets()) a(rotation);
        if (!a.restores()) return;
        finished_before_reset_ =
            a.resets() ? finished_ : finished_ - (running_ ? since_ : 0) - rotation;
    }

private:
    std::uint64_t finished_ = 0;  // in previous runs
    std::uint64_t since_ = 0;     // first cycle of this run
    std::uint64_t stopped_at_ = 0;
    bool running_ = false;
    std::uint64_t finished_before_reset_ = 0;
};

/// The core cycles in which a cluster is simulated: while any of its SMs holds CTAs, or CTAs of a
/// running kernel have not been placed on any cluster. The order in which the SMs of the cluster
/// inject requests rotates in these cycles only.
class simt_cluster_cycles {
public:
    /// Adds a reason to be active, from the next cycle on.
    void start(std::uint64_t now) {
        if (reasons_++ == 0) active_.start(now);
    }
    /// Removes a reason after this cycle.
    void stop(std::uint64_t now) {
        if (--reasons_ == 0) active_.stop(now);
    }
    /// Number of active cycles before a given cycle, since the last reset.
    std::uint64_t since_reset(std::uint64_t cycle) const { return active_.since_reset(cycle); }

    /// Whether there is a reason to be active.
    bool active() const { return reasons_ != 0; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(active_);
        a.history(reasons_);
    }

private:
    running_cycles active_;
    unsigned reasons_ = 0;
};

}  // namespace simtlm::core
