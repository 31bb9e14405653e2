// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // required for sc_spawn, before systemc is included

#include "modules/simulation/process_state.h"

#include <string>

namespace simtlm::simulation {

namespace {
// There may be thousands of threads. A stack holds only a few frames of a block's action, and only
// touched pages occupy memory.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr std::size_t stack_bytes = 256 * 1024;
#else
constexpr std::size_t stack_bytes = 64 * 1024;  // functional execution runs on it and may throw
#endif
constexpr std::uint64_t in_time = 0;  // deferred edges of processes outside groups: always none
}  // namespace

process_state::process_state(const char* name, phase_sequencer& of, phase_index phase,
                             edge_action acts, bool awake, unsigned sub_phases,
                             process_state* runner)
    : sequencer(of),
      group(of.table().group_of_new(phase)),
      edges_deferred(group != nullptr ? &group->edges_deferred() : &in_time),
      action(acts),
      phase_entry(group != nullptr ? group->entry_of(phase) : of.table().phase_entries().at(phase)),
      chunk(of.region().chunk_of_new()),
      phase(phase),
      run_by(runner),
      owner(sc_core::sc_get_current_object()),
      block(owner) {
    domain = static_cast<std::uint8_t>(phase_entry.what.domain);
    sc_assert(sub_phases >= 1);
    index = phase_entry.join(*this, sub_phases);
    if (group != nullptr) number = static_cast<std::uint16_t>(group->add(*this));
    if (group == nullptr && run_by == nullptr) spawn(name);
    if (awake || !sequencer.sleeping_enabled()) wake();
}

/// Creates the SystemC process that runs the action, in the module under construction.
void process_state::spawn(const char* name) {
    start = std::make_unique<sc_core::sc_event>((std::string(name) + "_start").c_str());
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(start.get());
    options.set_sensitivity(phase_entry.start_all.get());
    if (sequencer.clocked_threads()) {
        options.set_stack_size(stack_bytes);
        const auto thread = [this] {
            for (;;) {
                sequencer.run(*this);
                sc_core::wait();
            }
        };
        sc_core::sc_spawn(thread, name, &options);
    } else {
        options.spawn_method();
        const auto method = [this] { sequencer.run(*this); };
        sc_core::sc_spawn(method, name, &options);
    }
}

}  // namespace simtlm::simulation
