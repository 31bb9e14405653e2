// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/simt_stack.h"

#include <gtest/gtest.h>

#include <random>

namespace simtlm::execution {
namespace {

constexpr std::uint64_t never = simt_stack::no_pc;

simt_stack::outcome branch(std::uint64_t taken, std::uint64_t not_taken, std::uint32_t takers,
                           std::uint64_t reconverge, std::uint32_t exited = 0) {
    simt_stack::outcome o;
    for (unsigned i = 0; i < 32; ++i) o.next_pc[i] = (takers >> i & 1) != 0 ? taken : not_taken;
    o.reconvergence_pc = reconverge;
    o.exited = exited;
    return o;
}
std::array<std::uint64_t, 32> all_to(std::uint64_t pc) {
    std::array<std::uint64_t, 32> t;
    t.fill(pc);
    return t;
}

TEST(SimtStack, HandlesUniformBranches) {
    simt_stack s;
    EXPECT_TRUE(s.done());
    EXPECT_EQ(s.active(), 0u);
    s.launch(0x10, 0xffff);
    EXPECT_EQ(s.pc(), 0x10u);
    EXPECT_EQ(s.active(), 0xffffu);
    s.advance(0x20);
    EXPECT_EQ(s.pc(), 0x20u);
    s.advance(branch(0x80, 0x30, 0xffff, 0x90), 0x30);  // a uniform branch, taken
    EXPECT_EQ(s.pc(), 0x80u);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, RunsBothSidesOfABranchAndReconverges) {
    simt_stack s;
    s.launch(0x10, 0xf);
    // 10: if (lanes 0 1) goto 40; 20: ...; 30: goto 50; 40: ...; 50: reconvergence
    s.advance(branch(0x40, 0x20, 0x3, 0x50), 0x20);
    EXPECT_EQ(s.depth(), 3u);
    EXPECT_EQ(s.pc(), 0x40u);  // the taken side first
    EXPECT_EQ(s.active(), 0x3u);
    EXPECT_EQ(s.entries()[0].pc, 0x50u);
    EXPECT_EQ(s.entries()[0].lanes, 0xfu);
    s.advance(0x50);
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xcu);
    s.advance(0x30);
    s.advance(0x50);
    EXPECT_EQ(s.pc(), 0x50u);
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, PushesNoEntryForLanesAtTheReconvergencePoint) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x50, 0x20, 0x3, 0x50), 0x20);  // if without else
    EXPECT_EQ(s.depth(), 2u);
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xcu);
    s.advance(0x50);
    EXPECT_EQ(s.active(), 0xfu);
}

TEST(SimtStack, DoesNotGrowInALoopThatLanesLeaveOneByOne) {
    simt_stack s;
    s.launch(0x10, 0xff);
    for (unsigned round = 0; round < 8; ++round) {
        EXPECT_EQ(s.pc(), 0x10u);
        EXPECT_EQ(s.active(), 0xffu << round & 0xffu);
        s.advance(0x20);
        s.advance(branch(0x10, 0x30, 0xffu << (round + 1), 0x30), 0x30);
        EXPECT_LE(s.depth(), 2u);
    }
    EXPECT_EQ(s.pc(), 0x30u);
    EXPECT_EQ(s.active(), 0xffu);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, NestsBranches) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, 0x90), 0x20);
    s.advance(branch(0x60, 0x50, 0x1, 0x80), 0x50);  // lanes 0 and 1 diverge again
    EXPECT_EQ(s.active(), 0x1u);
    s.advance(0x80);
    EXPECT_EQ(s.active(), 0x2u);
    s.advance(0x80);
    EXPECT_EQ(s.pc(), 0x80u);
    EXPECT_EQ(s.active(), 0x3u);
    s.advance(0x90);
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xcu);
    s.advance(0x90);
    EXPECT_EQ(s.active(), 0xfu);
}

TEST(SimtStack, ReusesTheEntryOfAnOuterBranchWithTheSameReconvergencePoint) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, 0x90), 0x20);
    s.advance(branch(0x60, 0x50, 0x1, 0x90), 0x50);
    EXPECT_EQ(s.depth(), 4u);  // the reconvergence point, 20, 50 and 60
    s.advance(0x90);
    EXPECT_EQ(s.pc(), 0x50u);
    s.advance(0x90);
    EXPECT_EQ(s.pc(), 0x20u);
    s.advance(0x90);
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, SplitsLanesOfAnIndirectBranchByTarget) {
    simt_stack s;
    s.launch(0x10, 0xf);
    simt_stack::outcome o;
    o.next_pc[0] = 0x20;
    o.next_pc[1] = 0x40;
    o.next_pc[2] = 0x60;
    o.next_pc[3] = 0x40;
    o.reconvergence_pc = 0x90;
    s.advance(o, 0x20);
    std::uint32_t seen = 0;
    unsigned targets = 0;
    while (s.depth() > 1) {
        EXPECT_EQ(s.active() & seen, 0u);
        seen |= s.active();
        ++targets;
        EXPECT_TRUE(s.pc() != 0x40u || s.active() == 0b1010u);
        s.advance(0x90);
    }
    EXPECT_EQ(targets, 3u);
    EXPECT_EQ(seen, 0xfu);
    EXPECT_EQ(s.active(), 0xfu);
}

TEST(SimtStack, RemovesExitedLanes) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, 0x50), 0x20);
    s.advance(0x50, 0x1);  // lane 0 ends on the taken side
    EXPECT_EQ(s.active(), 0xcu);
    s.advance(0x50, 0xc);  // all lanes of the other side end
    EXPECT_EQ(s.pc(), 0x50u);
    EXPECT_EQ(s.active(), 0x2u);
    s.advance(0x60, 0x2);
    EXPECT_TRUE(s.done());
    EXPECT_TRUE(s.is_hazard(0x60));
}

TEST(SimtStack, RunsASideThatExitsBeforeReconvergence) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, never), 0x20);  // both sides exit
    s.advance(0x50);
    s.advance(0x60, 0x3);
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xcu);
    s.advance(0x30, 0xc);
    EXPECT_TRUE(s.done());
}

TEST(SimtStack, HandlesABranchOfSomeLanesAndAnExitOfOthers) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, 0x50, 0x9), 0x20);  // lanes 0 and 3 end
    EXPECT_EQ(s.active(), 0x2u);
    s.advance(0x50);
    EXPECT_EQ(s.active(), 0x4u);
    s.advance(0x50);
    EXPECT_EQ(s.active(), 0x6u);
}

TEST(SimtStack, ReconvergesGroupsAtABarrier) {
    simt_stack s;
    s.launch(0x10, 0xfff);
    s.branch(0xf, 0x80, 0x20, never);
    s.branch(0x3, 0xa0, 0x90, never);  // of the lanes at 0x80
    EXPECT_EQ(s.active(), 0x3u);
    EXPECT_TRUE(s.suspend_group(0xc0, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xcu);
    EXPECT_EQ(s.pc(), 0x90u);
    EXPECT_TRUE(s.suspend_group(0xc0, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xff0u) << "both groups wait";
    EXPECT_EQ(s.depth(), 2u) << "as one";
    EXPECT_FALSE(s.suspend_group(0xc0, simt_stack::waiting::at_barrier));
    s.stop_waiting();
    EXPECT_EQ(s.active(), 0xfffu);
    EXPECT_EQ(s.pc(), 0xc0u);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, ReturnsToABarrierThatOtherLanesSkip) {
    simt_stack s;
    s.launch(0x10, 0xff);
    s.branch(0xf, 0x80, 0x20, 0xc0);
    EXPECT_TRUE(s.suspend_group(0x80, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xf0u);
    EXPECT_TRUE(s.reconverge(0xc0));
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.pc(), 0x80u);
    EXPECT_FALSE(s.suspend_group(0x80, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xfu);
}

TEST(SimtStack, ReportsGroupsAtDifferentBarriers) {
    simt_stack s;
    s.launch(0x10, 0xff);
    s.branch(0xf, 0x80, 0x20, never);
    EXPECT_TRUE(s.suspend_group(0x84, simt_stack::waiting::at_barrier));
    EXPECT_FALSE(s.suspend_group(0x24, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xf0u);
}

TEST(SimtStack, ReleasesLanesThatWaitForMembersWhenNoOtherLaneCanRun) {
    simt_stack s;
    s.launch(0x10, 0xff);
    s.branch(0xf, 0x80, 0x20, never);
    EXPECT_TRUE(s.suspend_group(0x84, simt_stack::waiting::for_members));
    EXPECT_EQ(s.active(), 0xf0u);
    EXPECT_TRUE(s.suspend_group(0x24, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.pc(), 0x84u);
    EXPECT_FALSE(s.suspend_group(0x84, simt_stack::waiting::for_members)) << "nobody else can run";
    s.stop_waiting();
    EXPECT_TRUE(s.suspend_group(0x24, simt_stack::waiting::at_barrier) == false && s.depth() == 1)
        << "all have come to the barrier";
    EXPECT_EQ(s.active(), 0xffu);
}

TEST(SimtStack, ReleasesLanesThatWaitAtTheReconvergencePoint) {
    simt_stack s;
    s.launch(0x10, 0xff);
    s.branch(0xf, 0x80, 0x20, 0x40);
    EXPECT_TRUE(s.reconverge(0x40));
    EXPECT_EQ(s.active(), 0xf0u);
    EXPECT_TRUE(s.yield_group(0x24));
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.pc(), 0x40u);
    EXPECT_TRUE(s.yield_group(0x44)) << "those that wait have their turn again";
    EXPECT_EQ(s.active(), 0xf0u);
    EXPECT_EQ(s.pc(), 0x24u);
    EXPECT_TRUE(s.suspend_group(0x60, simt_stack::waiting::at_barrier));
    EXPECT_FALSE(s.suspend_group(0x60, simt_stack::waiting::at_barrier));
    EXPECT_EQ(s.active(), 0xffu) << "they are together again at a barrier";
}

TEST(SimtStack, CallsAndReturns) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.call(all_to(0x100), 0x20);
    EXPECT_EQ(s.pc(), 0x100u);
    s.call(all_to(0x200), 0x110);
    EXPECT_EQ(s.pc(), 0x200u);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x110u);
    EXPECT_EQ(s.active(), 0xfu);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.depth(), 1u);
    s.return_from_call();  // of the kernel itself
    EXPECT_TRUE(s.done());
}

TEST(SimtStack, WaitsInTheCallerForLanesThatReturnLater) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.call(all_to(0x100), 0x20);
    s.advance(branch(0x140, 0x110, 0x3, never), 0x110);  // each side has a return of its own
    EXPECT_EQ(s.active(), 0x3u);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x110u);
    EXPECT_EQ(s.active(), 0xcu);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xfu);
    EXPECT_EQ(s.depth(), 1u);
}

TEST(SimtStack, ReconvergesWithinAFunctionBeforeItReturns) {
    simt_stack s;
    s.launch(0x10, 0xf);
    s.advance(branch(0x40, 0x20, 0x3, 0x80), 0x20);
    s.call(all_to(0x100), 0x80);  // returns to the reconvergence point of the sides
    s.advance(branch(0x140, 0x110, 0x1, 0x150), 0x110);
    s.advance(0x150);
    EXPECT_EQ(s.active(), 0x2u);
    s.advance(0x150);
    EXPECT_EQ(s.active(), 0x3u);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x20u) << "the caller's side is over as well";
    EXPECT_EQ(s.active(), 0xcu);
}

TEST(SimtStack, CallsSeveralFunctionsThroughAPointer) {
    simt_stack s;
    s.launch(0x10, 0xf);
    auto target = all_to(0x100);
    target[2] = 0x200;
    s.call(target, 0x20);
    EXPECT_EQ(s.active(), 0x4u);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x100u);
    EXPECT_EQ(s.active(), 0xbu);
    s.return_from_call();
    EXPECT_EQ(s.pc(), 0x20u);
    EXPECT_EQ(s.active(), 0xfu);
}

TEST(SimtStack, ReportsAControlHazard) {
    simt_stack s;
    s.launch(0x10, 0xf);
    EXPECT_FALSE(s.is_hazard(0x10));
    s.advance(branch(0x40, 0x20, 0x3, 0x50), 0x20);
    EXPECT_TRUE(s.is_hazard(0x20));
    EXPECT_FALSE(s.is_hazard(0x40));
}

// ---- structured programs compared with lanes that run alone ----------------------------------

/// A random program of nested conditions and loops, as flat code with reconvergence points.
struct random_program {
    enum class kind { plain, branch, exit };
    struct op {
        kind what = kind::plain;
        std::size_t target = 0, reconverge = 0;
        unsigned salt = 0;
        unsigned laps = 0;  // a loop's branch: maximum number of iterations
    };
    std::vector<op> code;
    std::mt19937 random;

    explicit random_program(unsigned seed) : random(seed) {
        block(0);
        code.push_back({kind::exit});
    }
    void plain() { code.push_back({}); }
    void block(unsigned level) {
        for (unsigned n = 1 + random() % 3; n-- > 0;) {
            plain();
            if (level >= 4) continue;
            const unsigned what = random() % 4;
            if (what == 0 || what == 1) {  // if (without or with else)
                const std::size_t at = code.size();
                code.push_back({kind::branch, 0, 0, static_cast<unsigned>(random())});
                block(level + 1);
                if (what == 1) {
                    const std::size_t jump = code.size();
                    code.push_back({kind::branch, 0, 0, 0});  // always taken
                    code[at].target = code.size();
                    block(level + 1);
                    code[jump].target = code[jump].reconverge = code.size();
                } else {
                    code[at].target = code.size();
                }
                code[at].reconverge = code.size();
            } else if (what == 2) {  // do ... while
                const std::size_t head = code.size();
                block(level + 1);
                code.push_back(
                    {kind::branch, head, code.size() + 1, static_cast<unsigned>(random()) | 1u, 3});
            }
        }
    }
    /// Returns whether a lane takes a branch on its n-th execution.
    bool takes(std::size_t pc, unsigned lane, unsigned nth) const {
        const op& o = code[pc];
        if (o.salt == 0) return true;
        if (o.laps != 0 && nth % o.laps == o.laps - 1) return false;
        return ((o.salt ^ (lane + 1) * 2654435761u ^ (nth + 1) * 40503u) >> 7 & 1u) != 0;
    }
};

TEST(SimtStack, RunsEveryLaneOfRandomProgramsAsAScalarThread) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const random_program p(seed);
        std::array<std::vector<std::size_t>, 32> alone, together;
        for (unsigned lane = 0; lane < 32; ++lane) {
            std::vector<unsigned> times(p.code.size());
            for (std::size_t pc = 0;;) {
                alone[lane].push_back(pc);
                const auto& o = p.code[pc];
                if (o.what == random_program::kind::exit) break;
                const bool taken =
                    o.what == random_program::kind::branch && p.takes(pc, lane, times[pc]++);
                pc = taken ? o.target : pc + 1;
            }
        }
        simt_stack s;
        s.launch(0, ~0u);
        std::array<std::vector<unsigned>, 32> times;
        times.fill(std::vector<unsigned>(p.code.size()));
        for (unsigned steps = 0; !s.done() && steps < 1000000; ++steps) {
            const std::size_t pc = s.pc();
            const auto& o = p.code[pc];
            for (unsigned lane = 0; lane < 32; ++lane)
                if ((s.active() >> lane & 1) != 0) together[lane].push_back(pc);
            if (o.what == random_program::kind::exit) {
                EXPECT_EQ(s.active(), ~0u) << "all meet at the end";
                s.advance(pc + 1, s.active());
            } else if (o.what == random_program::kind::branch) {
                simt_stack::outcome how;
                how.reconvergence_pc = o.reconverge;
                for (unsigned lane = 0; lane < 32; ++lane)
                    if ((s.active() >> lane & 1) != 0)
                        how.next_pc[lane] =
                            p.takes(pc, lane, times[lane][pc]++) ? o.target : pc + 1;
                s.advance(how, pc + 1);
            } else {
                s.advance(pc + 1);
            }
        }
        ASSERT_TRUE(s.done()) << seed;
        ASSERT_EQ(alone, together) << seed;
    }
}

}  // namespace
}  // namespace simtlm::execution
