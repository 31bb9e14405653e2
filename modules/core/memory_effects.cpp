// SPDX-License-Identifier: Apache-2.0
#include "modules/core/memory_effects.h"

#include "modules/protocol/phases.h"

namespace simtlm::core {

void effect_queue::add(const effect& e) {
    if (order_ == nullptr) {
        e.apply();
        return;
    }
    waiting_.push_back(e);
    order_->wake();
}

void effect_queue::apply() {
    for (const effect& e : waiting_) e.apply();
    waiting_.clear();
}

memory_effects::memory_effects(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer)
    : clocked_module(name, sequencer),
      process_("process", sequencer, protocol::phase::core_effects,
               simulation::on_edge<&memory_effects::cycle>(this)) {}

void memory_effects::cycle() {
    for (effect_queue* queue : queues_) queue->apply();
    process_.sleep();
}

}  // namespace simtlm::core
