// SPDX-License-Identifier: Apache-2.0
#include "modules/core/operand_collector.h"

#include "modules/protocol/phases.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace simtlm::core {

operand_collector::operand_collector(const sc_core::sc_module_name& name,
                                     kernel::phase_sequencer& sequencer, const sm_config& config,
                                     core_statistics& statistics)
    : sc_module(name),
      issue("issue", config.schedulers),
      config_(config),
      statistics_(statistics),
      bank_queue_(config.register_banks),
      written_at_(config.register_banks, 0),
      banks_per_scheduler_(config.register_banks / config.schedulers),
      process_("process", sequencer, protocol::phase::core_operands,
               kernel::on_edge<&operand_collector::cycle>(this)) {
    for (auto& socket : issue) socket.register_nb_transport_fw(this, &operand_collector::accept);

    make_registers();
    make_general_collectors();
    if (config.specialized_collectors) make_specialized_collectors();
    const unsigned total = static_cast<unsigned>(units_.size());
    sc_assert(total <= max_units && config.register_banks <= max_banks &&
              pipes() <= max_pipelines && config.schedulers <= max_schedulers);
    awaited_by_.resize(pipes());
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

/// All pipelines in one of the orders in which they are visited.
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
    const unsigned general = add_set(config_.general_collectors);
    std::vector<unsigned> present;
    for (const unsigned p : pipes_by(&pipeline_config::visits::general_ports))
        if (config_.pipelines[p].present) present.push_back(p);
    for (unsigned i = 0; i < config_.general_collectors.in_ports; ++i)
        input_ports_.push_back({present, {general}, i != 0});
}

/// Collectors of one pipeline each; its instructions may use the general ones as well.
void operand_collector::make_specialized_collectors() {
    constexpr unsigned general = 0;
    std::vector<unsigned> set_of(pipes());
    for (const unsigned p : pipes_by(&pipeline_config::visits::pools))
        set_of[p] = add_set(config_.pipelines[p].collectors);
    for (const unsigned p : pipes_by(&pipeline_config::visits::own_ports))
        for (unsigned i = 0; i < config_.pipelines[p].collectors.in_ports; ++i)
            input_ports_.push_back({{p}, {set_of[p], general}, i != 0});
}

unsigned operand_collector::add_set(const collector_pool_config& pool) {
    const set s{static_cast<unsigned>(units_.size()), pool.units, pool.units / config_.schedulers};
    sets_.push_back(s);
    units_.resize(units_.size() + pool.units);
    for (unsigned i = 0; i < pool.out_ports; ++i)
        dispatch_ports_.push_back({s.first, s.units, s.per_scheduler, 0});
    return static_cast<unsigned>(sets_.size()) - 1;
}

unsigned operand_collector::bank_of(unsigned reg, const warp_instruction& inst) const {
    // Register numbers count from one here, as the figures of the reference do.
    const unsigned key = reg + 1 + (config_.register_bank_uses_warp_id ? inst.warp : 0u);
    if (config_.sub_core_model)
        return key % banks_per_scheduler_ + inst.scheduler * banks_per_scheduler_;
    return key % config_.register_banks;
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
    for (; first_unwritten < inst.info->n_dst; ++first_unwritten) {
        const unsigned r = inst.info->dst[first_unwritten];
        if (r == program::register_zero) continue;
        std::uint64_t& at = written_at_[bank_of(r, inst)];
        if (at == now + 1) return false;
        at = now + 1;
        ++statistics_.register_writes;
    }
    return true;
}

void operand_collector::cycle() {
    const std::uint64_t now = process_.now();
    bool moved = false;
    for (unsigned pass = 0; pass < config_.register_port_throughput; ++pass) {
        if (complete_ != 0) moved |= dispatch();
        if (bank_pending_ != 0) {
            read(pass == 0, now);
            moved = true;
        }
        if (waiting_pipelines_ != 0) moved |= allocate();
    }
    // What did not move now moves when an OC_EX register is emptied or something is issued.
    if (!moved || idle()) process_.sleep();
}

/// @return whether anything was dispatched
bool operand_collector::dispatch() {
    bool any = false;
    const dispatch_port* in_vain = nullptr;
    for (dispatch_port& port : dispatch_ports_) {
        // What one port of a set could not dispatch, the next one cannot either.
        if (in_vain != nullptr && in_vain->first == port.first && in_vain->units == port.units)
            continue;
        if (dispatch_one(port))
            any = true;
        else
            in_vain = &port;
    }
    return any;
}

/// The next complete unit of a port's, round robin, whose OC_EX register is free.
bool operand_collector::dispatch_one(dispatch_port& port) {
    if (port.units == 0) return false;
    const std::uint64_t candidates = complete_ & units_mask(port.first, port.units);
    if (candidates == 0) return false;
    unsigned step = 1;
    if (config_.sub_core_model) step = port.per_scheduler - port.last % port.per_scheduler;
    const unsigned next = port.last + step;
    const unsigned begin = port.first + (next < port.units ? next : next - port.units);
    const std::uint64_t from_there = candidates >> begin << begin;
    for (const std::uint64_t part : {from_there, candidates & ~from_there})
        for (std::uint64_t units = part; units != 0; units &= units - 1)
            if (dispatch_unit(port, static_cast<unsigned>(__builtin_ctzll(units)))) return true;
    return false;
}

bool operand_collector::dispatch_unit(dispatch_port& port, unsigned unit) {
    collector& c = units_[unit];
    if (!oc_ex_[c.out].has_free(c.slot)) return false;
    oc_ex_[c.out].put(c.slot, *c.inst);
    ready_pipelines_ |= std::uint64_t{1} << c.out;
    c.inst = nullptr;
    complete_ &= ~(std::uint64_t{1} << unit);
    occupied_ &= ~(std::uint64_t{1} << unit);
    port.last = unit - port.first;
    consumer_->wake();
    return true;
}

void operand_collector::read(bool first_pass, std::uint64_t now) {
    for (std::uint64_t banks = bank_pending_; banks != 0; banks &= banks - 1) {
        const unsigned b = static_cast<unsigned>(__builtin_ctzll(banks));
        auto& queue = bank_queue_[b];
        if (first_pass && written_at_[b] == now + 1) {
            ++statistics_.register_bank_conflicts;
            continue;
        }
        const unsigned u = queue.pop();
        if (queue.empty())
            bank_pending_ &= ~(std::uint64_t{1} << b);
        else
            statistics_.register_bank_conflicts += queue.size();
        ++statistics_.register_reads;
        if (--units_[u].missing == 0) complete_ |= std::uint64_t{1} << u;
    }
}

/// @return whether any instruction got a unit
bool operand_collector::allocate() {
    bool any = false, in_vain = false;
    for (const input_port& port : input_ports_) {
        // What one port could not allocate, the next one of its kind cannot either.
        if (in_vain && port.like_previous) continue;
        in_vain = true;
        for (const unsigned p : port.pipes)
            if ((waiting_pipelines_ >> p & 1u) != 0 && allocate_unit(port, p)) in_vain = false;
        any |= !in_vain;
        if (waiting_pipelines_ == 0) break;
    }
    return any;
}

bool operand_collector::allocate_unit(const input_port& port, unsigned p) {
    warp_instruction& inst = *id_oc_[p].oldest();
    for (const unsigned s : port.sets) {
        unsigned low = sets_[s].first;
        unsigned count = sets_[s].units;
        if (config_.sub_core_model) {
            count = sets_[s].per_scheduler;
            low += inst.scheduler * count;
        }
        const std::uint64_t free = units_mask(low, count) & ~occupied_;
        if (free == 0) continue;
        id_oc_[p].remove(inst);
        occupy(static_cast<unsigned>(__builtin_ctzll(free)), inst, p);
        left_id_oc(p);
        return true;
    }
    return false;
}

/// A unit takes an instruction and asks for its operands.
void operand_collector::occupy(unsigned unit, warp_instruction& inst, unsigned p) {
    collector& c = units_[unit];
    c.inst = &inst;
    c.out = static_cast<std::uint8_t>(p);
    c.missing = 0;
    occupied_ |= std::uint64_t{1} << unit;
    for (unsigned i = 0; i < inst.info->n_src; ++i) {
        const unsigned r = inst.info->src[i];
        bool named_before = r == program::register_zero || (inst.info->uncollected >> i & 1u) != 0;
        for (unsigned j = 0; j < i; ++j) named_before |= inst.info->src[j] == r;
        if (named_before) continue;
        const unsigned b = bank_of(r, inst);
        bank_queue_[b].push(static_cast<std::uint8_t>(unit));
        bank_pending_ |= std::uint64_t{1} << b;
        ++c.missing;
    }
    if (c.missing == 0) complete_ |= std::uint64_t{1} << unit;
}

/// A register of a pipeline is free: whoever waited for it may issue.
void operand_collector::left_id_oc(unsigned p) {
    if (id_oc_[p].empty()) waiting_pipelines_ &= ~(std::uint64_t{1} << p);
    for (std::uint64_t who = std::exchange(awaited_by_[p], 0); who != 0; who &= who - 1)
        listener_->may_accept(static_cast<unsigned>(__builtin_ctzll(who)));
}

}  // namespace simtlm::core
