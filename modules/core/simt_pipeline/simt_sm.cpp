// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/simt_sm.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <string>

namespace simtlm::core::simt_pipeline {

simt_sm::simt_sm(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 const sm_config& config, const sm_identity& who,
                 protocol::transaction_pool& transactions)
    : multiprocessor(name, sequencer, config, who),
      shared_("shared_memory", config_),
      collector_("operand_collector", sequencer, config_, statistics_),
      issue_(config_, {warps_, coalescer_, local_memory_, effects_, sleepers_, pool_, statistics_},
             scoreboard_, barriers_, shared_) {
    collector_.set_listener(*this);
    ldst_ = std::make_unique<ldst_unit>(
        "ldst", sequencer, config_,
        load_store_blocks{identity_, warps_, port_, pool_, transactions, statistics_}, scoreboard_,
        collector_, shared_);
    ldst_->to_shared.bind(shared_.load);
    make_units();
    for (unsigned s = 0; s < config_.schedulers; ++s) {
        schedulers_.push_back(std::make_unique<warp_scheduler>(
            fmt::format("scheduler{}", s).c_str(), sequencer, config_, s,
            warp_scheduler::blocks{*this, running_, warps_, scoreboard_, issue_, collector_,
                                   statistics_}));
    }
    for (unsigned s = 0; s < config_.schedulers; ++s)
        schedulers_[s]->issue.bind(collector_.issue[s]);
    front_end_ = std::make_unique<front_end>(
        "front_end", sequencer, config_,
        front_end::blocks{*this, identity_, warps_, scoreboard_, transactions, statistics_});
    bind_caches(transactions);
    close_group();
}

/// Creates the functional units, in the order in which the dispatch stage serves them.
void simt_sm::make_units() {
    std::vector<dispatch_stage::served> order;
    unsigned units = 0;
    for (unsigned p = 0; p < config_.pipelines.size(); ++p) {
        const pipeline_config& pipeline = config_.pipelines[p];
        if (!pipeline.usable() || pipeline.units == 0) continue;
        units_.push_back(
            std::make_unique<functional_units>(pipeline.name.c_str(), sequencer_, pipeline.units));
        order.push_back({units_.back().get(), p});
        units += pipeline.units;
    }
    dispatch_ = std::make_unique<dispatch_stage>("dispatch", sequencer_, config_, collector_, order,
                                                 *ldst_);
    dispatch_->to_ldst.bind(ldst_->dispatch);
    write_back_ = std::make_unique<write_back>("write_back", sequencer_, units, warps_, scoreboard_,
                                               collector_, pool_, statistics_);
    for (auto& unit : units_) dispatch_->to_units.bind(unit->dispatch);
    dispatch_->result_bus.bind(write_back_->results);
}

void simt_sm::bind_caches(protocol::transaction_pool& transactions) {
    l1_caches::config c = l1_caches::from(config_);
    c.data.latency = config_.ldst.l1_latency;
    c.data.cache.quirk_evictions_follow_misses = config_.quirks.evictions_follow_misses;
    if (config_.quirks.sms_in_order) {
        // A miss that stalled is sent after the fetch, like one that did not.
        c.instruction.phase = protocol::phase::core_front_end;
        c.instruction.sub_phase = 1;
    }
    make_caches(c, transactions);
    front_end_->icache.bind(caches_->instruction.port);
    ldst_->l1c.bind(caches_->constant.port);
    ldst_->l1t.bind(caches_->texture.port);
    ldst_->l1d.bind(caches_->data.port);
    ldst_->uncached.bind(port_.from[static_cast<unsigned>(memory_source::ldst)]);
}

void simt_sm::running_begins(std::uint64_t now) {
    for (auto& s : schedulers_) s->sm_started(now);
}

void simt_sm::running_ends(std::uint64_t now) {
    for (auto& s : schedulers_) s->sm_stopped(now);
}

void simt_sm::end_warp(unsigned warp) {
    warps_.empty_buffer(warp);
    warps_.ends(warp);
    barriers_.warp_ended(warps_.warp[warp].cta, warp);
    front_end_->wake();
}

void simt_sm::register_pipeline_statistics(support::statistics& list) {
    list.add(dispatch_->name(), "dispatch", dispatch_->counted());
    for (const auto& of : units_)
        for (std::size_t k = 0; k < of->all().size(); ++k)
            list.add(of->name_of(k), std::string("unit_") + of->basename(), of->all()[k].counted());
}

void simt_sm::flush_pipeline_counters(std::uint64_t edges) {
    if (edges != 0)
        for (auto& s : schedulers_) s->count_until(edges - 1);
}

std::vector<unit_count> simt_sm::unit_counts() const {
    std::vector<unit_count> kinds;
    for (const auto& of : units_) {
        kinds.push_back({of->basename(), 0});
        for (const functional_unit& unit : of->all())
            kinds.back().instructions += unit.counted().instructions;
    }
    return kinds;
}

std::uint64_t simt_sm::result_bus_conflicts() const {
    return dispatch_->counted().result_bus_conflicts;
}

warp_wait simt_sm::wait_for_issue(unsigned w) const {
    if ((warps_.buffered & warp_bit(w)) == 0) return warp_wait::fetch;
    const program::static_instruction& next = *warps_.warp[w].ibuffer.head()->info;
    if (scoreboard_.collides(w, next))
        return scoreboard_.waits_for_long_operation(w, next) ? warp_wait::memory
                                                             : warp_wait::scoreboard;
    const unsigned p = collector_.pipe_of(next.cls);
    if (p != collector_.pipes() && !collector_.can_accept(p, w % schedulers()))
        return warp_wait::pipeline;
    return warp_wait::nothing;
}

std::string simt_sm::wait_for_issue_text(unsigned w) const {
    if ((warps_.buffered & warp_bit(w)) == 0) return "fetch";
    const program::static_instruction& next = *warps_.warp[w].ibuffer.head()->info;
    return fmt::format("{} {}", scoreboard_.collides(w, next) ? "registers of" : "a pipeline for",
                       next.opcode);
}

std::string simt_sm::describe_blocks() const {
    return collector_.describe() + ldst_->describe() + caches_->data.describe();
}

}  // namespace simtlm::core::simt_pipeline
