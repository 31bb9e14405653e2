// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/clocked_process.h"
#include "tests/unit/core/recorded_cta.h"
#include "tests/unit/core/warps.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::test {

/// Static instructions, contiguous in memory.
class listing {
public:
    const program::static_instruction& add(const program::static_instruction& i) {
        const std::uint64_t pc = 16 * code_.size();
        code_.push_back(i);
        code_.back().pc = pc;
        return code_.back();
    }
    const program::static_instruction& alu(std::initializer_list<unsigned> dst,
                                           std::initializer_list<unsigned> src,
                                           unsigned latency = 4, unsigned interval = 1,
                                           program::op_class cls = program::op_class::integer) {
        program::static_instruction i = instruction(cls, dst, src);
        i.latency = static_cast<std::uint16_t>(latency);
        i.initiation_interval = static_cast<std::uint16_t>(interval);
        return add(i);
    }
    const program::static_instruction& exit() { return alu({}, {}, 1, 1, program::op_class::exit); }
    const program::static_instruction& memory(program::memory_space space, bool store, unsigned reg,
                                              unsigned bytes = 4) {
        program::static_instruction i =
            store ? instruction(program::op_class::store, {}, {2, reg}) : test::load(reg, bytes);
        i.is_load = !store;
        i.is_store = store;
        i.space = space;
        i.data_size = static_cast<std::uint8_t>(bytes);
        return add(i);
    }
    const program::static_instruction& atomic(unsigned reg) {
        program::static_instruction i = test::load(reg, 4);
        i.is_atomic = true;
        i.cache_op = program::cache_operator::cache_global;
        return add(i);
    }
    const program::static_instruction& barrier(
        int id = 0, int threads = 0, program::barrier_kind kind = program::barrier_kind::sync) {
        program::static_instruction i = instruction(program::op_class::barrier, {}, {});
        i.barrier = kind;
        i.barrier_id = static_cast<std::int16_t>(id);
        i.barrier_threads = threads;
        return add(i);
    }
    const program::static_instruction& special(program::special_op what, int immediate = 0) {
        program::static_instruction i = instruction(program::op_class::alu, {}, {});
        i.special = what;
        i.immediate = immediate;
        return add(i);
    }

private:
    std::deque<program::static_instruction> code_;
};

/// The instructions of a block, warp by warp.
class block_builder {
public:
    using addresses = std::function<std::uint64_t(unsigned lane)>;

    /// Begins the next warp.
    block_builder& warp() {
        block_.paths.emplace_back();
        return *this;
    }
    block_builder& run(const program::static_instruction& i, std::uint32_t mask = ~0u) {
        program::dynamic_instruction d;
        d.info = &i;
        d.active_mask = mask;
        d.space = i.space;
        block_.paths.back().instructions.push_back(d);
        return *this;
    }
    block_builder& access(const program::static_instruction& i, const addresses& where,
                          std::uint32_t mask = ~0u) {
        run(i, mask);
        recorded_cta::path& path = block_.paths.back();
        program::dynamic_instruction& d = path.instructions.back();
        d.mode = program::address_mode::list;
        d.address_offset = static_cast<std::uint32_t>(path.addresses.size());
        for (unsigned lane = 0; lane < 32; ++lane)
            if ((mask >> lane & 1u) != 0) path.addresses.push_back(where(lane));
        return *this;
    }
    std::unique_ptr<program::cta> build() const { return std::make_unique<recorded_cta>(block_); }
    std::size_t instructions() const {
        std::size_t n = 0;
        for (const recorded_cta::path& path : block_.paths) n += path.instructions.size();
        return n;
    }
    unsigned warps() const { return static_cast<unsigned>(block_.paths.size()); }

private:
    recorded_cta block_;
};

/// Serves every request after a fixed number of core cycles, in order, one response per cycle.
class fixed_memory : public sc_core::sc_module {
public:
    struct request {
        std::uint64_t cycle;
        std::uint64_t address;
        protocol::access_type type;
        bool write;
        bool atomic;
    };
    protocol::target_socket<fixed_memory> socket{"socket"};
    std::vector<request> seen;
    unsigned latency;
    bool closed = false;               ///< withholds END_REQ
    bool mute = false;                 ///< never answers
    std::uint64_t back_pressured = 0;  ///< responses that were not taken immediately

    fixed_memory(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 unsigned cycles)
        : sc_module(name),
          latency(cycles),
          process_("process", sequencer, protocol::phase::core_receive,
                   simulation::on_edge<&fixed_memory::respond>(this), true) {
        socket.register_nb_transport_fw(this, &fixed_memory::transport, 0);
    }
    bool quiet() const { return flying_.empty() && waiting_ == nullptr && owed_ == nullptr; }
    std::vector<std::uint64_t> addresses() const {
        std::vector<std::uint64_t> result;
        for (const request& r : seen) result.push_back(r.address);
        return result;
    }

private:
    struct pending {
        std::uint64_t due;
        tlm::tlm_generic_payload* payload;
    };
    tlm::tlm_sync_enum transport(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                 sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            waiting_ = nullptr;
            return tlm::TLM_COMPLETED;
        }
        const protocol::memory_extension& e = protocol::extension(p);
        seen.push_back({process_.now(), p.get_address(), e.type, p.is_write(), e.is_atomic});
        if (protocol::is_posted(e.type)) return tlm::TLM_COMPLETED;
        flying_.push_back({process_.now() + latency, &p});
        if (closed) {
            owed_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void respond() {
        sc_core::sc_time delay;
        if (owed_ != nullptr && !closed) {
            tlm::tlm_phase phase = tlm::END_REQ;
            tlm::tlm_generic_payload& p = *owed_;
            owed_ = nullptr;
            socket->nb_transport_bw(p, phase, delay);
        }
        if (mute || waiting_ != nullptr || flying_.empty() || flying_.front().due > process_.now())
            return;
        tlm::tlm_generic_payload& p = *flying_.front().payload;
        flying_.pop_front();
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        waiting_ = &p;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        if (socket->nb_transport_bw(p, phase, delay) == tlm::TLM_COMPLETED)
            waiting_ = nullptr;
        else
            ++back_pressured;
    }

    std::deque<pending> flying_;
    tlm::tlm_generic_payload* waiting_ = nullptr;
    tlm::tlm_generic_payload* owed_ = nullptr;
    simulation::clocked_process process_;
};

/// A small SM whose latencies are all known: one scheduler, one unit of each kind, eight general
/// collectors, an instruction cache that always hits, a sectored L1D.
inline sm_config small_sm() {
    sm_config c;
    c.max_threads = 1024;
    c.max_warps = 32;
    c.registers = 65536;
    c.max_ctas = 16;
    c.schedulers = 1;
    c.scheduler.policy = "gto";
    c.scheduler.max_issue_per_warp = 1;
    c.l1.perfect_instruction_and_constant = true;
    c.collector.banks = 8;
    c.collector.specialized = false;
    c.collector.general = {8, 1, 1};
    c.write_back.width = 4;
    c.pipelines[pipe_dp].units = c.pipelines[pipe_int].units = 1;
    c.shared.bytes = 65536;
    c.shared.banks = 32;
    c.shared.warp_parts = 1;
    c.shared.limited_broadcast = false;
    c.shared.latency = 20;
    c.ldst.coalesce_arch = 70;
    c.ldst.l1_latency = 10;
    c.ldst.l1_banks = 4;
    c.ldst.response_buffer_size = 4;
    c.l1.data.kind = cache::cache_kind::sector;
    c.l1.data.sets = 16;
    c.l1.data.ways = 8;
    c.l1.data.write = cache::write_policy::write_through;
    c.l1.data.allocation = cache::allocation_policy::on_fill;
    c.l1.data.mshr_entries = 64;
    c.l1.data.mshr_max_merge = 64;
    c.l1.data.miss_queue_size = 64;
    c.l1.instruction.sets = 8;
    c.l1.instruction.ways = 4;
    c.l1.constant.sets = 8;
    c.l1.constant.line_bytes = 64;
    c.l1.constant.ways = 2;
    c.l1.texture.sets = 4;
    c.l1.texture.ways = 4;
    c.l1.texture.mshr_max_merge = 16;
    c.l1.texture.result_fifo_entries = 16;
    return c;
}

/// Sets the number of units, and of registers in front of them, for every kind except tensor cores.
inline void widen(sm_config& c, unsigned n) {
    for (const pipe p : {pipe_sp, pipe_dp, pipe_int, pipe_sfu, pipe_mem}) {
        c.pipelines[p].id_oc = c.pipelines[p].oc_ex = n;
        if (!c.pipelines[p].to_memory) c.pipelines[p].units = n;
    }
}

/// An SM with its own clock and a memory of fixed latency; launches blocks.
class sm_rig : public sc_core::sc_module, private cta_listener {
public:
    struct issue {
        std::uint64_t cycle;
        unsigned scheduler;
        unsigned warp;
        std::uint64_t pc;
        bool operator==(const issue& o) const {
            return cycle == o.cycle && scheduler == o.scheduler && warp == o.warp && pc == o.pc;
        }
    };
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    simt_pipeline::simt_sm core;
    fixed_memory memory;
    kernel_context kernel;
    std::vector<issue> issues;             ///< last instruction of each scheduler and cycle
    std::vector<std::uint64_t> completed;  ///< cycles in which CTAs ended
    std::function<void(std::uint64_t)> at_end_of_cycle;

    sm_rig(const sc_core::sc_module_name& name, const sm_config& config,
           unsigned memory_latency = 100, const simulation::phase_sequencer::options& options = {})
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table(), options),
          core("sm", sequencer, config, {0, 0, 1}, pool),
          memory("memory", sequencer, memory_latency),
          last_count_(config.schedulers, 0),
          process_("process", sequencer, protocol::phase::core_dispatch_ctas,
                   simulation::on_edge<&sm_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        core.memory.bind(memory.socket);
        core.set_listener(*this);
        kernel.ctas_per_sm = config.max_ctas;
    }
    /// Launches a block at the end of a cycle, or of the first possible cycle after it.
    void launch(const block_builder& block, std::uint64_t at = 0) {
        launch(block.build(), block.warps(), at);
    }
    void launch(std::unique_ptr<program::cta> block, unsigned warps, std::uint64_t at = 0) {
        kernel.needs.threads = 32 * warps;
        todo_.push_back({at, std::move(block)});
    }
    void run(std::uint64_t cycles) {
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
    }
    std::uint64_t now() const { return process_.now(); }
    /// Cycles in which the instruction at a PC was issued (by a warp).
    std::vector<std::uint64_t> issued(const program::static_instruction& i, int warp = -1) const {
        std::vector<std::uint64_t> result;
        for (const issue& e : issues)
            if (e.pc == i.pc && (warp < 0 || e.warp == static_cast<unsigned>(warp)))
                result.push_back(e.cycle);
        return result;
    }

private:
    struct planned {
        std::uint64_t at;
        std::unique_ptr<program::cta> block;
    };
    void cycle() {
        const std::uint64_t now = process_.now();
        for (unsigned s = 0; s < core.schedulers(); ++s) {
            const auto& p = core.scheduler(s).probe();
            if (p.count != last_count_[s]) issues.push_back({now, s, p.warp, p.pc});
            last_count_[s] = p.count;
        }
        while (!todo_.empty() && todo_.front().at <= now && core.can_launch(kernel, false)) {
            core.launch(kernel, std::move(todo_.front().block));
            todo_.pop_front();
        }
        if (at_end_of_cycle) at_end_of_cycle(now);
    }
    void cta_completed(unsigned, kernel_context&, std::unique_ptr<program::cta>) override {
        completed.push_back(process_.now());
    }

    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<planned> todo_;
    std::vector<std::uint64_t> last_count_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::test
