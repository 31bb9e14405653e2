// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/phases.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>

namespace simtlm::memory {

/// Wakes a process of another clock domain when the core's cycle count reaches a value: the ROP and
/// DRAM latencies are specified in core cycles.
class core_timer {
public:
    /// In core cycles; for shorter times, sleeping costs more than it saves.
    static constexpr std::uint64_t worth_sleeping = 4;

    core_timer(const char* name, simulation::phase_sequencer& sequencer,
               simulation::clocked_process& target)
        : target_(target),
          process_(name, sequencer, protocol::phase::core_dispatch_ctas,
                   simulation::on_edge<&core_timer::ring>(this)) {}

    /// Makes the target awake at its first edge at which sequencer.cycle(core_clock) >= cycle.
    /// @param cycle  core cycle, in the future
    void set(std::uint64_t cycle) {
        if (cycle == set_for_) return;
        set_for_ = cycle;
        process_.wake_at(cycle - 1);
    }

private:
    void ring() {
        if (process_.now() + 1 >= set_for_ && set_for_ != 0) {
            set_for_ = 0;
            target_.wake();
        }
        process_.sleep();
    }

    simulation::clocked_process& target_;
    simulation::clocked_process process_;
    std::uint64_t set_for_ = 0;
};

}  // namespace simtlm::memory
