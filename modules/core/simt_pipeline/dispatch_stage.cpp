// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/dispatch_stage.h"

#include "modules/core/simt_pipeline/ldst_unit.h"
#include "modules/protocol/phases.h"

#include <algorithm>
#include <limits>

namespace simtlm::core::simt_pipeline {

namespace {
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
}  // namespace

dispatch_stage::dispatch_stage(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer, const sm_config& config,
                               operand_collector& collector, const std::vector<served>& pipelines,
                               ldst_unit& ldst)
    : sc_module(name),
      to_units("to_units", *this),
      to_ldst("to_ldst"),
      result_bus("result_bus"),
      config_(config),
      collector_(collector),
      ldst_(ldst),
      reserved_(64),
      process_("process", sequencer, protocol::phase::core_dispatch,
               simulation::on_edge<&dispatch_stage::cycle>(this)) {
    collector_.set_consumer(process_);
    ldst_.set_dispatcher(process_);
    targets_.resize(config.pipelines.size());
    for (unsigned p = 0; p < config.pipelines.size(); ++p)
        if (config.pipelines[p].to_memory) to_memory_ |= std::uint64_t{1} << p;
    int port = 0;
    for (const served& s : pipelines) {
        std::vector<functional_unit>& units = s.units->all();
        targets_[s.p] = {units.data(), static_cast<unsigned>(units.size()), port++};
    }
}

/// Extends the range of cycles that can be reserved.
void dispatch_stage::lengthen(std::uint64_t now) {
    std::vector<reservation> longer(2 * reserved_.size());
    for (std::uint64_t at = now; at < now + reserved_.size(); ++at)
        longer[at & (longer.size() - 1)] = reserved_[at & (reserved_.size() - 1)];
    reserved_ = std::move(longer);
}

bool dispatch_stage::reserve_result_bus(std::uint64_t now, unsigned latency) {
    while (latency >= reserved_.size()) lengthen(now);
    const std::uint64_t at = now + latency;
    reservation& r = reserved_[at & (reserved_.size() - 1)];
    if (const auto low = static_cast<std::uint32_t>(at); r.at != low) r = {low, 0};
    if (r.count >= config_.write_back.width) {
        ++statistics_.result_bus_conflicts;
        return false;
    }
    ++r.count;
    return true;
}

void dispatch_stage::dispatch_to_memory(unsigned p) {
    if (!ldst_.can_accept()) return;  // it wakes this process when it can
    send(to_ldst, collector_.take(p, collector_.ready(p).oldest()));
}

/// @return the first core cycle in which a unit of a pipeline may accept a waiting instruction
std::uint64_t dispatch_stage::dispatch_to_units(unsigned p, std::uint64_t now) {
    const unsigned units = targets_[p].count;
    const pipeline_register& ready = collector_.ready(p);
    std::uint64_t next = never;
    if (config_.sub_core_model) {
        for (std::uint64_t slots = ready.taken(); slots != 0; slots &= slots - 1) {
            const auto s = static_cast<unsigned>(__builtin_ctzll(slots));
            if (s < units) next = std::min(next, dispatch_to_unit(p, s, s, now));
        }
    } else {
        for (unsigned u = 0; u < units && !ready.empty(); ++u)
            next = std::min(next, dispatch_to_unit(p, u, ready.oldest(), now));
    }
    return next;
}

/// @return the first core cycle in which the unit may accept the instruction in a register, or a
///         later one
std::uint64_t dispatch_stage::dispatch_to_unit(unsigned p, unsigned u, unsigned slot,
                                               std::uint64_t now) {
    const target& to = targets_[p];
    const functional_unit& unit = to.units[u];
    if (now < unit.register_free_at()) return unit.register_free_at();
    const program::static_instruction& info = *collector_.ready(p).at(slot).info;
    if (unit.can_accept(info, now) && reserve_result_bus(now, info.latency)) {
        warp_instruction& inst = collector_.take(p, slot);
        inst.unit = static_cast<std::uint16_t>(u);
        send(to_units[to.port], inst);
    }
    return now + 1;
}

void dispatch_stage::cycle() {
    const std::uint64_t now = process_.now();
    std::uint64_t next = never;
    for (std::uint64_t m = collector_.ready_pipelines() & ~to_memory_; m != 0; m &= m - 1)
        next = std::min(next, dispatch_to_units(static_cast<unsigned>(__builtin_ctzll(m)), now));
    for (std::uint64_t m = collector_.ready_pipelines() & to_memory_; m != 0; m &= m - 1)
        dispatch_to_memory(static_cast<unsigned>(__builtin_ctzll(m)));
    if (next == never)
        process_.sleep();  // the load/store unit wakes it, too
    else
        process_.sleep_until(next);
}

}  // namespace simtlm::core::simt_pipeline
