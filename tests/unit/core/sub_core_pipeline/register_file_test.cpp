// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/register_file.h"

#include "modules/core/sub_core_pipeline/register_cache.h"
#include "modules/core/sub_core_pipeline/result_queue.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace simtlm::core::sub_core_pipeline {
namespace {

register_file::reads reads_of(const register_file& file, std::initializer_list<unsigned> regs) {
    register_file::reads r{};
    for (const unsigned reg : regs) ++r[file.bank_of(reg)];
    return r;
}

/// Cycles that the second of two consecutive instructions waits in the allocate stage.
unsigned bubbles(std::initializer_list<unsigned> first, std::initializer_list<unsigned> second,
                 const register_file_config& config = {}) {
    register_file file(config);
    std::uint64_t now = 10;
    EXPECT_TRUE(file.allocate(reads_of(file, first), config.read_window, now));
    ++now;
    unsigned n = 0;
    while (!file.allocate(reads_of(file, second), config.read_window, now)) {
        ++now;
        ++n;
    }
    return n;
}

// Experiment of Huerta et al.: FFMA R11,R10,R12,R14 and FFMA R13,R16,RX,RY take 5 cycles plus one
// or two, depending on the banks of RX and RY.
TEST(RegisterFile, ReadsTheOtherBankWithoutABubble) {
    EXPECT_EQ(bubbles({10, 12, 14}, {16, 19, 21}), 0u);
}
TEST(RegisterFile, HoldsAnInstructionOneCycleForTwoOperandsOfABusyBank) {
    EXPECT_EQ(bubbles({10, 12, 14}, {16, 18, 21}), 1u);
}
TEST(RegisterFile, HoldsAnInstructionTwoCyclesForThreeOperandsOfABusyBank) {
    EXPECT_EQ(bubbles({10, 12, 14}, {16, 18, 20}), 2u);
}
TEST(RegisterFile, HasNoBubblesWithTwoReadPorts) {
    register_file_config two;
    two.read_ports = 2;
    EXPECT_EQ(bubbles({10, 12, 14}, {16, 18, 20}, two), 0u);
}
TEST(RegisterFile, HasNoBubblesWithTheRequestedNumberOfPorts) {
    register_file_config ideal;
    ideal.read_ports = 0;
    EXPECT_EQ(bubbles({10, 12, 14}, {16, 18, 20}, ideal), 0u);
}

/// Issue interval in a long sequence of identical instructions.
/// @param tensor  cycles of the window in which the tensor core reads a register
double interval(std::initializer_list<unsigned> operands, std::uint64_t tensor = 0) {
    const register_file_config config;
    register_file file(config);
    std::uint64_t now = 10;
    constexpr unsigned n = 100;
    for (unsigned i = 0; i < n; ++i, ++now)
        while (!file.allocate(reads_of(file, operands), config.read_window, now, tensor)) ++now;
    return static_cast<double>(now - 10) / n;
}

TEST(RegisterFile, LosesACycleToTwoOperandsOfABankAndTwoToThree) {
    EXPECT_NEAR(interval({1, 2}), 1, 0.05);     // FMUL
    EXPECT_NEAR(interval({2, 4}), 2, 0.05);     // one bubble
    EXPECT_NEAR(interval({2, 3, 5}), 2, 0.05);  // FFMA
    EXPECT_NEAR(interval({2, 4, 6}), 3, 0.05);  // two bubbles
}

TEST(RegisterFile, KeepsHalfOfItsReadPortsDuringTensorCoreReads) {
    constexpr std::uint64_t window = 0b1110;
    EXPECT_NEAR(interval({1, 2}, window), 2, 0.05);
    EXPECT_NEAR(interval({2}, window), 2, 0.05);
    EXPECT_NEAR(interval({2, 3, 5}, window), 4, 0.05);
}

TEST(RegisterFile, DelaysALoadByACycleWhereAFixedLatencyResultIsWritten) {
    register_file file{register_file_config{}};
    file.write_fixed(0, 20);
    EXPECT_EQ(file.write_variable(0, 20), 21u);
    EXPECT_EQ(file.write_variable(1, 20), 20u);
    EXPECT_EQ(file.write_variable(0, 19), 19u);
    file.write_fixed(0, 21);
    EXPECT_EQ(file.write_variable(0, 20), 22u);
    file.write_fixed(0, 200);
    EXPECT_EQ(file.write_variable(0, 199), 199u);
}

// The four examples of Huerta et al., listing 3: which read of R2 hits.
struct CachedReads : ::testing::Test {
    register_cache cache;
    bool read(unsigned reg, unsigned slot, bool reuse, unsigned warp = 1) {
        return cache.read(warp, reg, reg % 2, slot, reuse);
    }
};

TEST_F(CachedReads, HitOnceWithoutAnotherReuseBit) {
    EXPECT_FALSE(read(2, 0, true));   // IADD3 R1, R2.reuse, R3, R4
    EXPECT_TRUE(read(2, 0, false));   // FFMA R5, R2, R7, R8
    EXPECT_FALSE(read(2, 0, false));  // IADD3 R10, R2, R12, R13
}
TEST_F(CachedReads, HitAgainWhenTheReuseBitIsSetAgain) {
    EXPECT_FALSE(read(2, 0, true));
    EXPECT_TRUE(read(2, 0, true));
    EXPECT_TRUE(read(2, 0, false));
}
TEST_F(CachedReads, MissInAnotherSlotAndKeepTheEntryOfTheOtherBank) {
    EXPECT_FALSE(read(2, 0, true));
    EXPECT_FALSE(read(7, 0, false));  // FFMA R5, R7, R2, R8: bank 1
    EXPECT_FALSE(read(2, 1, false));
    EXPECT_TRUE(read(2, 0, false));
}
TEST_F(CachedReads, LoseTheEntryToAReadOfTheSameBankAndSlot) {
    EXPECT_FALSE(read(2, 0, true));
    EXPECT_FALSE(read(4, 0, false));
    EXPECT_FALSE(read(2, 0, false));
}
TEST_F(CachedReads, OfAnotherWarpMiss) {
    EXPECT_FALSE(read(2, 0, true, 1));
    EXPECT_FALSE(read(2, 0, false, 5));
}

TEST(ResultQueue, WritesOneResultACycleAndHoldsIssueWhenItIsFull) {
    result_queue q(2);
    q.reserve();
    EXPECT_TRUE(q.can_reserve());
    q.reserve();
    EXPECT_FALSE(q.can_reserve());
    EXPECT_EQ(q.written_at(10), 10u);
    EXPECT_EQ(q.written_at(10), 11u);
    q.release();
    EXPECT_TRUE(q.can_reserve());
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline
