// SPDX-License-Identifier: Apache-2.0
#include "modules/core/dispatch_stage.h"

#include "modules/core/ldst_unit.h"
#include "modules/protocol/phases.h"

namespace simtlm::core {

dispatch_stage::dispatch_stage(const sc_core::sc_module_name& name,
                               kernel::phase_sequencer& sequencer, const sm_config& config,
                               operand_collector& collector, std::vector<unit> units,
                               ldst_unit& ldst)
    : sc_module(name),
      to_units("to_units"),
      to_ldst("to_ldst"),
      config_(config),
      collector_(collector),
      units_(std::move(units)),
      ldst_(ldst),
      result_bus_(64),
      process_("process", sequencer, protocol::phase::core_dispatch,
               kernel::on_edge<&dispatch_stage::cycle>(this)) {
    collector_.set_consumer(process_);
    for (unsigned p = 0; p < config.pipelines.size(); ++p)
        if (config.pipelines[p].to_memory) to_memory_.push_back(p);
}

/// Cycles further ahead can be reserved.
void dispatch_stage::lengthen(std::uint64_t now) {
    std::vector<reservation> longer(2 * result_bus_.size());
    for (std::uint64_t at = now; at < now + result_bus_.size(); ++at)
        longer[at & (longer.size() - 1)] = result_bus_[at & (result_bus_.size() - 1)];
    result_bus_ = std::move(longer);
}

bool dispatch_stage::reserve_result_bus(std::uint64_t now, unsigned latency) {
    while (latency >= result_bus_.size()) lengthen(now);
    const std::uint64_t at = now + latency;
    reservation& r = result_bus_[at & (result_bus_.size() - 1)];
    if (const auto low = static_cast<std::uint32_t>(at); r.at != low) r = {low, 0};
    if (r.count >= config_.ex_wb_width) {
        ++statistics_.result_bus_conflicts;
        return false;
    }
    ++r.count;
    return true;
}

/// @return whether there is or was something to dispatch
bool dispatch_stage::dispatch_to_memory(unsigned p) {
    pipeline_register& ready = collector_.ready(p);
    if (ready.empty()) return false;
    if (ldst_.can_accept()) {
        warp_instruction* inst = ready.oldest();
        ready.remove(*inst);
        send(to_ldst, *inst);
    }
    return true;
}

void dispatch_stage::cycle() {
    const std::uint64_t now = process_.now();
    bool left = false;
    for (std::size_t u = 0; u < units_.size(); ++u) {
        const unit& target = units_[u];
        pipeline_register& ready = collector_.ready(target.p);
        if (ready.empty()) continue;
        warp_instruction* inst = config_.sub_core_model ? ready.of(target.number) : ready.oldest();
        if (inst == nullptr) continue;
        left = true;
        if (!target.block->can_accept(*inst->info, now)) continue;
        if (!reserve_result_bus(now, inst->info->latency)) continue;
        ready.remove(*inst);
        send(to_units[static_cast<int>(u)], *inst);
    }
    for (const unsigned p : to_memory_) left |= dispatch_to_memory(p);
    if (!left) process_.sleep();
}

}  // namespace simtlm::core
