// SPDX-License-Identifier: Apache-2.0
#include "modules/core/multiprocessor.h"

#include "modules/kernel/phase_sequencer.h"
#include "modules/protocol/phases.h"

#include <utility>

namespace simtlm::core {

multiprocessor::multiprocessor(const sc_core::sc_module_name& name,
                               kernel::phase_sequencer& sequencer, const sm_config& config,
                               const sm_identity& who, unsigned sources)
    : clocked_module(name, sequencer),
      port_("port", config.ldst.response_buffer_size, sources),
      memory(port_.memory),
      sequencer_(sequencer),
      config_(config),
      who_(who),
      ctas_(config_) {}

multiprocessor::~multiprocessor() = default;

void multiprocessor::watch(cta_watcher& watcher) {
    cta_watcher_ = &watcher;
    sequencer_.stay_on_one_thread();  // the watcher may be shared by several SMs
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

void multiprocessor::launch_dependents(unsigned slot) {
    cta_slots::slot& cta = ctas_[slot];
    if (cta.launches_dependents) return;
    cta.launches_dependents = true;
    const kernel::phase_sequencer::exclusive alone(sequencer_);
    cta_listener_->cta_launches_dependents(who_.sm, *cta.kernel);
}

multiprocessor::released_cta multiprocessor::release_cta(unsigned slot) {
    launch_dependents(slot);
    kernel_context& kernel = ctas_.release(slot);
    ++incomplete_;
    if (cta_watcher_ != nullptr) {
        const kernel::phase_sequencer::exclusive alone(sequencer_);
        cta_watcher_->cta_ended(*this, slot);
    }
    return {&kernel, std::move(ctas_[slot].block)};
}

void multiprocessor::complete_cta(released_cta cta) {
    --incomplete_;
    ++statistics_.ctas_completed;
    const kernel::phase_sequencer::exclusive alone(sequencer_);
    if (ctas_.resident() == 0 && incomplete_ == 0) {
        kernel_ = nullptr;
        end_running();
    }
    cta_listener_->cta_completed(who_.sm, *cta.kernel, std::move(cta.block));
}

void multiprocessor::tell_resources_freed() {
    const kernel::phase_sequencer::exclusive alone(sequencer_);
    cta_listener_->cta_resources_freed();
}

void multiprocessor::count_resident_warps(unsigned warps, std::uint64_t cycle) {
    if (cycle <= residents_since_) return;
    statistics_.warp_cycles += warps * (cycle - residents_since_);
    residents_since_ = cycle;
}

void multiprocessor::set_request_order(protocol::request_order&) {
    if (who_.sms_in_order == 1) port_.wait_for_injection_order(sequencer_);
}

}  // namespace simtlm::core
