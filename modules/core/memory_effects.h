// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"

#include <systemc>
#include <vector>

namespace simtlm::core {

class memory_effects;

/// The deferred effects of the executed warps of one SM in this cycle, in issue order.
class effect_queue {
public:
    /// Sets the object that applies the effects SM by SM; without it, an SM applies its own
    /// immediately.
    void set_order(memory_effects& order) { order_ = &order; }
    void defer(program::warp_executor& warp) { add({&warp, 0}); }
    /// Defers an atomic of these lanes that takes effect in this cycle, because it does not go
    /// through an L2.
    void defer_atomic(program::warp_executor& warp, std::uint32_t lanes) { add({&warp, lanes}); }
    /// Applies the deferred effects, in order.
    void apply();

private:
    friend class memory_effects;
    struct effect {
        program::warp_executor* warp;
        std::uint32_t atomic_lanes;  // 0: the oldest effect deferred by the warp

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

/// Applies the memory effects that executed warps have deferred in a cycle, SM by SM, after all SMs
/// have issued. Thus values do not pass between SMs within an issue phase, and results do not
/// depend on the order in which SMs act. Sleeps while no executed warp accesses memory.
class memory_effects : public simulation::clocked_module {
public:
    memory_effects(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer);
    const char* kind() const override { return "memory_effects"; }

    /// Adds an SM's queue, in the order of the SMs. Call before the simulation starts.
    void add(effect_queue& of_sm) {
        queues_.push_back(&of_sm);
        of_sm.set_order(*this);
    }
    /// A queue is not empty. Called by any process of the issue phase.
    void wake() { process_.wake(); }

private:
    void cycle();

    std::vector<effect_queue*> queues_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core
