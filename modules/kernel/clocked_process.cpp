// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn: before SystemC is read

#include "modules/kernel/clocked_process.h"

#include <string>

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
    : clocked_process(name, sequencer, phase, action, awake, sub_phases, nullptr) {}

clocked_process::clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                                 edge_action action, bool awake, unsigned sub_phases,
                                 clocked_process* run_by)
    : sequencer_(sequencer),
      group_(sequencer.group_of_new(phase)),
      behind_(group_ != nullptr ? &group_->behind_ : &phase_sequencer::in_time),
      action_(action),
      slot_(group_ != nullptr ? group_->slot_of(phase) : sequencer.slots_.at(phase)),
      chunk_(sequencer.chunk_of_new_),
      run_by_(run_by),
      owner_(sc_core::sc_get_current_object()),
      block_(owner_) {
    domain_ = static_cast<std::uint8_t>(slot_.what.domain);
    sc_assert(sub_phases >= 1);
    index_ = slot_.join(*this, sub_phases);
    if (group_ != nullptr) number_ = static_cast<std::uint16_t>(group_->add(*this));
    if (group_ == nullptr && run_by_ == nullptr) spawn(name);
    if (awake || !sequencer_.options_.sleeping) wake();
}

/// Makes the process of SystemC that runs the action, in the module under construction.
void clocked_process::spawn(const char* name) {
    start_ = std::make_unique<sc_core::sc_event>((std::string(name) + "_start").c_str());
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(start_.get());
    options.set_sensitivity(slot_.start_all.get());
    if (sequencer_.options_.clocked_threads) {
        options.set_stack_size(stack_bytes);
        const auto thread = [this] {
            for (;;) {
                sequencer_.run(*this);
                sc_core::wait();
            }
        };
        sc_core::sc_spawn(thread, name, &options);
    } else {
        options.spawn_method();
        const auto method = [this] { sequencer_.run(*this); };
        sc_core::sc_spawn(method, name, &options);
    }
}

}  // namespace simtlm::kernel
