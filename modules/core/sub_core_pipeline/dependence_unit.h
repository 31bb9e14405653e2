// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/dependence_counters.h"
#include "modules/core/sub_core_pipeline/fetch_stage.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"
#include "modules/core/warp_wait.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Determines which warps of a sub-core wait for another instruction: by their dependence counters
/// if the next instruction has control bits, otherwise by the scoreboard of the SM. An instruction
/// increments its counters two cycles after its issue.
class dependence_unit {
public:
    dependence_unit(sub_core_slots& slots, const fetch_stage& buffers)
        : context_(slots), buffers_(buffers), slots_(slots.size()) {}

    /// A warp has been placed.
    void warp_starts(unsigned slot);
    /// An instruction with control bits has issued. @param memory  a memory instruction
    void issued(unsigned slot, const program::static_instruction& i, bool memory,
                std::uint64_t now);
    /// Increments the counters of instructions that issued before a cycle.
    void apply_increments(std::uint64_t before);
    /// The first cycle in which a counter increments; fetch_stage::never: none.
    std::uint64_t next_increment() const {
        return increments_.empty() ? fetch_stage::never : increments_.front().issued + 2;
    }
    void decrement(unsigned slot, unsigned counter, std::uint64_t now);
    /// The next matrix product can accumulate on the result of one that a counter counts.
    void forward(unsigned slot, unsigned counter, std::uint64_t now);
    /// Its result is written.
    void forwarded(unsigned slot, unsigned counter) { --slots_[slot].forwarded[counter]; }
    /// Recomputes whether the next instruction of a warp waits for another one.
    void refresh(unsigned slot);
    /// Whether a counter that an instruction would increment is at its maximum.
    bool full(unsigned slot, const program::static_instruction& i) const;

    const dependence_counters& counters(unsigned slot) const { return slots_[slot].counters; }
    /// Why a dependent warp waits. @pre slots.dependent has it
    warp_wait wait_of(unsigned slot) const;
    std::string why_waiting(unsigned slot) const;
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(increments_);
    }

private:
    struct slot_state {
        std::uint8_t of_memory = 0;  ///< bit b: SBb counts a memory instruction
        dependence_counters counters;
        /// Products counted by SBb on whose results the next product can accumulate.
        std::array<std::uint8_t, dependence_counters::count> forwarded{};
    };
    struct increment {
        std::uint64_t issued;
        std::uint8_t slot, counter;
        bool memory;
        template <class Archive>
        void checkpoint(Archive& a) {
            a(issued, slot, counter, memory);
        }
    };
    bool waits_for_counters(unsigned slot, const program::static_instruction& i) const;

    sub_core_slots& context_;
    const fetch_stage& buffers_;
    std::vector<slot_state> slots_;
    std::vector<increment> increments_;  // in the last cycles
};

}  // namespace simtlm::core::sub_core_pipeline
