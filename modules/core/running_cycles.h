// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core {

/// The core cycles in which an SM runs: from the one after its first CTA is placed to that in which
/// its last one ends.
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
    /// How many there were before a given cycle.
    std::uint64_t before(std::uint64_t cycle) const {
        return finished_ + (running_ && cycle > since_ ? cycle - since_ : 0);
    }
    /// Whether a cycle that has just ended is among them.
    bool include(std::uint64_t cycle) const {
        return (running_ && cycle >= since_) || (finished_ != 0 && cycle == stopped_at_);
    }
    /// The last cycle of the last run.
    std::uint64_t stopped_at() const { return stopped_at_; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(finished_, since_, stopped_at_, running_);
    }

private:
    std::uint64_t finished_ = 0;  // of finished runs
    std::uint64_t since_ = 0;     // first cycle of this run
    std::uint64_t stopped_at_ = 0;
    bool running_ = false;
};

/// The core cycles in which a cluster is simulated: some SM of it holds CTAs, or CTAs of a running
/// kernel are yet to be placed anywhere. The SMs of the cluster take turns in being the first to
/// inject requests; the order advances in these cycles alone.
class cluster_cycles {
public:
    /// One reason more to be active from the next cycle on.
    void start(std::uint64_t now) {
        if (reasons_++ == 0) active_.start(now);
    }
    /// One reason less after this cycle.
    void stop(std::uint64_t now) {
        if (--reasons_ == 0) active_.stop(now);
    }
    /// How many there were before a given cycle.
    std::uint64_t before(std::uint64_t cycle) const { return active_.before(cycle); }

    /// Whether there is a reason to be.
    bool active() const { return reasons_ != 0; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(active_, reasons_);
    }

private:
    running_cycles active_;
    unsigned reasons_ = 0;
};

}  // namespace simtlm::core
