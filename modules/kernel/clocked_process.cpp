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
constexpr std::size_t stack_bytes = 32 * 1024;
#endif
}  // namespace

clocked_process::clocked_process(const char* name, phase_sequencer& sequencer, unsigned phase_index,
                                 edge_action action, bool awake, unsigned phases, process_kind kind)
    : sequencer_(sequencer), first_phase_(phase_index), phase_(phase_index) {
    sc_assert(phases >= 1 && phases <= max_phases);
    for (unsigned k = 0; k < phases; ++k) index_[k] = sequencer_.join(*this, phase_index + k);
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(&edge_);
    if (kind == process_kind::thread) {
        options.set_stack_size(stack_bytes);
        sc_core::sc_spawn(
            [action] {
                for (;;) {
                    action.call(action.self);
                    sc_core::wait();
                }
            },
            name, &options);
    } else {
        options.spawn_method();
        sc_core::sc_spawn([action] { action.call(action.self); }, name, &options);
    }
    if (awake || !sequencer_.options_.sleeping) wake();
}

}  // namespace simtlm::kernel
