// SPDX-License-Identifier: Apache-2.0
// A program that is not PTX: what the functional machine and the timing model require of an image.
#include "modules/execution/state/program_image.h"

#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/state/warp.h"
#include "modules/execution/timed/executed_kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {
namespace {

/// Control flow without a stack: lanes that take a branch run to the end, then the waiting ones.
class two_groups final : public warp_control {
public:
    lane_mask live = 0, waiting = 0;
    std::uint64_t wait_pc = 0;

    void start(warp& w, const kernel_image& k) override {
        registers_ = make_lane_buffer(k.frame_bytes);
        std::memcpy(registers_.get(), &all_lanes, sizeof all_lanes);
        w.banks[static_cast<unsigned>(bank::frame)] = registers_.get();
        live = w.members;
        waiting = 0;
    }
    lane_mask live_lanes() const override { return live; }
    std::size_t groups() const override { return waiting != 0 ? 2 : 1; }
    std::uint32_t frame_bytes() const override { return 256; }

private:
    lane_buffer registers_;
};

two_groups& control_of(warp& w) {
    return static_cast<two_groups&>(*w.control);
}

/// Lanes below the constant in source[0] go to operation `immediate`; the others wait.
const operation* split(warp& w, const operation* op) {
    const auto limit = *reinterpret_cast<const std::uint32_t*>(w.at(op->source[0]));
    const lane_mask takers = w.active & ((lane_mask{1} << limit) - 1);
    two_groups& c = control_of(w);
    c.waiting = w.active & ~takers;
    c.wait_pc = w.pc_of(op) + 1;
    w.leave(op);
    w.active = takers;
    return w.continue_at(w.code + op->immediate);
}

/// Counts the active lanes.
const operation* tally(warp& w, const operation* op) {
    *reinterpret_cast<std::uint64_t*>(op->immediate) +=
        static_cast<unsigned>(__builtin_popcount(w.active));
    return op + 1;
}

const operation* finish(warp& w, const operation* op) {
    two_groups& c = control_of(w);
    c.live &= ~w.active;
    w.leave(op);
    if (c.waiting == 0) return w.end();
    w.active = std::exchange(c.waiting, 0);
    return w.continue_at(w.code + c.wait_pc);
}

/// split 5 -> tally second; tally first; exit; tally second; exit
class small_image final : public program_image {
public:
    mutable std::uint64_t first = 0, second = 0;

    small_image() : program_image(instruction_set::sass, "small.cubin", 75, {}) {
        code_.resize(5);
        const handler handlers[] = {split, tally, finish, tally, finish};
        for (std::uint32_t i = 0; i < 5; ++i) {
            code_[i].execute = handlers[i];
            code_[i].instruction = i;
        }
        code_[0].source[0] = operand_ref_in(bank::constants, 0);
        code_[0].immediate = 3;
        code_[1].immediate = reinterpret_cast<std::int64_t>(&first);
        code_[3].immediate = reinterpret_cast<std::int64_t>(&second);
        kernel_image k;
        k.name = "small";
        k.frame_bytes = 256;
        k.parameter_bytes = 4;
        kernels_.push_back(k);
    }
    /// The parameter, in all lanes.
    lane_buffer launch_constants(const launch& what, std::uint32_t) const override {
        lane_buffer row = make_lane_buffer(128);
        for (unsigned i = 0; i < warp_size; ++i)
            std::memcpy(row.get() + 4 * i, what.parameters.data(), 4);
        return row;
    }
    std::unique_ptr<warp_control> make_control() const override {
        return std::make_unique<two_groups>();
    }
    std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const override {
        std::vector<program::static_instruction> list(5);
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].pc = i * instruction_bytes(isa());
            list[i].code_bytes = instruction_bytes(isa());
            list[i].opcode = i == 0 ? "BRA" : i % 2 == 1 ? "IADD3" : "EXIT";
            list[i].cls = i == 0       ? program::op_class::branch
                          : i % 2 == 1 ? program::op_class::integer
                                       : program::op_class::exit;
            list[i].latency = timing.machine_code.latencies[list[i].cls].latency;
        }
        return std::make_shared<const instruction_descriptors>(
            std::move(list), std::vector<code_range>{{0, 0, 5, true, true}}, 256);
    }
    const kernel_image* kernel_at(device_address) const override { return nullptr; }
    std::vector<program_variable> shared_variables_of(const kernel_image&) const override {
        return {};
    }
    std::string where(const operation& op) const override {
        return "small.cubin:" + std::to_string(16 * op.instruction);
    }
    std::string text_of(const operation&) const override { return "?"; }
    instruction_name name_of(const operation& op) const override {
        return {op.execute == tally ? "IADD3" : "BRA", "integer"};
    }
    std::string results_text(const operation&, const std::byte*, unsigned) const override {
        return {};
    }
    std::string registers_text(const operation&, const std::byte*, unsigned) const override {
        return {};
    }
};

launch launch_of(const small_image& image, std::uint32_t lanes) {
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel("small");
    l.grid = {3, 1, 1};
    l.block = {32, 1, 1};
    l.parameters.resize(4);
    std::memcpy(l.parameters.data(), &lanes, 4);
    return l;
}

TEST(ProgramImage, ExecutesCodeOtherThanPtxWithItsOwnControlFlow) {
    device_memory memory;
    const small_image image;
    const execution_summary s = run(launch_of(image, 5), memory, {}, {});
    EXPECT_EQ(image.second, 3u * 5);
    EXPECT_EQ(image.first, 3u * 27);
    EXPECT_EQ(s.warp_instructions, 3u * 5);
    EXPECT_EQ(s.thread_instructions, 3u * (32 + 2 * 32));
    ASSERT_EQ(s.by_opcode.size(), 2u);
    EXPECT_EQ(s.by_opcode[1].opcode, "IADD3");
    EXPECT_EQ(s.by_opcode[1].threads, 3u * 32);
}

TEST(ProgramImage, SuppliesAnSmWith16ByteMachineCodeAndItsLatencies) {
    device_memory memory;
    const small_image image;
    instruction_timing timing;
    timing.machine_code.latencies[program::op_class::integer] = {6, 2};
    executed_kernel kernel(launch_of(image, 4), memory, {}, image.describe(timing), 1);
    EXPECT_EQ(kernel.descriptor().origin, "small.cubin");
    const auto block = kernel.next_cta();
    const program::warp_code warp = block->warp(0);
    std::vector<std::uint64_t> path;
    std::vector<std::uint32_t> masks;
    program::issue_effects effects;
    program::lane_addresses addresses;
    for (program::instruction_window w = warp.window; !w.empty(); w = effects.next) {
        path.push_back(w.next->info->pc);
        effects = {};
        warp.executor->issue(*w.next, 0, effects, addresses);
        masks.push_back(effects.active_mask);
    }
    EXPECT_EQ(path, (std::vector<std::uint64_t>{0, 48, 64, 16, 32}));
    EXPECT_EQ(masks, (std::vector<std::uint32_t>{~0u, 0xf, 0xf, ~0xfu, ~0xfu}));
    EXPECT_TRUE(effects.warp_ended);
    const auto described = image.describe(timing);
    EXPECT_EQ(described->of(1).code_bytes, 16);
    EXPECT_EQ(described->of(1).latency, 6);
}

}  // namespace
}  // namespace simtlm::execution
