// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/sub_core_sm.h"
#include "modules/isa/scheduling.h"
#include "tests/unit/core/sm_rig.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::sub_core_pipeline::test {

using core::test::block_builder;
using core::test::fixed_memory;

/// Machine instructions with control bits, contiguous in memory.
class sub_core_listing {
public:
    using control = program::control_bits;

    program::static_instruction& add(const char* opcode, std::initializer_list<unsigned> dst,
                                     std::initializer_list<unsigned> src, control c = {}) {
        program::static_instruction i;
        i.opcode = opcode;
        i.pc = 16 * code_.size();
        for (const unsigned d : dst) i.dst[i.n_dst++] = static_cast<std::uint16_t>(d);
        for (const unsigned s : src) i.src[i.n_src++] = static_cast<std::uint16_t>(s);
        c.present = true;
        i.control = c;
        code_.push_back(i);
        program::static_instruction& kept = code_.back();
        isa::set_opcode_properties(kept);
        return kept;
    }
    program::static_instruction& load(program::memory_space space, unsigned bytes, unsigned dst,
                                      control c = {}) {
        const bool shared = space == program::memory_space::shared;
        program::static_instruction& i = add(shared ? "LDS" : "LDG.E", {dst}, {2}, c);
        i.cls = program::op_class::load;
        i.is_load = true;
        i.space = space;
        i.data_size = static_cast<std::uint8_t>(bytes);
        i.scheduling = program::scheduling_class::memory;
        return i;
    }
    program::static_instruction& store(program::memory_space space, unsigned bytes,
                                       control c = {}) {
        program::static_instruction& i =
            add(space == program::memory_space::shared ? "STS" : "STG.E", {}, {2, 4}, c);
        i.cls = program::op_class::store;
        i.is_store = true;
        i.space = space;
        i.data_size = static_cast<std::uint8_t>(bytes);
        i.scheduling = program::scheduling_class::memory;
        return i;
    }
    program::static_instruction& exit() {
        program::static_instruction& i = add("EXIT", {}, {});
        i.cls = program::op_class::exit;
        return i;
    }

private:
    std::deque<program::static_instruction> code_;
};

inline program::control_bits stall(unsigned cycles, bool yield = false) {
    program::control_bits c;
    c.stall = static_cast<std::uint8_t>(cycles);
    c.yield = yield;
    return c;
}

inline sm_config four_sub_cores() {
    sm_config c = core::test::small_sm();
    c.schedulers = 4;
    c.max_warps = 32;
    c.ldst.l1_banks = 4;
    return c;
}

/// An SM with sub-cores with its own clock and a memory of fixed latency; launches blocks.
class sub_core_rig : public sc_core::sc_module, private cta_listener {
public:
    struct issue {
        std::uint64_t cycle;
        unsigned sub_core;
        unsigned warp;
        std::uint64_t pc;
        bool operator==(const issue& o) const {
            return cycle == o.cycle && sub_core == o.sub_core && warp == o.warp && pc == o.pc;
        }
    };
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    sub_core_sm core;
    fixed_memory memory;
    kernel_context kernel;
    std::vector<issue> issues;
    std::vector<std::uint64_t> completed;
    std::vector<std::uint64_t> ready_for_dependents;  ///< cycles in which CTAs became ready

    sub_core_rig(const sc_core::sc_module_name& name, const sm_config& config,
                 const sm_timing& timing, unsigned memory_latency = 100,
                 const simulation::phase_sequencer::options& options = {})
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table(), options),
          core(multiprocessor_parts{"sm", sequencer, config, {0, 0, 1}, pool}, timing),
          memory("memory", sequencer, memory_latency),
          last_count_(config.schedulers, 0),
          process_("process", sequencer, protocol::phase::core_dispatch_ctas,
                   simulation::on_edge<&sub_core_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        core.memory.bind(memory.socket);
        core.set_listener(*this);
        kernel.ctas_per_sm = config.max_ctas;
    }
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
    /// Cycles in which the instruction at a PC was issued (by a warp).
    std::vector<std::uint64_t> issued(const program::static_instruction& i, int warp = -1) const {
        std::vector<std::uint64_t> result;
        for (const issue& e : issues)
            if (e.pc == i.pc && (warp < 0 || e.warp == static_cast<unsigned>(warp)))
                result.push_back(e.cycle);
        return result;
    }
    /// Cycles between the issue of two instructions of warp 0.
    std::uint64_t distance(const program::static_instruction& from,
                           const program::static_instruction& to) const {
        return issued(to, 0).at(0) - issued(from, 0).at(0);
    }

private:
    struct planned {
        std::uint64_t at;
        std::unique_ptr<program::cta> block;
    };
    void cycle() {
        const std::uint64_t now = process_.now();
        for (unsigned s = 0; s < core.sub_cores(); ++s) {
            const auto& p = core.core(s).probe();
            if (p.count != last_count_[s]) issues.push_back({now, s, p.warp, p.pc});
            last_count_[s] = p.count;
        }
        while (!todo_.empty() && todo_.front().at <= now && core.can_launch(kernel, false)) {
            core.launch(kernel, std::move(todo_.front().block));
            todo_.pop_front();
        }
    }
    void cta_completed(unsigned, kernel_context&, std::unique_ptr<program::cta>) override {
        completed.push_back(process_.now());
    }
    void cta_launches_dependents(unsigned, kernel_context&) override {
        ready_for_dependents.push_back(process_.now());
    }

    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<planned> todo_;
    std::vector<std::uint64_t> last_count_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::sub_core_pipeline::test
