// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sm.h"

#include "modules/kernel/error.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace simtlm::core {

sm::sm(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
       const sm_config& config, const sm_identity& who, protocol::transaction_pool& transactions)
    : multiprocessor(name, sequencer, config, who),
      group_("cycle", sequencer, static_cast<unsigned>(protocol::phase_scope::sm),
             who.sms_in_order),
      tagger_(who),
      warps_(config.max_warps),
      scoreboard_(warps_, config.quirks.loads_stay_long),
      barriers_(warps_, config.max_ctas, config.max_barriers_per_cta),
      coalescer_(config_),
      shared_("shared_memory", config_),
      local_memory_(config_, who),
      collector_("operand_collector", sequencer, config_, statistics_),
      sleepers_("sleepers", sequencer, warps_),
      issue_(config_, {warps_, scoreboard_, barriers_, coalescer_, shared_, local_memory_, effects_,
                       sleepers_, pool_, statistics_}) {
    warps_.listener = this;
    collector_.set_listener(*this);
    ldst_ = std::make_unique<ldst_unit>(
        "ldst", sequencer, config_,
        ldst_unit::blocks{tagger_, warps_, scoreboard_, collector_, shared_, port_, pool_,
                          transactions, statistics_});
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
        front_end::blocks{*this, tagger_, warps_, scoreboard_, transactions, statistics_});
    make_caches(transactions);
    group_.close();
}

/// Creates the functional units, in the order in which the dispatch stage serves them.
void sm::make_units() {
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

void sm::make_caches(protocol::transaction_pool& transactions) {
    l1_caches::config c = l1_caches::from(config_);
    c.data.latency = config_.ldst.l1_latency;
    c.data.cache.quirk_evictions_follow_misses = config_.quirks.evictions_follow_misses;
    if (config_.quirks.sms_in_order) {
        // A miss that stalled is sent after the fetch, like one that did not.
        c.instruction.phase = protocol::phase::core_front_end;
        c.instruction.sub_phase = 1;
    }
    caches_ = std::make_unique<l1_caches>(sequencer_, c, transactions);
    front_end_->icache.bind(caches_->instruction.port);
    ldst_->l1c.bind(caches_->constant.port);
    ldst_->l1t.bind(caches_->texture.port);
    ldst_->l1d.bind(caches_->data.port);
    caches_->connect(port_);
    ldst_->uncached.bind(port_.from[static_cast<unsigned>(memory_source::ldst)]);
}

std::uint64_t sm::network_refusals() {
    std::uint64_t n = caches_->back_pressure_cycles();
    for (const auto& stage : statistics_.stalls)  // the load/store unit retries while it is awake
        n += stage[static_cast<unsigned>(memory_stall::network_full)];
    return n;
}

void sm::configure_l1(const l1_split& split) {
    if (config_.l1.data_enabled) caches_->data.reconfigure(split.ways, split.allocation);
}

void sm::begin_running() {
    multiprocessor::begin_running();
    for (auto& s : schedulers_) s->sm_started(sequencer_.cycle(protocol::core_clock));
}

void sm::end_running() {
    for (auto& s : schedulers_) s->sm_stopped(sequencer_.cycle(protocol::core_clock));
    multiprocessor::end_running();
}

void sm::launch(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    if (!running_.running()) begin_running();
    kernel_ = &kernel;
    const unsigned slot = ctas_.allocate(kernel, std::move(block));
    const cta_slots::slot& cta = ctas_[slot];
    ++statistics_.ctas_launched;
    local_memory_.place(slot, cta.padded_threads, kernel.ctas_per_sm);
    if (kernel.descriptor != nullptr)
        scoreboard_.allow_registers(kernel.descriptor->register_numbers);

    const unsigned first_warp = cta.first_thread / config_.warp_size;
    const unsigned count = cta.padded_threads / config_.warp_size;
    warp_mask members = 0;
    for (unsigned i = 0; i < count; ++i) members |= warp_bit(first_warp + i);
    barriers_.allocate(slot, members);
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident |= members;
    cta.block->placed({who_.sm, who_.sms, slot, first_warp});
    for (unsigned i = 0; i < count; ++i) begin_warp(first_warp + i, slot, i);
    front_end_->wake();
    if (cta_watcher_ != nullptr) cta_watcher_->cta_started(*this, slot, kernel, *cta.block);
}

/// @param number  index of the warp in its CTA
void sm::begin_warp(unsigned w, unsigned slot, unsigned number) {
    const cta_slots::slot& cta = ctas_[slot];
    const program::warp_code code = cta.block->warp(number);
    warp_state& warp = warps_.warp[w];
    warp.code = warp.resolved_path = code.window;
    warp.addresses = code.addresses;
    warp.executor = code.executor;
    if (warp.executor != nullptr)
        sequencer_.stay_on_one_thread();  // warps share the state of a
                                          // program
    warp.ibuffer.flush();
    warp.dynamic_id = dynamic_warps_++;
    warp.cta = slot;
    warp.number = number;
    warp.threads =
        std::min(config_.warp_size, cta.kernel->needs.threads - number * config_.warp_size);
    warp.copy_groups.clear();
    warp.copy_wait_below = 0;
    warp.last_pc = warp.fall_through_pc = code.window.empty() ? 0 : code.window.next->info->pc;
    ++statistics_.warps_launched;
    if (code.window.empty()) {
        warps_.ends(w);
        barriers_.warp_ended(slot, w);
    }
}

void sm::warp_exits(unsigned w) {
    const warp_state& warp = warps_.warp[w];
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident &= ~warp_bit(w);
    warps_.done &= ~warp_bit(w);
    if (!ctas_.warp_exits(warp.cta, warp.threads)) return;
    barriers_.deallocate(warp.cta);
    complete_cta(warp.cta);
}

void sm::no_unit_for(const program::static_instruction& inst) {
    sequencer_.fail(std::make_exception_ptr(kernel::user_error(
        kernel_ != nullptr && kernel_->descriptor != nullptr ? kernel_->descriptor->origin
                                                             : std::string(),
        fmt::format("{} at PC {:#x} needs a functional unit that the configuration lacks",
                    inst.opcode, inst.pc),
        "enable the unit in the configuration, or map the opcode to another with --opcode-table")));
}

void sm::concerns_dependents(const warp_instruction& inst) {
    if (inst.active_mask == 0) return;
    const unsigned slot = warps_.warp[inst.warp].cta;
    if (inst.info->special == program::special_op::launch_dependents)
        launch_dependents(slot);
    else
        dependency_.wait(warps_, inst.warp, *ctas_[slot].kernel);
}

void sm::register_statistics(kernel::statistics& list) {
    list.add(name(), "sm", counted());
    list.add(dispatch_->name(), "dispatch", dispatch_->counted());
    for (const auto& of : units_)
        for (std::size_t k = 0; k < of->all().size(); ++k)
            list.add(of->name_of(k), std::string("unit_") + of->basename(), of->all()[k].counted());
    caches_->register_statistics(list);
}

void sm::settle() {
    statistics();
    caches_->settle();
}

std::vector<unit_count> sm::unit_counts() const {
    std::vector<unit_count> kinds;
    for (const auto& of : units_) {
        kinds.push_back({of->basename(), 0});
        for (const functional_unit& unit : of->all())
            kinds.back().instructions += unit.counted().instructions;
    }
    return kinds;
}

std::uint64_t sm::result_bus_conflicts() const {
    return dispatch_->counted().result_bus_conflicts;
}

warp_wait sm::why_waiting(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    if ((warps_.done & bit) != 0) return warp_wait::exit;
    if ((warps_.at_barrier & bit) != 0) return warp_wait::barrier;
    if ((warps_.at_memory_barrier & bit) != 0) return warp_wait::memory_barrier;
    if ((warps_.at_atomic & bit) != 0) return warp_wait::atomics;
    if ((warps_.at_copy & bit) != 0) return warp_wait::copies;
    if ((warps_.at_engine & bit) != 0) return warp_wait::engine;
    if ((warps_.asleep & bit) != 0) return warp_wait::sleep;
    if ((warps_.buffered & bit) == 0) return warp_wait::fetch;
    const program::static_instruction& next = *warps_.warp[w].ibuffer.head()->info;
    if (scoreboard_.collides(w, next))
        return scoreboard_.waits_for_long_operation(w, next) ? warp_wait::memory
                                                             : warp_wait::scoreboard;
    const unsigned p = collector_.pipe_of(next.cls);
    if (p != collector_.pipes() && !collector_.can_accept(p, w % schedulers()))
        return warp_wait::pipeline;
    return warp_wait::nothing;
}

const core_statistics& sm::statistics() {
    const std::uint64_t edges = sequencer_.edges(protocol::core_clock);
    if (edges != 0)
        for (auto& s : schedulers_) s->settle(edges - 1);
    statistics_.cycles = running_.before(edges);
    count_residents(edges);
    return statistics_;
}

std::string sm::wait_text(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    const warp_state& s = warps_.warp[w];
    std::string why;
    const auto add = [&why](const std::string& t) { why += (why.empty() ? "" : ", ") + t; };
    if ((warps_.at_barrier & bit) != 0) add("a barrier");
    if ((warps_.at_memory_barrier & bit) != 0) add("a memory barrier");
    if ((warps_.at_atomic & bit) != 0) add(fmt::format("{} atomics", s.atomics));
    if ((warps_.at_copy & bit) != 0) add("asynchronous copies");
    if ((warps_.asleep & bit) != 0) add("the end of its sleep");
    if (dependency_.holds(w)) add("the end of the kernel on which its kernel depends");
    if ((warps_.fetching & bit) != 0) add("an instruction cache miss");
    if ((warps_.done & bit) != 0)
        add(fmt::format("its end: {} instructions in flight, {} stores", s.in_pipeline, s.stores));
    if (!why.empty()) return why;
    if ((warps_.buffered & bit) == 0) return "fetch";
    const program::static_instruction& next = *s.ibuffer.head()->info;
    return fmt::format("{} {}", scoreboard_.collides(w, next) ? "registers of" : "a pipeline for",
                       next.opcode);
}

std::string sm::describe() const {
    std::string text;
    for (unsigned w = 0; w < warps_.warp.size(); ++w) {
        if ((warps_.resident & warp_bit(w)) == 0) continue;
        const warp_state& s = warps_.warp[w];
        text += fmt::format("  SM {} warp {} (CTA slot {}) after PC {:#x} waits for {}\n", who_.sm,
                            w, s.cta, s.last_pc, wait_text(w));
    }
    for (unsigned c = 0; c < ctas_.size(); ++c)
        if (ctas_[c].kernel != nullptr) text += barriers_.describe(c);
    text += collector_.describe() + ldst_->describe();
    text += caches_->data.describe();
    return text;
}

}  // namespace simtlm::core
