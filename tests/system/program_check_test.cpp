// SPDX-License-Identifier: Apache-2.0
// Findings of --check in programs, as seen by a user.
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

namespace simtlm::test {
namespace {

/// Warps exchange words through shared memory without a barrier; every thread reads `in`.
const char* const careless = R"(
.version 6.4
.target sm_70
.address_size 64
.file 1 "careless.cu"
.visible .entry careless(.param .u64 in, .param .u64 out)
{
    .shared .align 4 .b8 tile[512];
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    .loc 1 7 3
    st.shared.u32 [%r4], %r1;
    xor.b32 %r5, %r2, 256;
    add.u32 %r6, %r3, %r5;
    .loc 1 8 3
    ld.shared.u32 %r7, [%r6];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd1, %rd3;
    .loc 1 9 3
    ld.global.u32 %r8, [%rd4];
    add.u64 %rd5, %rd2, %rd3;
    st.global.u32 [%rd5], %r7;
    ret;
}
)";

class ProgramChecks : public testing::Test {
protected:
    outcome run(const std::string& check, const std::string& contents, bool timing,
                const std::string& expect = {}) const {
        const std::string launch =
            "buffer in u32 128 " + contents +
            "\nbuffer out u32 128 zero\nlaunch careless grid 2 block 128 args in out\n" + expect;
        std::vector<std::string> arguments = {"--ptx", folder_.write("careless.ptx", careless),
                                              "--launch", folder_.write("careless.launch", launch)};
        if (!check.empty()) arguments.insert(arguments.end(), {"--check", check});
        if (timing)
            arguments.insert(arguments.end(), {"--preset", "TINY"});
        else
            arguments.insert(arguments.end(), {"-gpgpu_ptx_sim_mode", "1"});
        return simulate(arguments);
    }
    scratch_folder folder_;
};

TEST_F(ProgramChecks, FindRacesAndUninitializedMemoryInFunctionalAndTimingMode) {
    for (const bool timing : {false, true}) {
        const outcome races = run("races", "ramp", timing);
        EXPECT_EQ(5, races.code) << races.err;
        EXPECT_NE(std::string::npos, races.err.find("simtlm: check: ")) << races.err;
        EXPECT_NE(std::string::npos, races.err.find("careless.ptx:22 (careless.cu:8): kernel "))
            << races.err;
        EXPECT_NE(std::string::npos, races.err.find("careless.ptx:18 (careless.cu:7)"));
        const outcome unwritten = run("init", "unwritten", timing);
        EXPECT_EQ(5, unwritten.code) << unwritten.err;
        EXPECT_NE(std::string::npos, unwritten.err.find("0 bytes inside allocation in"))
            << unwritten.err;
    }
}

TEST_F(ProgramChecks, ReportThatNothingWasFound) {
    for (const bool timing : {false, true}) {
        const outcome o = run("memory", "zero", timing);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_NE(std::string::npos, o.out.find("checks have no findings"));
    }
}

TEST_F(ProgramChecks, AreDisabledByDefault) {
    const outcome o = run("", "unwritten", false);
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.err);
}

TEST_F(ProgramChecks, EndWithTheExitCodeOfWrongResults) {
    std::string all_ones = "expect out values";
    for (int i = 0; i < 128; ++i) all_ones += " 1";
    EXPECT_EQ(4, run("races", "ramp", false, all_ones + "\n").code);
}

TEST_F(ProgramChecks, ReportFaultsUnderTheTimingModelAsUserErrors) {
    const std::string stray_launch =
        folder_.write("stray.launch",
                      "buffer in u32 128 ramp\n"
                      "launch careless grid 1 block 128 args in u64:1099511627776\n");
    const outcome o = simulate({"--preset", "TINY", "--ptx",
                                folder_.write("careless.ptx", careless), "--launch", stray_launch});
    EXPECT_EQ(2, o.code);
    EXPECT_NE(std::string::npos, o.err.find("outside of all allocations")) << o.err;
    EXPECT_EQ(std::string::npos, o.err.find("internal error")) << o.err;
}

/// Machine code of careless.cu for an architecture, with all checks enabled.
class MachineCodeChecks : public testing::TestWithParam<unsigned> {
protected:
    outcome run(const std::string& kernel, const std::string& contents, bool timing) const {
        const std::string launch = "buffer in u32 128 " + contents +
                                   "\nbuffer out u32 128 zero\nlaunch " + kernel +
                                   " grid 2 block 128 args in out\n";
        std::vector<std::string> arguments = {
            "--cubin",  SIMTLM_MACHINE_CODE "/careless.sm_" + std::to_string(GetParam()) + ".cubin",
            "--launch", folder_.write("careless.launch", launch),
            "--check",  "all"};
        if (timing)
            arguments.insert(arguments.end(), {"--preset", GetParam() == 75   ? "RTX2060"
                                                           : GetParam() == 80 ? "A100"
                                                                              : "H100_PCIE"});
        else
            arguments.insert(arguments.end(), {"-gpgpu_ptx_sim_mode", "1"});
        return simulate(arguments);
    }
    scratch_folder folder_;
};

TEST_P(MachineCodeChecks, NameAddressesAndLinesOfRacesAndOfUninitializedReads) {
    for (const bool timing : {false, true}) {
        const outcome o = run("careless", "unwritten", timing);
        EXPECT_EQ(5, o.code) << o.err;
        const auto expect_report = [&](const std::string& what) {
            EXPECT_NE(std::string::npos, o.err.find(what)) << what << "\n" << o.err;
        };
        expect_report(".cubin:careless+0x00");
        expect_report(
            "careless.cu:9): kernel careless, block (0,0,0), thread (0,0,0): reads 4 bytes at ");
        expect_report("0 bytes inside allocation in");
        expect_report("race in shared memory at 0x");
        expect_report("(static shared memory): this ");
        expect_report("careless.cu:7)");
        expect_report("careless.cu:8)");
        expect_report(" have no barrier between them [");
    }
}

TEST_P(MachineCodeChecks, RespectTheOrderOfBlockAndWarpBarriers) {
    for (const bool timing : {false, true}) {
        const outcome o = run("careful", "ramp", timing);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_NE(std::string::npos, o.out.find("checks have no findings")) << o.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, MachineCodeChecks, testing::Values(75, 80, 90));

TEST_F(ProgramChecks, RejectUnknownChecks) {
    const outcome o = run("leaks", "zero", false);
    EXPECT_EQ(2, o.code);
    EXPECT_NE(std::string::npos, o.err.find("'leaks' is not a check")) << o.err;
}

}  // namespace
}  // namespace simtlm::test
