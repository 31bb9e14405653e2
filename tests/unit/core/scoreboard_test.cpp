// SPDX-License-Identifier: Apache-2.0
#include "modules/core/scoreboard.h"

#include "tests/unit/core/warps.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace simtlm::core {
namespace {

using program::memory_space;
using program::op_class;
using test::instruction;

constexpr unsigned zero = program::register_zero;

struct ScoreboardTest : ::testing::Test {
    test::warps warps{4};
    scoreboard board{warps.table};
    const program::static_instruction writes_5 = instruction(op_class::sp, {5}, {1, 2});
    const program::static_instruction reads_5 = instruction(op_class::sp, {6}, {5, 7});
    const program::static_instruction reads_8 = instruction(op_class::sp, {9}, {8});
};
using Scoreboard = ScoreboardTest;

TEST_F(Scoreboard, BlocksAReadAfterAWrite) {
    board.reserve(0, writes_5, memory_space::none);
    EXPECT_TRUE(board.collides(0, reads_5));
    EXPECT_FALSE(board.collides(0, reads_8));
    board.release(0, writes_5);
    EXPECT_FALSE(board.collides(0, reads_5));
}

TEST_F(Scoreboard, BlocksAWriteAfterAWrite) {
    board.reserve(0, writes_5, memory_space::none);
    EXPECT_TRUE(board.collides(0, writes_5));
}

TEST_F(Scoreboard, DoesNotBlockAWriteAfterARead) {
    board.reserve(0, reads_5, memory_space::none);
    EXPECT_FALSE(board.collides(0, writes_5));
}

TEST_F(Scoreboard, SeparatesWarps) {
    board.reserve(0, writes_5, memory_space::none);
    EXPECT_FALSE(board.collides(1, reads_5));
    EXPECT_TRUE(board.writes_pending(0));
    EXPECT_FALSE(board.writes_pending(1));
}

TEST_F(Scoreboard, ChecksEveryDestinationAndSource) {
    const auto wide = instruction(op_class::load, {10, 11, 12, 13}, {});
    board.reserve(2, wide, memory_space::global);
    for (const unsigned r : {10u, 11u, 12u, 13u}) {
        EXPECT_TRUE(board.collides(2, instruction(op_class::sp, {}, {1, 2, r})));
        EXPECT_TRUE(board.collides(2, instruction(op_class::sp, {1, r}, {})));
    }
    EXPECT_FALSE(board.collides(2, instruction(op_class::sp, {14}, {9, 14})));
}

TEST_F(Scoreboard, IgnoresRegisterZero) {
    const auto writes_rz = instruction(op_class::sp, {zero}, {1});
    board.reserve(0, writes_rz, memory_space::none);
    EXPECT_FALSE(board.writes_pending(0));
    EXPECT_FALSE(board.collides(0, instruction(op_class::sp, {zero}, {zero})));
}

TEST_F(Scoreboard, KeepsReservationsWhenItGrows) {
    board.reserve(1, writes_5, memory_space::global);
    board.allow_registers(5000);
    EXPECT_TRUE(board.collides(1, reads_5));
    EXPECT_FALSE(board.collides(0, reads_5));
    const auto writes_4999 = instruction(op_class::sp, {4999}, {});
    board.reserve(3, writes_4999, memory_space::none);
    EXPECT_TRUE(board.collides(3, instruction(op_class::sp, {1}, {4999})));
    EXPECT_FALSE(board.collides(2, instruction(op_class::sp, {1}, {4999})));
    board.release(3, writes_4999);
    board.release(1, writes_5);
    EXPECT_FALSE(board.writes_pending(1) || board.writes_pending(3));
}

TEST_F(Scoreboard, MarksLoadsFromDistantMemoryAsLong) {
    const auto reads_6 = instruction(op_class::sp, {1}, {6});
    for (const memory_space s :
         {memory_space::global, memory_space::local, memory_space::texture}) {
        board.reserve(1, test::load(6), s);
        EXPECT_TRUE(board.waits_for_long_operation(1, reads_6));
        EXPECT_FALSE(board.waits_for_long_operation(0, reads_6));
        board.release(1, test::load(6));
        EXPECT_FALSE(board.waits_for_long_operation(1, reads_6));
    }
    for (const memory_space s : {memory_space::shared, memory_space::constant}) {
        board.reserve(1, test::load(6), s);
        EXPECT_TRUE(board.collides(1, reads_6));
        EXPECT_FALSE(board.waits_for_long_operation(1, reads_6));
        board.release(1, test::load(6));
    }
    board.reserve(1, instruction(op_class::sp, {6}, {}), memory_space::none);
    EXPECT_FALSE(board.waits_for_long_operation(1, reads_6));
}

TEST_F(Scoreboard, KeepsALoadedRegisterLongUntilArithmeticWritesItUnderTheQuirk) {
    scoreboard quirky(warps.table, true);
    const auto reads_6 = instruction(op_class::sp, {1}, {6});
    const auto writes_6 = instruction(op_class::sp, {6}, {});
    quirky.reserve(1, test::load(6), memory_space::global);
    quirky.release(1, test::load(6));
    EXPECT_FALSE(quirky.collides(1, reads_6));
    EXPECT_TRUE(quirky.waits_for_long_operation(1, reads_6));
    quirky.reserve(1, writes_6, memory_space::none);
    quirky.release(1, writes_6);
    EXPECT_FALSE(quirky.waits_for_long_operation(1, reads_6));
}

TEST_F(Scoreboard, NotifiesTheSchedulerWhenHazardsChange) {
    board.reserve(3, writes_5, memory_space::none);
    EXPECT_TRUE(warps.issue_notified.empty());
    warps.table.scoreboard_blocked = warp_bit(3);
    board.release(3, writes_5);
    EXPECT_EQ(warps.issue_notified, std::vector<unsigned>{3});
    EXPECT_NE(warps.table.scoreboard_stale & warp_bit(3), 0u);
    board.release(3, writes_5);  // nothing left to release
    EXPECT_EQ(warps.issue_notified.size(), 1u);
}

TEST_F(Scoreboard, DoesNotNotifyForAWarpWithoutHazards) {
    board.reserve(3, writes_5, memory_space::none);
    board.release(3, writes_5);
    EXPECT_TRUE(warps.issue_notified.empty()) << "its next instruction waits for nothing";
    EXPECT_EQ(warps.table.scoreboard_stale, 0u);
    board.reserve(3, writes_5, memory_space::none);
    warps.table.scoreboard_stale = warp_bit(3);
    board.release(3, writes_5);
    EXPECT_EQ(warps.issue_notified, std::vector<unsigned>{3})
        << "nobody has looked whether it does";
}

TEST_F(Scoreboard, EndsAMemoryBarrierWithTheLastPendingWrite) {
    warps.table.at_memory_barrier = warp_bit(0) | warp_bit(1);
    const auto other = instruction(op_class::sp, {7}, {});
    board.reserve(0, writes_5, memory_space::none);
    board.reserve(0, other, memory_space::none);
    board.release(0, writes_5);
    EXPECT_NE(warps.table.at_memory_barrier & warp_bit(0), 0u);
    board.release(0, other);
    EXPECT_EQ(warps.table.at_memory_barrier, warp_bit(1));
}

TEST_F(Scoreboard, NotifiesTheFetchUnitThatAFinishedWarpMayExit) {
    warps.table.done = warp_bit(0);
    board.reserve(0, writes_5, memory_space::none);
    EXPECT_EQ(warps.fetch_notified, 0u);
    board.release(0, writes_5);
    EXPECT_EQ(warps.fetch_notified, 1u);
}

TEST_F(Scoreboard, AgreesWithASetOfRegistersUnderRandomTraffic) {
    std::mt19937 random(3);
    std::array<std::set<unsigned>, 4> model;
    std::array<std::vector<program::static_instruction>, 4> flying;
    board.allow_registers(600);
    for (unsigned n = 0; n < 20000; ++n) {
        const unsigned w = random() % 4;
        const auto number = [&]() -> unsigned {
            return random() % 32 == 0 ? zero : random() % 600;
        };
        const unsigned a = number(), b = number(), c = number();
        const auto inst = instruction(op_class::sp, {a}, {b, c});
        const auto held = [&](unsigned r) { return r != zero && model[w].count(r) != 0; };
        ASSERT_EQ(board.collides(w, inst), held(a) || held(b) || held(c));
        if (!board.collides(w, inst)) {
            board.reserve(w, inst, memory_space::none);
            if (a != zero) model[w].insert(a);
            flying[w].push_back(inst);
        }
        if (!flying[w].empty() && random() % 3 == 0) {
            const std::size_t i = random() % flying[w].size();
            board.release(w, flying[w][i]);
            model[w].erase(flying[w][i].dst[0]);
            flying[w].erase(flying[w].begin() + static_cast<std::ptrdiff_t>(i));
        }
        ASSERT_EQ(board.writes_pending(w), !model[w].empty());
    }
}

}  // namespace
}  // namespace simtlm::core
