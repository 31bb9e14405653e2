// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::core::test {

/// Dynamic behaviour of an instruction of the test machine below.
struct step {
    enum class kind : std::uint8_t { compute, jump, loop, leave, memory, barrier };
    kind what = kind::compute;
    program::static_instruction info;
    unsigned target = 0;        ///< jumps and loops: target instruction
    std::uint32_t lanes = ~0u;  ///< jumps: lanes that take the branch
    unsigned trips = 0;         ///< loops: number of times the branch is taken
    /// Memory instructions.
    std::function<std::uint64_t(unsigned warp, unsigned lane)> address = {};
    std::int32_t barrier_id = 0, barrier_threads = 0;  ///< barriers, operands read from registers
    bool deferred = false;         ///< memory instructions: calls apply_memory()
    unsigned skipping_warp = ~0u;  ///< the guard of the instruction is false in this warp
    std::uint64_t sleep = 0;       ///< core cycles for which the warp sleeps
};

/// A kernel of the test machine as a table of instructions. Every lane has a program counter of its
/// own; the lanes with the lowest one execute, so that they reconverge automatically.
struct small_kernel {
    std::vector<step> steps;
    std::vector<program::dynamic_instruction> code;  ///< in program order
    std::function<void(unsigned sm, unsigned warp)> applied;

    step& add(step s) {
        s.info.pc = 8 * steps.size();
        s.info.code_bytes = 8;
        steps.push_back(std::move(s));
        return steps.back();
    }
    step& compute(unsigned dst, unsigned src, unsigned latency = 4) {
        step s;
        s.info = plain(program::op_class::integer);
        s.info.latency = static_cast<std::uint16_t>(latency);
        s.info.n_dst = s.info.n_src = 1;
        s.info.dst[0] = static_cast<std::uint16_t>(dst);
        s.info.src[0] = static_cast<std::uint16_t>(src);
        return add(s);
    }
    step& jump(unsigned target, std::uint32_t lanes = ~0u) {
        step s;
        s.what = step::kind::jump;
        s.info = plain(program::op_class::branch);
        s.target = target;
        s.lanes = lanes;
        return add(s);
    }
    step& loop(unsigned target, unsigned trips) {
        step s;
        s.what = step::kind::loop;
        s.info = plain(program::op_class::branch);
        s.target = target;
        s.trips = trips;
        return add(s);
    }
    step& leave(std::uint32_t lanes = ~0u) {
        step s;
        s.what = step::kind::leave;
        s.info = plain(program::op_class::exit);
        s.lanes = lanes;
        return add(s);
    }
    step& barrier(std::int32_t id, std::int32_t threads) {
        step s;
        s.what = step::kind::barrier;
        s.info = plain(program::op_class::barrier);
        s.info.barrier = program::barrier_kind::sync;
        s.barrier_id = id;
        s.barrier_threads = threads;
        return add(s);
    }
    step& memory(bool store, program::memory_space space,
                 std::function<std::uint64_t(unsigned, unsigned)> address) {
        step s;
        s.what = step::kind::memory;
        s.info = plain(store ? program::op_class::store : program::op_class::load);
        s.info.is_store = store;
        s.info.is_load = !store;
        s.info.space = program::memory_space::generic;  // resolved by the executor
        s.info.data_size = 4;
        s.info.n_dst = store ? 0 : 1;
        s.info.dst[0] = 40;
        s.address = std::move(address);
        s.deferred = true;
        resolved = space;
        return add(s);
    }
    program::memory_space resolved = program::memory_space::global;

    /// Completes the table.
    void finish() {
        code.resize(steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            code[i].info = &steps[i].info;
            code[i].space = steps[i].info.space;
        }
    }

private:
    static program::static_instruction plain(program::op_class cls) {
        program::static_instruction i;
        i.cls = cls;
        i.opcode = "STEP";
        return i;
    }
};

/// One warp that executes a test kernel.
class small_executor : public program::warp_executor {
public:
    small_executor(const small_kernel& kernel, unsigned warp) : kernel_(kernel), warp_(warp) {}

    program::instruction_window at(unsigned pc) const {
        const auto* first = kernel_.code.data();
        return {first + pc, first + kernel_.code.size()};
    }
    void place(unsigned sm) { sm_ = sm; }

    void issue(const program::dynamic_instruction& instruction, std::uint64_t,
               program::issue_effects& effects, program::lane_addresses& addresses) override {
        const auto here = static_cast<unsigned>(&instruction - kernel_.code.data());
        const step& s = kernel_.steps[here];
        effects.active_mask = 0;
        for (unsigned l = 0; l < 32; ++l)
            if ((alive_ >> l & 1u) != 0 && pc_[l] == here) effects.active_mask |= 1u << l;
        for (std::uint32_t m = effects.active_mask; m != 0; m &= m - 1)
            advance(s, static_cast<unsigned>(__builtin_ctz(m)));
        if (s.skipping_warp == warp_) effects.active_mask = 0;
        if (s.what == step::kind::memory) {
            effects.space = kernel_.resolved;
            effects.memory_deferred = s.deferred;
            addresses.lanes = effects.active_mask;
            for (unsigned l = 0; l < 32; ++l) addresses.address[0][l] = s.address(warp_, l);
        }
        if (s.what == step::kind::barrier) {
            effects.barrier_id = s.barrier_id;
            effects.barrier_threads = s.barrier_threads;
        }
        effects.sleep = s.sleep;
        effects.lanes_ended = s.what == step::kind::leave;
        effects.warp_ended = alive_ == 0;
        unsigned next = static_cast<unsigned>(kernel_.steps.size());
        for (unsigned l = 0; l < 32; ++l)
            if ((alive_ >> l & 1u) != 0) next = std::min(next, pc_[l]);
        effects.next = at(next);
    }
    void apply_memory() override {
        if (kernel_.applied) kernel_.applied(sm_, warp_);
    }

private:
    void advance(const step& s, unsigned lane) {
        bool taken = false;
        if (s.what == step::kind::jump) taken = (s.lanes >> lane & 1u) != 0;
        if (s.what == step::kind::loop) taken = trips_[lane] < s.trips;
        if (s.what == step::kind::loop) trips_[lane] = taken ? trips_[lane] + 1 : 0;
        if (s.what == step::kind::leave && (s.lanes >> lane & 1u) != 0) alive_ &= ~(1u << lane);
        pc_[lane] = taken ? s.target : pc_[lane] + 1;
    }
    const small_kernel& kernel_;
    unsigned warp_;
    unsigned sm_ = 0;
    std::uint32_t alive_ = ~0u;
    std::array<unsigned, 32> pc_{};
    std::array<unsigned, 32> trips_{};
};

/// A CTA of a test kernel.
class executed_cta : public program::cta {
public:
    executed_cta(const small_kernel& kernel, unsigned warps) {
        for (unsigned w = 0; w < warps; ++w) warps_.emplace_back(kernel, w);
    }
    void placed(const program::cta_place& where) override {
        for (small_executor& w : warps_) w.place(where.sm);
    }
    program::warp_code warp(unsigned w) override { return {warps_[w].at(0), nullptr, &warps_[w]}; }

private:
    std::vector<small_executor> warps_;
};

/// An instruction source: the CTAs of a test kernel.
class executed_source : public program::kernel_source {
public:
    executed_source(const small_kernel& kernel, unsigned ctas, unsigned warps) : kernel_(kernel) {
        descriptor_.name = "small";
        descriptor_.origin = "a table";
        descriptor_.grid.x = ctas;
        descriptor_.block.x = 32 * warps;
        descriptor_.registers = 16;
    }
    const program::kernel_descriptor& descriptor() const override { return descriptor_; }
    std::unique_ptr<program::cta> next_cta() override {
        if (next_ == descriptor_.grid.x) return nullptr;
        auto made = std::make_unique<executed_cta>(kernel_, descriptor_.warps_per_block());
        made->index = {next_++, 0, 0};
        return made;
    }

private:
    const small_kernel& kernel_;
    program::kernel_descriptor descriptor_;
    std::uint32_t next_ = 0;
};

}  // namespace simtlm::core::test
