// SPDX-License-Identifier: Apache-2.0
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

clocked_process::clocked_process(const sc_core::sc_module_name& name, phase_sequencer& sequencer,
                                 unsigned phase_index, edge_action action, bool awake,
                                 unsigned phases, process_kind kind)
    : sc_module(name),
      sequencer_(sequencer),
      action_(action),
      first_phase_(phase_index),
      phase_(phase_index) {
    using SC_CURRENT_USER_MODULE = clocked_process;
    sc_assert(phases >= 1 && phases <= max_phases);
    for (unsigned k = 0; k < phases; ++k) index_[k] = sequencer_.join(*this, phase_index + k);
    if (kind == process_kind::thread) {
        SC_THREAD(run);
        set_stack_size(stack_bytes);
    } else {
        SC_METHOD(run_once);
    }
    sensitive << edge_;
    dont_initialize();
    if (awake || !sequencer_.options_.sleeping) wake();
}

void clocked_process::run() {
    for (;;) {
        action_.call(action_.self);
        wait();
    }
}

}  // namespace simtlm::kernel
