// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"
#include "modules/trace/kernel_trace.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simtlm::trace {
namespace {

constexpr const char* header =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
    "-nregs = 16\n-binary version = 80\n-cuda stream id = 0\n"
    "-shmem base_addr = 0x00007f0001000000\n-local mem base_addr = 0x00007f0003000000\n"
    "-nvbit version = 1.7\n-accelsim tracer version = 5\n\n#traces format = ...\n\n";

std::string block_of(const std::string& index, const std::vector<std::string>& lines) {
    std::string text = "#BEGIN_TB\n\nthread block = " + index +
                       "\n\nwarp = 0\ninsts = " + std::to_string(lines.size()) + "\n";
    for (const std::string& line : lines) text += line + "\n";
    return text + "\n#END_TB\n\n";
}

const std::vector<std::string> loop = {
    "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4 0",
    "0010 ffffffff 1 R3 FADD 2 R1 R3 0 0",
    "0020 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4 0",
    "0030 ffffffff 0 BRA 0 0 0",
    "0010 ffffffff 1 R3 FADD 2 R1 R3 0 0",
    "0020 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4 0",
    "0030 ffffffff 0 BRA 0 0 0",
    "0040 ffffffff 0 EXIT 0 0 0",
};

struct ControlSource : ::testing::TestWithParam<bool> {
    isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    test::temporary_folder folder;

    std::unique_ptr<kernel_trace> open(bool assign, bool share) {
        reader_options o;
        o.opcodes = &opcodes;
        o.assign_controls = assign;
        o.share_paths = share;
        return std::make_unique<kernel_trace>(
            folder.write("k.traceg", header + block_of("0,0,0", loop) + block_of("1,0,0", loop)), o,
            2);
    }
    static const program::control_bits& bits(block_trace& block, std::size_t instruction) {
        return block.warp(0).window.next[instruction].info->control;
    }
};
INSTANTIATE_TEST_SUITE_P(OwnOrSharedPaths, ControlSource, ::testing::Bool());

TEST_P(ControlSource, DoesNotChangeInstructionsByDefault) {
    const auto kernel = open(false, GetParam());
    const auto block = kernel->next_block();
    EXPECT_FALSE(bits(*block, 0).present);
}

TEST_P(ControlSource, AddsWaitsForLoadsBeforeALoopAndOfThePreviousIteration) {
    const auto kernel = open(true, GetParam());
    const auto block = kernel->next_block();
    for (std::size_t i = 0; i < loop.size(); ++i) EXPECT_TRUE(bits(*block, i).present) << i;
    const auto before = bits(*block, 0).write_barrier, within = bits(*block, 2).write_barrier;
    ASSERT_LT(before, program::control_bits::barriers);
    ASSERT_LT(within, program::control_bits::barriers);
    EXPECT_EQ(bits(*block, 1).wait_mask, 1u << before | 1u << within);
    EXPECT_EQ(&bits(*block, 1), &bits(*block, 4)) << "an instruction has one set of bits";
}

TEST_P(ControlSource, KeepsExistingControlBits) {
    const auto kernel = open(true, GetParam());
    const auto first = kernel->next_block();
    std::vector<std::uint32_t> given;
    for (std::size_t i = 0; i < loop.size(); ++i) given.push_back(bits(*first, i).encode());
    const auto second = kernel->next_block();
    for (std::size_t i = 0; i < loop.size(); ++i) EXPECT_EQ(bits(*second, i).encode(), given[i]);
}

}  // namespace
}  // namespace simtlm::trace
