// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/control_flow.h"

#include "tests/unit/ptx/ptx_text.h"

#include <random>
#include <set>

namespace simtlm::ptx {
namespace {

control_flow flow_of(const module& m) {
    return analyse_control_flow(m, *m.find_function("k"));
}

TEST(PtxControlFlow, LanesOfAnIfReconvergeAfterIt) {
    const module m =
        parse_kernel("@%p1 bra SKIP;\nadd.u32 %r1, %r1, 1;\nSKIP: add.u32 %r1, %r1, 2;");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.blocks.size(), 3U);
    EXPECT_EQ(c.reconvergence[0], 2U);
    EXPECT_EQ(c.reconvergence[1], no_index);
}

TEST(PtxControlFlow, LanesOfBothArmsReconvergeAfterTheElse) {
    const module m = parse_kernel(
        "@%p1 bra ELSE;\nadd.u32 %r1, %r1, 1;\nbra.uni END;\nELSE: add.u32 %r1, %r1, 2;\n"
        "END: add.u32 %r1, %r1, 3;");
    EXPECT_EQ(flow_of(m).reconvergence[0], 4U);
}

TEST(PtxControlFlow, LanesThatLeaveALoopReconvergeAfterIt) {
    const module m = parse_kernel(
        "LOOP: add.u32 %r1, %r1, 1;\n@%p1 bra OUT;\nadd.u32 %r1, %r1, 1;\n@%p2 bra LOOP;\n"
        "add.u32 %r2, %r1, 1;\nOUT: add.u32 %r2, %r1, 2;");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.reconvergence[1], 5U);
    EXPECT_EQ(c.reconvergence[3], 5U);
}

TEST(PtxControlFlow, AnEarlyReturnReconvergesAtTheEnd) {
    const module m =
        parse_kernel("@%p1 bra L;\n@%p2 ret;\nadd.u32 %r1, %r1, 1;\nL: add.u32 %r1, %r1, 2;");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.reconvergence[0], no_index);
    EXPECT_EQ(c.blocks[1].successors.size(), 2U);
}

TEST(PtxControlFlow, LanesReconvergeDespiteATrapOnAnotherPath) {
    // A chain of cases whose default is a trap at the end of the function.
    const module m = parse_kernel(
        "@%p1 bra A;\n@%p2 bra B;\nbra.uni DIE;\nA: add.u32 %r1, %r1, 1;\nbra.uni MEET;\n"
        "B: add.u32 %r1, %r1, 2;\nMEET: add.u32 %r1, %r1, 3;\nret;\nDIE: trap;");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.reconvergence[0], 6U);
    EXPECT_EQ(c.reconvergence[1], 5U) << "the only way on";
}

TEST(PtxControlFlow, TrapsFallThroughAndDeadCodeIsDetected) {
    const module m =
        parse_kernel("@%p1 bra L;\ntrap;\nL: bra.uni END;\nadd.u32 %r1, %r1, 1;\nEND:");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.reconvergence[0], 2U);
    EXPECT_FALSE(c.blocks[c.block_of[3]].reachable);
    EXPECT_TRUE(c.blocks[c.block_of[4]].reachable);
}

TEST(PtxControlFlow, AnIndirectBranchReconvergesWhereAllTargetsDo) {
    const module m = parse_kernel(
        "ts: .branchtargets A, B, C;\nbrx.idx %r1, ts;\nA: bra D;\nB: bra D;\nC: add.u32 %r1, %r1, "
        "1;\n"
        "D: add.u32 %r1, %r1, 2;");
    EXPECT_EQ(flow_of(m).reconvergence[0], 4U);
}

TEST(PtxControlFlow, AGuardedCallReconvergesAfterItself) {
    const module m = parse_kernel(
        "{ .param .b32 a; .param .b64 b; .param .b32 o;\n@%p1 call (o), callee, (a, b);\n}\n"
        "add.u32 %r1, %r1, 1;");
    EXPECT_EQ(flow_of(m).reconvergence[0], 1U);
}

TEST(PtxControlFlow, AnEndlessLoopDoesNotAffectOtherBranches) {
    const module m =
        parse_kernel("@%p1 bra L;\nSPIN: add.u32 %r1, %r1, 1;\nbra SPIN;\nL: add.u32 %r1, %r1, 2;");
    const control_flow c = flow_of(m);
    EXPECT_EQ(c.reconvergence[0], no_index);
    EXPECT_EQ(c.blocks[c.block_of[1]].post_dominator, no_index);
}

/// Post-dominance by definition: b post-dominates a if no path from a to the end avoids b.
bool avoids(const control_flow& c, std::uint32_t from, std::uint32_t without) {
    if (from == without) return false;
    std::set<std::uint32_t> seen{from};
    std::vector<std::uint32_t> work{from};
    while (!work.empty()) {
        const std::uint32_t b = work.back();
        work.pop_back();
        for (const std::uint32_t s : c.blocks[b].successors) {
            if (s == c.blocks.size()) return true;
            if (s != without && seen.insert(s).second) work.push_back(s);
        }
    }
    return false;
}

bool has_endless_loop(const control_flow& c) {
    for (std::uint32_t b = 0; b < c.blocks.size(); ++b) {
        if (!avoids(c, b, no_index)) return true;
    }
    return false;
}

TEST(PtxControlFlow, PostDominatorsFollowTheirDefinitionInRandomGraphs) {
    std::mt19937 random(7);
    unsigned checked = 0;
    for (int round = 0; round < 200; ++round) {
        const unsigned labels = 3 + random() % 12;
        std::string body;
        for (unsigned i = 0; i < labels; ++i) {
            body += "L" + std::to_string(i) + ": add.u32 %r1, %r1, 1;\n";
            const std::string guard = random() % 4 == 0 ? "" : "@%p1 ";
            body += guard + "bra L" + std::to_string(random() % labels) + ";\n";
            if (random() % 5 == 0) body += "@%p2 ret;\n";
        }
        const control_flow c = flow_of(parse_kernel(body));
        if (has_endless_loop(c)) continue;
        ++checked;
        for (std::uint32_t a = 0; a < c.blocks.size(); ++a) {
            const std::uint32_t found = c.blocks[a].post_dominator;
            if (found != no_index) {
                EXPECT_FALSE(avoids(c, a, found)) << body;
            }
            for (std::uint32_t b = 0; b < c.blocks.size(); ++b) {
                if (b == a || avoids(c, a, b)) continue;
                // b post-dominates a: it is the immediate post-dominator, or post-dominates that
                // one.
                ASSERT_NE(found, no_index) << body;
                EXPECT_TRUE(b == found || !avoids(c, found, b)) << body;
            }
        }
    }
    EXPECT_GT(checked, 50U);
}

}  // namespace
}  // namespace simtlm::ptx
