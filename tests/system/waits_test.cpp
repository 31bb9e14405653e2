// SPDX-License-Identifier: Apache-2.0
// Instructions whose only effect is on time: nanosleep, prefetches and hints.
#include "tests/system/simulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

/// A GPU, and its machine code; 0: PTX.
struct gpu {
    const char* preset;
    unsigned architecture;
};
void PrintTo(const gpu& g, std::ostream* to) {
    *to << g.preset;
}
constexpr gpu gpus[] = {{"QV100", 0},    {"V100", 0},  {"H100_PCIE", 0},
                        {"RTX2060", 75}, {"A100", 80}, {"H100_PCIE", 90}};

class Waits : public testing::TestWithParam<gpu> {
protected:
    /// Runs one kernel with a core clock of 1 GHz, so that a cycle is a nanosecond.
    /// @param launch  after the name of the buffer `cycles`
    /// @return the words of the buffer
    std::vector<std::uint32_t> run(const std::string& launch,
                                   const std::vector<std::string>& more = {}) {
        const std::string script = folder_.write(
            "run.launch", "buffer cycles u32 8 zero\nbuffer data u32 16384 unwritten\nlaunch " +
                              launch + "\noutput cycles result.bin\n");
        const std::string path = SIMTLM_MACHINE_CODE "/waits";
        const unsigned sm = GetParam().architecture;
        std::vector<std::string> arguments{
            "--preset",
            GetParam().preset,
            "-gpgpu_clock_domains",
            "1000:1000:1000:1000",
            sm == 0 ? "--ptx" : "--cubin",
            sm == 0 ? path + ".ptx" : fmt::format("{}.sm_{}.cubin", path, sm),
            "--launch",
            script};
        arguments.insert(arguments.end(), more.begin(), more.end());
        last_ = simulate(arguments);
        EXPECT_EQ(last_.code, 0) << last_.err;
        const std::string bytes = read_file(folder_.path("result.bin"));
        std::vector<std::uint32_t> words(bytes.size() / 4);
        std::memcpy(words.data(), bytes.data(), words.size() * 4);
        words.resize(8);
        return words;
    }
    const scratch_folder folder_;
    outcome last_;
};

TEST_P(Waits, NanosleepTakesAboutTheRequestedTime) {
    constexpr unsigned times = 4;
    const auto cycles = [&](unsigned time) {
        return run(fmt::format("sleeps grid 1 block 96 args cycles u32:{} s32:{}", time, times))[0];
    };
    const std::uint32_t none = cycles(0);  // mostly instruction fetch
    EXPECT_LT(none, 1000u);
    for (const unsigned time : {100u, 1000u, 20'000u}) {
        const double each = (cycles(time) - none) / double{times};
        EXPECT_GE(each, time * 0.9) << time;
        EXPECT_LE(each, time * 2.0) << time;
    }
}

TEST_P(Waits, NanosleepBeyondTheDeadlockWindowIsNoDeadlock) {
    const std::uint32_t cycles = run("sleeps grid 2 block 32 args cycles u32:1000000 s32:1")[0];
    EXPECT_GE(cycles, 1'000'000u);
    EXPECT_LE(cycles, 1'010'000u);
}

TEST_P(Waits, NanosleepDelaysOtherLanesOnlyAtReconvergence) {
    const std::uint32_t cycles = run("half_sleeps grid 1 block 32 args cycles u32:5000")[0];
    EXPECT_GE(cycles, 5000u);
    EXPECT_LE(cycles, 7000u);
}

TEST_P(Waits, NanosleepIsIndependentOfProcessOrder) {
    const std::string launch = "sleeps grid 3 block 64 args cycles u32:700 s32:3";
    const std::vector<std::uint32_t> first = run(launch, {"--quiet"});
    const std::string report = last_.report();
    for (const char* way : {"--shuffle-seed=7", "--no-sleep"}) {
        const bool seeded = way[2] == 's';
        const auto more = seeded ? std::vector<std::string>{"--quiet", "--shuffle-seed", "7"}
                                 : std::vector<std::string>{"--quiet", "--no-sleep"};
        EXPECT_EQ(first, run(launch, more)) << way;
        EXPECT_EQ(report, last_.report()) << way;
    }
}

TEST_P(Waits, NanosleepTakesTheSameTimeInAReplay) {
    run("sleeps grid 2 block 64 args cycles u32:3000 s32:3",
        {"--record-trace", folder_.path("T"), "--record-form", "text"});
    const std::string executed = last_.values()["gpu_tot_sim_cycle"];
    const outcome replayed =
        simulate({"--preset", GetParam().preset, "-gpgpu_clock_domains", "1000:1000:1000:1000",
                  "-trace", folder_.path("T/kernelslist.g")});
    ASSERT_EQ(replayed.code, 0) << replayed.err;
    EXPECT_EQ(executed, replayed.values()["gpu_tot_sim_cycle"]);
}

TEST_P(Waits, PrefetchFillsALineOfTheL2) {
    const std::vector<std::uint32_t> latency =
        run("prefetches grid 1 block 1 args data cycles", {"-gpgpu_perf_sim_memcpy", "0"});
    const std::uint32_t cold = latency[0], hit = latency[1];
    EXPECT_GT(cold, hit + 50);
    EXPECT_NEAR(latency[2], hit, 40) << "the word that was prefetched";
    // Of an L2 in two partitions, this word is in the far one.
    EXPECT_LT(latency[3] + 50, cold) << "the rest of its line";
}

INSTANTIATE_TEST_SUITE_P(Gpus, Waits, testing::ValuesIn(gpus), [](const auto& p) {
    return fmt::format("{}_{}", p.param.preset,
                       p.param.architecture == 0 ? std::string("ptx")
                                                 : fmt::format("sm_{}", p.param.architecture));
});

TEST(Hints, WithoutEffectAreReportedOnce) {
    const scratch_folder folder;
    const std::string ptx = folder.write("hints.ptx", R"(
.version 7.4
.target sm_80
.address_size 64
.visible .entry hints(.param .u64 a) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [a];
  createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;
  ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;
  mov.u32 %r2, %tid.x;
  setp.eq.u32 %p1, %r2, 99;
  @%p1 bra Never;
  st.global.cs.u32 [%rd1], %r1;
  ret;
Never:
  discard.global.L2 [%rd1], 128;
  ret;
})");
    const std::string launch = folder.write(
        "hints.launch",
        "buffer a u32 32 zero\nlaunch hints grid 1 block 32 args a\nlaunch hints grid 2 block 32 "
        "args a\n");
    const outcome o = simulate({"--preset", "A100", "--ptx", ptx, "--launch", launch});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::string said = o.out + o.err;
    const std::string note = "without effect on time: .cs, L2::cache_hint, createpolicy (";
    const std::size_t at = said.find(note);
    ASSERT_NE(at, std::string::npos) << said.substr(0, 2000);
    EXPECT_EQ(said.find("without effect on time", at + 1), std::string::npos) << "once";
}

/// Programs that wait for what another warp does, or for what nobody does.
const char* const pollers = R"(
.version 7.4
.target sm_70
.address_size 64
.visible .entry polls(.param .u64 flag) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [flag];
Again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra Again;
  ret;
}
.visible .entry locks(.param .u64 flag) {
  .local .align 4 .u32 kept;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [flag];
  bar.sync 0;
Again:
  atom.global.cas.b32 %r1, [%rd1], 1, 2;
  st.local.u32 [kept], %r1;
  atom.global.exch.b32 %r2, [%rd1], 0;
  nanosleep.u32 100000;
  setp.ne.u32 %p, %r1, 1;
  @%p bra Again;
  bar.sync 0;
  ret;
}
.visible .entry waits(.param .u64 flag) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r2, %tid.x;
  setp.lt.u32 %p, %r2, 32;
  @%p bra Sets;
Again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra Again;
  ret;
Sets:
  mov.u32 %r3, 0;
  mov.u32 %r4, %clock;
Long:
  add.u32 %r3, %r3, 1;
  setp.ne.u32 %p, %r3, 100000;
  @%p bra Long;
Later:
  mov.u32 %r5, %clock;
  sub.u32 %r5, %r5, %r4;
  setp.lt.u32 %p, %r5, 1500000;
  @%p bra Later;
  st.volatile.global.u32 [%rd1], %r3;
  ret;
}
)";

class Progress : public testing::TestWithParam<const char*> {
protected:
    outcome run(const std::string& launch, const std::string& json) const {
        return simulate(
            {"--preset", GetParam(), "--any-binary-version", "-gpgpu_n_clusters", "2", "--ptx",
             folder_.write("pollers.ptx", pollers), "--launch",
             folder_.write("pollers.launch", "buffer flag u32 1 zero\nlaunch " + launch +
                                                 " args flag\nexpect flag values 100000\n"),
             "--stats-json", folder_.path(json)});
    }
    scratch_folder folder_;
};

TEST_P(Progress, OfNoWarpEndsTheRunWithStatistics) {
    const outcome o = run("polls grid 3 block 64", "s.json");
    EXPECT_EQ(2, o.code) << o.err;
    EXPECT_THAT(o.error_lines(), testing::SizeIs(1)) << o.err;
    for (const char* const part :
         {"pollers.ptx:11", "kernel polls", "block (0,0,0)", "waits for ever", "reads address",
          "as others do (5 warps)", "ld.volatile", "(a flag that nobody sets"})
        EXPECT_THAT(o.err, testing::HasSubstr(part));
    EXPECT_EQ("failed", read_json(folder_.path("s.json"))["ended"]);
    EXPECT_THAT(o.out, testing::HasSubstr("gpu_tot_sim_cycle"));
}
TEST_P(Progress, ExcludesAtomicsAndStoresThatDoNotChangeMemory) {
    const outcome o = run("locks grid 1 block 64", "s.json");
    EXPECT_EQ(2, o.code) << o.err;
    EXPECT_THAT(o.err, testing::HasSubstr("waits for ever"));
}
TEST_P(Progress, OfOneWarpSufficesForAnyLengthOfComputation) {
    const outcome o = run("waits grid 1 block 64", "s.json");
    EXPECT_EQ(0, o.code) << o.err;
}

INSTANTIATE_TEST_SUITE_P(Gpus, Progress, testing::Values("TINY", "A100"));

}  // namespace
}  // namespace simtlm::test
