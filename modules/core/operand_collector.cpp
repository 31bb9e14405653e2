// SPDX-License-Identifier: Apache-2.0
#include "modules/core/operand_collector.h"

#include "modules/protocol/phases.h"

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

    const pipeline_widths& w = config.widths;
    const auto make = [&](unsigned p, unsigned in, unsigned out) {
        id_oc_[p] = pipeline_register(in, config.sub_core_model);
        oc_ex_[p] = pipeline_register(out, config.sub_core_model);
    };
    make(pipe_sp, w.id_oc_sp, w.oc_ex_sp);
    make(pipe_dp, w.id_oc_dp, w.oc_ex_dp);
    make(pipe_int, w.id_oc_int, w.oc_ex_int);
    make(pipe_sfu, w.id_oc_sfu, w.oc_ex_sfu);
    make(pipe_tensor, w.id_oc_tensor, w.oc_ex_tensor);
    make(pipe_mem, w.id_oc_mem, w.oc_ex_mem);
    for (unsigned i = 0; i < program::max_specialized_units; ++i)
        make(pipe_spec + i, config.specialized[i].id_oc_width, config.specialized[i].oc_ex_width);

    // Which pipeline a class is issued to.
    using program::op_class;
    const bool has_int = config.int_units > 0;
    pipe_of_.fill(has_int               ? pipe_int
                  : config.sp_units > 0 ? unsigned{pipe_sp}
                                        : unsigned{pipe_count});
    const auto route = [&](op_class c, unsigned p, bool exists) {
        pipe_of_[static_cast<unsigned>(c)] = exists ? p : unsigned{pipe_count};
    };
    route(op_class::sp, pipe_sp, config.sp_units > 0);
    route(op_class::sfu, pipe_sfu, config.sfu_units > 0);
    route(op_class::dp, config.dp_units > 0 ? pipe_dp : pipe_sfu,
          config.dp_units > 0 || config.sfu_units > 0);
    route(op_class::tensor, pipe_tensor, config.tensor_units > 0);
    for (const op_class c : {op_class::load, op_class::store, op_class::memory_barrier})
        route(c, pipe_mem, true);
    for (unsigned i = 0; i < program::max_specialized_units; ++i)
        route(static_cast<op_class>(static_cast<unsigned>(op_class::spec1) + i), pipe_spec + i,
              config.specialized[i].enabled && config.specialized[i].units > 0);

    // Collector units: general ones first, then those of one kind.
    add_set(config.collectors_gen);
    for (unsigned i = 0; i < config.collectors_gen.in_ports; ++i) {
        input_port port;
        port.pipes = {pipe_sp, pipe_sfu, pipe_mem};
        if (config.tensor_core_available) port.pipes.push_back(pipe_tensor);
        if (config.dp_units > 0) port.pipes.push_back(pipe_dp);
        if (config.int_units > 0) port.pipes.push_back(pipe_int);
        for (unsigned s = 0; s < program::max_specialized_units; ++s)
            if (config.specialized[s].enabled) port.pipes.push_back(pipe_spec + s);
        port.sets = {0};
        input_ports_.push_back(std::move(port));
    }
    if (config.specialized_collectors) {
        struct kind {
            const collector_pool_config& pool;
            unsigned p;
        };
        // Units are numbered, and dispatch ports visited, in this order; input ports in that of
        // the second list.
        const std::array<kind, 6> units = {{{config.collectors_sp, pipe_sp},
                                            {config.collectors_dp, pipe_dp},
                                            {config.collectors_tensor, pipe_tensor},
                                            {config.collectors_sfu, pipe_sfu},
                                            {config.collectors_mem, pipe_mem},
                                            {config.collectors_int, pipe_int}}};
        std::array<unsigned, pipe_count> set_of{};
        for (const kind& k : units) {
            set_of[k.p] = static_cast<unsigned>(sets_.size());
            add_set(k.pool);
        }
        for (const unsigned p : {pipe_sp, pipe_dp, pipe_sfu, pipe_tensor, pipe_mem, pipe_int})
            for (const kind& k : units)
                if (k.p == p)
                    for (unsigned i = 0; i < k.pool.in_ports; ++i)
                        input_ports_.push_back({{p}, {set_of[p], 0}});
    }
    const unsigned total = static_cast<unsigned>(units_.size());
    sc_assert(total <= max_units && config.register_banks <= max_banks);
    const unsigned per_scheduler = config.sub_core_model ? total / config.schedulers : total;
    for (unsigned i = 0; i < total; ++i)
        units_[i].slot = static_cast<std::uint8_t>(per_scheduler == 0 ? 0 : i / per_scheduler);
    for (auto& q : bank_queue_) q.reset(std::size_t{total} * program::max_sources);
}

void operand_collector::add_set(const collector_pool_config& pool) {
    const set s{static_cast<unsigned>(units_.size()), pool.units};
    sets_.push_back(s);
    units_.resize(units_.size() + pool.units);
    for (unsigned i = 0; i < pool.out_ports; ++i) dispatch_ports_.push_back({s.first, s.units, 0});
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
                bool named_before = r == program::register_zero;
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
