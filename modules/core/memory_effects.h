// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
#include "modules/program/kernel_source.h"

#include <systemc>
#include <vector>

namespace simtlm::core {

class memory_effects;

/// What the executed warps of one SM have deferred in this cycle, in the order of their issue.
class effect_queue {
public:
    /// Someone applies them SM after SM; without, an SM applies its own at once.
    void set_order(memory_effects& order) { order_ = &order; }
    void defer(program::warp_executor& warp) { add({&warp, 0}); }
    /// An atomic of these lanes takes effect in this cycle: there is no L2 on its way.
    void defer_atomic(program::warp_executor& warp, std::uint32_t lanes) { add({&warp, lanes}); }
    void apply();

private:
    friend class memory_effects;
    struct effect {
        program::warp_executor* warp;
        std::uint32_t atomic_lanes;  // 0: the oldest that the warp has deferred

        void apply() const {
            if (atomic_lanes == 0)
                warp->apply_memory();
            else
                warp->perform_atomic(atomic_lanes);
        }
    };
    void add(const effect& e);

    std::vector<effect> waiting_;
    memory_effects* order_ = nullptr;
};

/// Applies the memory effects that executed warps have deferred in a cycle, SM after SM, when all
/// have issued: so values do not pass between SMs within one issue phase, and the order in which
/// SMs act changes nothing. Sleeps while no executed warp touches memory.
class memory_effects : public kernel::clocked_module {
public:
    memory_effects(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer);

    /// An SM's queue, in the order of the SMs. Before the simulation starts.
    void add(effect_queue& of_sm) {
        queues_.push_back(&of_sm);
        of_sm.set_order(*this);
    }
    /// A queue has something. From any process of the issue phase.
    void wake() { process_.wake(); }

private:
    void cycle();

    std::vector<effect_queue*> queues_;
    kernel::clocked_process process_;
};

}  // namespace simtlm::core
