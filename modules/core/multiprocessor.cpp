// SPDX-License-Identifier: Apache-2.0
#include "modules/core/multiprocessor.h"

#include "modules/kernel/phase_sequencer.h"
#include "modules/protocol/phases.h"

namespace simtlm::core {

multiprocessor::multiprocessor(const sc_core::sc_module_name& name,
                               kernel::phase_sequencer& sequencer, const sm_config& config,
                               const sm_identity& who, unsigned sources)
    : clocked_module(name, sequencer),
      port_("port", config.ldst.response_buffer_size, config.ldst.perfect_memory, sources),
      memory(port_.memory),
      sequencer_(sequencer),
      config_(config),
      who_(who) {}

multiprocessor::~multiprocessor() = default;

void multiprocessor::watch(cta_watcher& watcher) {
    cta_watcher_ = &watcher;
    sequencer_.stay_on_one_thread();  // who watches may watch several SMs
}

void multiprocessor::begin_running() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    running_.start(now);
    if (cluster_cycles_ != nullptr) cluster_cycles_->start(now);
}

void multiprocessor::end_running() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    running_.stop(now);
    if (cluster_cycles_ != nullptr) cluster_cycles_->stop(now);
}

void multiprocessor::set_request_order(protocol::request_order&) {
    if (who_.sms_in_order == 1) port_.wait_for_injection_order(sequencer_);
}

}  // namespace simtlm::core
