// SPDX-License-Identifier: Apache-2.0
#include "modules/core/operand_collector.h"

#include "modules/protocol/phases.h"

#include <algorithm>
#include <numeric>

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
    sc_assert(total <= max_units && config.register_banks <= max_banks);
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
        input_ports_.push_back({present, {general}});
}

/// Collectors of one pipeline each; its instructions may use the general ones as well.
void operand_collector::make_specialized_collectors() {
    constexpr unsigned general = 0;
    std::vector<unsigned> set_of(pipes());
    for (const unsigned p : pipes_by(&pipeline_config::visits::pools))
        set_of[p] = add_set(config_.pipelines[p].collectors);
    for (const unsigned p : pipes_by(&pipeline_config::visits::own_ports))
        for (unsigned i = 0; i < config_.pipelines[p].collectors.in_ports; ++i)
            input_ports_.push_back({{p}, {set_of[p], general}});
}

unsigned operand_collector::add_set(const collector_pool_config& pool) {
    const set s{static_cast<unsigned>(units_.size()), pool.units};
    sets_.push_back(s);
    units_.resize(units_.size() + pool.units);
    for (unsigned i = 0; i < pool.out_ports; ++i) dispatch_ports_.push_back({s.first, s.units, 0});
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
    id_oc_[pipe_of(inst.info->cls)].put(inst.scheduler, inst);
    ++waiting_;
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
    if (idle()) {
        process_.sleep();
        return;
    }
    const std::uint64_t now = process_.now();
    for (unsigned pass = 0; pass < config_.register_port_throughput; ++pass) {
        if (complete_ != 0) dispatch();
        if (bank_pending_ != 0) read(pass == 0, now);
        if (waiting_ != 0) allocate();
    }
    if (idle()) process_.sleep();
}

void operand_collector::dispatch() {
    for (dispatch_port& port : dispatch_ports_) {
        if (port.units == 0) continue;
        const std::uint64_t mine =
            (port.units == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << port.units) - 1)
            << port.first;
        if ((complete_ & mine) == 0) continue;
        unsigned step = 1;
        if (config_.sub_core_model) {
            const unsigned per_scheduler = port.units / config_.schedulers;
            step = per_scheduler - port.last % per_scheduler;
        }
        for (unsigned n = 0; n < port.units; ++n) {
            const unsigned k = (port.last + n + step) % port.units;
            const unsigned u = port.first + k;
            if ((complete_ >> u & 1u) == 0) continue;
            collector& c = units_[u];
            if (!oc_ex_[c.out].has_free(c.slot)) continue;
            oc_ex_[c.out].put(c.slot, *c.inst);
            c.inst = nullptr;
            complete_ &= ~(std::uint64_t{1} << u);
            occupied_ &= ~(std::uint64_t{1} << u);
            port.last = k;
            consumer_->wake();
            break;
        }
    }
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

void operand_collector::allocate() {
    for (const input_port& port : input_ports_) {
        for (const unsigned p : port.pipes)
            if (!id_oc_[p].empty()) allocate_unit(port, p);
        if (waiting_ == 0) return;
    }
}

void operand_collector::allocate_unit(const input_port& port, unsigned p) {
    warp_instruction& inst = *id_oc_[p].oldest();
    for (const unsigned s : port.sets) {
        unsigned low = sets_[s].first;
        unsigned high = low + sets_[s].units;
        if (config_.sub_core_model) {
            const unsigned per_scheduler = sets_[s].units / config_.schedulers;
            low += inst.scheduler * per_scheduler;
            high = low + per_scheduler;
        }
        for (unsigned u = low; u < high; ++u) {
            if ((occupied_ >> u & 1u) != 0) continue;
            collector& c = units_[u];
            c.inst = &inst;
            c.out = static_cast<std::uint8_t>(p);
            c.missing = 0;
            occupied_ |= std::uint64_t{1} << u;
            id_oc_[p].remove(inst);
            --waiting_;
            for (unsigned i = 0; i < inst.info->n_src; ++i) {
                const unsigned r = inst.info->src[i];
                bool named_before =
                    r == program::register_zero || (inst.info->uncollected >> i & 1u) != 0;
                for (unsigned j = 0; j < i; ++j) named_before |= inst.info->src[j] == r;
                if (named_before) continue;
                const unsigned b = bank_of(r, inst);
                bank_queue_[b].push(static_cast<std::uint8_t>(u));
                bank_pending_ |= std::uint64_t{1} << b;
                ++c.missing;
            }
            if (c.missing == 0) complete_ |= std::uint64_t{1} << u;
            return;
        }
    }
}

}  // namespace simtlm::core
