// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/operand_collector.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace simtlm::core::simt_pipeline {

operand_collector::operand_collector(const sc_core::sc_module_name& name,
                                     simulation::phase_sequencer& sequencer,
                                     const sm_config& config, core_statistics& statistics)
    : sc_module(name),
      issue("issue", config.schedulers),
      config_(config),
      statistics_(statistics),
      bank_queue_(config.collector.banks),
      banks_(config.sub_core_model ? config.collector.banks / config.schedulers
                                   : config.collector.banks),
      power_of_two_banks_((banks_ & (banks_ - 1)) == 0),
      process_("process", sequencer, protocol::phase::core_operands,
               simulation::on_edge<&operand_collector::cycle>(this)) {
    for (auto& socket : issue) socket.register_nb_transport_fw(this, &operand_collector::accept);

    make_registers();
    make_general_collectors();
    if (config.collector.specialized) make_specialized_collectors();
    const unsigned total = static_cast<unsigned>(units_.size());
    sc_assert(total <= max_units && config.collector.banks <= max_banks &&
              pipes() <= max_pipelines && config.schedulers <= max_schedulers);
    awaited_by_.resize(pipes());
    kept_by_.resize(pipes());
    const unsigned per_scheduler = config.sub_core_model ? total / config.schedulers : total;
    for (unsigned i = 0; i < total; ++i)
        units_[i].slot = static_cast<std::uint8_t>(per_scheduler == 0 ? 0 : i / per_scheduler);
    for (auto& q : bank_queue_) q.reset(std::size_t{total} * program::max_sources);
}

void operand_collector::make_registers() {
    const std::vector<pipeline_config>& table = config_.pipelines;
    for (const pipeline_config& p : table) {
        id_oc_.emplace_back(p.id_oc, config_.sub_core_model);
        oc_ex_.emplace_back(p.oc_ex, config_.sub_core_model);
    }
    for (unsigned c = 0; c < program::op_class_count; ++c)
        pipe_of_[c] = route(table, static_cast<program::op_class>(c));
}

/// All pipelines in one of the visiting orders.
std::vector<unsigned> operand_collector::pipes_by(unsigned pipeline_config::visits::*order) const {
    const std::vector<pipeline_config>& table = config_.pipelines;
    std::vector<unsigned> pipes(table.size());
    std::iota(pipes.begin(), pipes.end(), 0u);
    std::stable_sort(pipes.begin(), pipes.end(), [&](unsigned a, unsigned b) {
        return table[a].order.*order < table[b].order.*order;
    });
    return pipes;
}

void operand_collector::make_general_collectors() {
    const unsigned general = add_pool(config_.collector.general);
    std::vector<unsigned> present;
    for (const unsigned p : pipes_by(&pipeline_config::visits::general_ports))
        if (config_.pipelines[p].present) present.push_back(p);
    add_entrance(config_.collector.general.in_ports, present, {general});
}

/// Creates collectors for single pipelines, whose instructions may use the general collectors as
/// well.
void operand_collector::make_specialized_collectors() {
    constexpr unsigned general = 0;
    std::vector<unsigned> pool_of(pipes());
    for (const unsigned p : pipes_by(&pipeline_config::visits::pools))
        pool_of[p] = add_pool(config_.pipelines[p].collectors);
    for (const unsigned p : pipes_by(&pipeline_config::visits::own_ports))
        add_entrance(config_.pipelines[p].collectors.in_ports, {p}, {pool_of[p], general});
}

/// Creates a pool with round-robin priority: each collector is followed by the next, or with
/// sub-cores by the first of the next scheduler.
unsigned operand_collector::add_pool(const collector_pool_config& with) {
    const auto first = static_cast<unsigned>(units_.size());
    units_.resize(first + with.units);
    const unsigned each = std::max(1u, with.units / config_.schedulers);
    const auto after = [&](unsigned i) {
        const unsigned next = config_.sub_core_model ? i + each - i % each : i + 1;
        return static_cast<std::uint8_t>(first + (next < with.units ? next : next - with.units));
    };
    for (unsigned i = 0; i < with.units; ++i) units_[first + i].next = after(i);
    pools_.push_back({first, with.units, with.units / config_.schedulers, {}});
    if (with.units > 0) pools_.back().next_unit.assign(with.out_ports, after(0));
    return static_cast<unsigned>(pools_.size()) - 1;
}

void operand_collector::add_entrance(unsigned ports, const std::vector<unsigned>& pipes,
                                     std::vector<unsigned> pools) {
    entrance e{ports, {}, std::vector<std::uint8_t>(this->pipes()), 0, std::move(pools)};
    for (const unsigned p : pipes) {
        e.rank[p] = static_cast<std::uint8_t>(e.pipes.size());
        e.pipes.push_back(static_cast<std::uint8_t>(p));
        e.serves |= std::uint64_t{1} << p;
    }
    if (ports > 0) entrances_.push_back(std::move(e));
}

tlm::tlm_sync_enum operand_collector::accept(warp_instruction& inst, tlm::tlm_phase&,
                                             sc_core::sc_time&) {
    const unsigned p = pipe_of(inst.info->cls);
    id_oc_[p].put(inst.scheduler, inst);
    waiting_pipelines_ |= std::uint64_t{1} << p;
    process_.wake();
    return tlm::TLM_ACCEPTED;
}

bool operand_collector::write_back(const warp_instruction& inst, unsigned& first_unwritten,
                                   std::uint64_t now) {
    if (written_in_ != now + 1) {
        written_in_ = now + 1;
        written_ = 0;
    }
    const banks_of of(*this, inst);
    for (; first_unwritten < inst.info->n_dst; ++first_unwritten) {
        const unsigned r = inst.info->dst[first_unwritten];
        if (r == program::register_zero) continue;
        const std::uint64_t bank = std::uint64_t{1} << of.bank(r);
        if ((written_ & bank) != 0) return false;
        written_ |= bank;
        ++statistics_.register_writes;
    }
    return true;
}

void operand_collector::cycle() {
    const std::uint64_t now = process_.now();
    bool moved = false;
    for (unsigned pass = 0; pass < config_.collector.port_throughput; ++pass) {
        if ((complete_ & ~kept_) != 0) moved |= dispatch();
        if (bank_pending_ != 0) {
            read(pass == 0, now);
            moved = true;
        }
        if (waiting_pipelines_ != 0) moved |= allocate();
    }
    // The rest moves only when an OC_EX register is emptied or an instruction is issued.
    if (!moved || idle()) process_.sleep();
}

/// @return whether anything was dispatched
bool operand_collector::dispatch() {
    bool any = false;
    for (pool& from : pools_)
        for (std::uint8_t& next_unit : from.next_unit) {
            // If one port of a pool cannot dispatch, neither can the next ones.
            if (!dispatch_one(from, next_unit)) break;
            any = true;
        }
    return any;
}

/// Dispatches the next complete unit of a pool, round robin, whose OC_EX register is free.
/// @param next_unit  of a port: the unit with the highest priority
bool operand_collector::dispatch_one(const pool& from, std::uint8_t& next_unit) {
    for (;;) {
        const std::uint64_t candidates = complete_ & ~kept_ & units_mask(from.first, from.units);
        if (candidates == 0) return false;
        const std::uint64_t later = candidates >> next_unit << next_unit;
        const auto unit = static_cast<unsigned>(__builtin_ctzll(later != 0 ? later : candidates));
        if (dispatch_unit(unit)) {
            next_unit = units_[unit].next;
            return true;
        }
    }
}

bool operand_collector::dispatch_unit(unsigned unit) {
    collector& c = units_[unit];
    const std::uint64_t bit = std::uint64_t{1} << unit;
    if (!oc_ex_[c.out].has_free(c.slot)) {
        kept_ |= bit;
        kept_by_[c.out] |= bit;
        return false;
    }
    oc_ex_[c.out].put(c.slot, *c.inst);
    ready_pipelines_ |= std::uint64_t{1} << c.out;
    complete_ &= ~bit;
    occupied_ &= ~bit;
    for (entrance& e : entrances_) e.full = 0;
    consumer_->wake();
    return true;
}

void operand_collector::read(bool first_pass, std::uint64_t now) {
    std::uint64_t banks = bank_pending_;
    if (first_pass && written_in_ == now + 1) {
        statistics_.register_bank_conflicts +=
            static_cast<unsigned>(__builtin_popcountll(banks & written_));
        banks &= ~written_;
    }
    for (; banks != 0; banks &= banks - 1) {
        const unsigned b = static_cast<unsigned>(__builtin_ctzll(banks));
        auto& queue = bank_queue_[b];
        const unsigned u = queue.pop();
        if (queue.empty())
            bank_pending_ &= ~(std::uint64_t{1} << b);
        else
            statistics_.register_bank_conflicts += queue.size();
        ++statistics_.register_reads;
        if (--units_[u].missing == 0) complete_ |= std::uint64_t{1} << u;
    }
}

/// @return whether any instruction was allocated a unit
bool operand_collector::allocate() {
    bool any = false;
    for (entrance& e : entrances_)
        for (unsigned port = 0; port < e.ports; ++port) {
            // If one port cannot allocate, neither can the next ones of the same kind.
            if (!allocate_from(e)) break;
            any = true;
        }
    return any;
}

/// Allocates for one port, at most one instruction per pipeline.
bool operand_collector::allocate_from(entrance& e) {
    std::uint64_t visits = 0;  // bit k: the k-th pipeline in the order of the port
    for (std::uint64_t m = waiting_pipelines_ & e.serves & ~e.full; m != 0; m &= m - 1)
        visits |= std::uint64_t{1} << e.rank[static_cast<unsigned>(__builtin_ctzll(m))];
    bool any = false;
    for (; visits != 0; visits &= visits - 1) {
        const unsigned p = e.pipes[static_cast<unsigned>(__builtin_ctzll(visits))];
        if (allocate_unit(e, p))
            any = true;
        else
            e.full |= std::uint64_t{1} << p;
    }
    return any;
}

bool operand_collector::allocate_unit(const entrance& e, unsigned p) {
    const unsigned slot = id_oc_[p].oldest();
    warp_instruction& inst = id_oc_[p].at(slot);
    for (const unsigned k : e.pools) {
        unsigned low = pools_[k].first;
        unsigned count = pools_[k].units;
        if (config_.sub_core_model) {
            count = pools_[k].per_scheduler;
            low += inst.scheduler * count;
        }
        const std::uint64_t free = units_mask(low, count) & ~occupied_;
        if (free == 0) continue;
        id_oc_[p].remove(slot);
        occupy(static_cast<unsigned>(__builtin_ctzll(free)), inst, p);
        left_id_oc(p);
        return true;
    }
    return false;
}

/// Assigns an instruction to a unit, which requests its operands.
void operand_collector::occupy(unsigned unit, warp_instruction& inst, unsigned p) {
    collector& c = units_[unit];
    c.inst = &inst;
    c.out = static_cast<std::uint8_t>(p);
    c.missing = 0;
    occupied_ |= std::uint64_t{1} << unit;
    const program::static_instruction& info = *inst.info;
    const banks_of of(*this, inst);
    for (unsigned i = 0; i < info.n_src; ++i) {
        const unsigned r = info.src[i];
        bool named_before = r == program::register_zero || (info.uncollected >> i & 1u) != 0;
        for (unsigned j = 0; j < i; ++j) named_before |= info.src[j] == r;
        if (named_before) continue;
        const unsigned b = of.bank(r);
        bank_queue_[b].push(static_cast<std::uint8_t>(unit));
        bank_pending_ |= std::uint64_t{1} << b;
        ++c.missing;
    }
    if (c.missing == 0) complete_ |= std::uint64_t{1} << unit;
}

/// A register of a pipeline is free: schedulers waiting for it may issue, and the oldest remaining
/// instruction may find a collector.
void operand_collector::left_id_oc(unsigned p) {
    for (entrance& e : entrances_) e.full &= ~(std::uint64_t{1} << p);
    if (id_oc_[p].empty()) waiting_pipelines_ &= ~(std::uint64_t{1} << p);
    for (std::uint64_t who = std::exchange(awaited_by_[p], 0); who != 0; who &= who - 1)
        listener_->may_accept(static_cast<unsigned>(__builtin_ctzll(who)));
}

std::string operand_collector::describe() const {
    std::string text;
    for (unsigned p = 0; p < pipes(); ++p) {
        if (id_oc_[p].empty() && oc_ex_[p].empty()) continue;
        text += fmt::format("  {}: {}: {} instructions wait for a collector, {} for their unit\n",
                            name(), name_of(p), id_oc_[p].count(), oc_ex_[p].count());
    }
    if (units_in_use() != 0)
        text += fmt::format("  {}: {} of {} collectors in use, {} with all operands\n", name(),
                            units_in_use(), units(), units_complete());
    return text;
}

}  // namespace simtlm::core::simt_pipeline
