// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn: before SystemC is read

#include "modules/kernel/clocked_process.h"

namespace simtlm::kernel {

namespace {
// Thousands of threads: a stack holds a few frames of a block's action, no more. Only the pages
// that are touched count.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr std::size_t stack_bytes = 256 * 1024;
#else
constexpr std::size_t stack_bytes = 64 * 1024;  // programs execute on it, and may fail
#endif
}  // namespace

clocked_process::clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                                 edge_action action, bool awake, unsigned sub_phases)
    : sequencer_(sequencer),
      group_(sequencer.group_of_new(phase)),
      slot_(group_ != nullptr ? group_->slot_of(phase) : sequencer.slots_.at(phase)),
      behind_(group_ != nullptr ? &group_->behind_ : &phase_sequencer::in_time),
      domain_(slot_.what.domain),
      index_(slot_.join(*this, sub_phases)),
      chunk_(sequencer.chunk_of_new_),
      action_(action),
      block_(sc_core::sc_get_current_object()) {
    sc_assert(sub_phases >= 1);
    if (group_ != nullptr) number_ = group_->add(*this);
    if (sequencer_.options_.clocked_threads) make_thread(name);
    if (awake || !sequencer_.options_.sleeping) wake();
}

void clocked_process::make_thread(const char* name) {
    edge_ = std::make_unique<sc_core::sc_event>();
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(edge_.get());
    options.set_stack_size(stack_bytes);
    sc_core::sc_spawn(
        [action = action_, sequencer = &sequencer_] {
            for (;;) {
                sequencer->act(action);
                sc_core::wait();
            }
        },
        name, &options);
}

}  // namespace simtlm::kernel
