// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn: before SystemC is read

#include "modules/kernel/clocked_process.h"

#include "modules/kernel/error.h"

#include <exception>

namespace simtlm::kernel {

namespace {
// Thousands of threads: a stack holds a few frames of a block's action, no more. Only the pages
// that are touched count.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr std::size_t stack_bytes = 256 * 1024, light_stack_bytes = stack_bytes;
#else
constexpr std::size_t stack_bytes = 64 * 1024;        // programs execute on it, and may fail
constexpr std::size_t light_stack_bytes = 16 * 1024;  // a page of it guards
#endif

/// An action of a cycle. What a user did wrong ends the simulation: a process cannot throw out
/// of it.
void act(const edge_action& action, phase_sequencer& sequencer) {
    try {
        action.call(action.self);
    } catch (const user_error&) {
        sequencer.fail(std::current_exception());
    }
}
}  // namespace

clocked_process::clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                                 edge_action action, bool awake, unsigned turns, process_kind kind)
    : sequencer_(sequencer),
      slot_(sequencer.slots_.at(phase)),
      domain_(slot_.what.domain),
      index_(sequencer.join(*this, phase, turns)) {
    sc_assert(turns >= 1);
    turn_ = &slot_.turns.front();
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(&edge_);
    sc_core::sc_process_handle process;
    if (kind == process_kind::thread || sequencer_.options_.threads_only) {
        options.set_stack_size(kind == process_kind::thread ? stack_bytes : light_stack_bytes);
        process = sc_core::sc_spawn(
            [action, &sequencer] {
                for (;;) {
                    act(action, sequencer);
                    sc_core::wait();
                }
            },
            name, &options);
    } else {
        options.spawn_method();
        process =
            sc_core::sc_spawn([action, &sequencer] { act(action, sequencer); }, name, &options);
    }
    block_ = process.get_parent_object();
    if (awake || !sequencer_.options_.sleeping) wake();
}

}  // namespace simtlm::kernel
