// SPDX-License-Identifier: Apache-2.0
// Clusters of thread blocks in the timing model: values of the functional machine, placement of
// blocks, cost of distributed shared memory.
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

/// Blocks of a cluster of four read each other's shared memory, write to it (half of the lanes to
/// their own), count in that of rank 0, and arrive at each other's mbarriers.
const char* const exchange = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry exchange(.param .u64 list)
.explicitcluster .reqnctapercluster 4, 1, 1
{
    .shared .align 16 .b8 mine[512];
    .shared .align 16 .b8 given[512];
    .shared .align 8 .b64 bar;
    .shared .align 4 .u32 count;
    .reg .pred %p<8>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %cluster_ctarank;
    mad.lo.u32 %r3, %r1, 1000, %r0;
    mov.u32 %r4, mine;
    shl.b32 %r5, %r0, 2;
    add.u32 %r4, %r4, %r5;
    st.shared.u32 [%r4], %r3;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra READY;
    mov.u32 %r6, 0;
    st.shared.u32 [count], %r6;
    mov.u32 %r7, bar;
    mbarrier.init.shared.b64 [%r7], 4;
    fence.mbarrier_init.release.cluster;
READY:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    add.u32 %r8, %r2, 1;
    and.b32 %r8, %r8, 3;
    mapa.shared::cluster.u32 %r9, %r4, %r8;
    ld.shared::cluster.u32 %r10, [%r9];
    and.b32 %r11, %r0, 1;
    shl.b32 %r11, %r11, 1;
    xor.b32 %r11, %r11, 2;
    xor.b32 %r11, %r11, %r2;
    mov.u32 %r12, given;
    add.u32 %r12, %r12, %r5;
    cvt.u64.u32 %rd2, %r12;
    cvta.shared.u64 %rd2, %rd2;
    mapa.u64 %rd3, %rd2, %r11;
    add.u32 %r13, %r10, 7;
    st.u32 [%rd3], %r13;
    and.b32 %r14, %r0, 3;
    setp.ne.u32 %p1, %r14, 0;
    mov.u32 %r15, count;
    mapa.shared::cluster.u32 %r16, %r15, 0;
    @!%p1 atom.shared::cluster.add.u32 %r17, [%r16], 1;
    @%p1 red.shared::cluster.add.u32 [%r16], 100;
    setp.gt.u32 %p2, %r0, 3;
    @%p2 bra ARRIVED;
    mov.u32 %r18, bar;
    mapa.shared::cluster.u32 %r19, %r18, %r0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r19];
ARRIVED:
    mov.u32 %r18, bar;
AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r18], 0;
    @!%p3 bra AGAIN;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ld.shared.u32 %r20, [%r12];
    ld.shared::cluster.u32 %r21, [%r16];
    mad.lo.u32 %r22, %r20, 3, %r10;
    mad.lo.u32 %r22, %r21, 5, %r22;
    mov.u32 %r23, %ntid.x;
    mad.lo.u32 %r24, %r1, %r23, %r0;
    mul.wide.u32 %rd4, %r24, 4;
    add.u64 %rd5, %rd1, %rd4;
    st.global.u32 [%rd5], %r22;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
const char* const exchange_launch = R"(
buffer list u32 4096 zero
launch exchange grid 32 block 128 args list
output list list.bin
)";

/// Rank 2 copies 256 bytes to all blocks of its cluster; every block stores 16 bytes asynchronously
/// to its neighbour, and copies 64 bytes of shared memory to it.
const char* const copies = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry copies(.param .u64 from, .param .u64 list)
.explicitcluster .reqnctapercluster 4, 1, 1
{
    .shared .align 128 .b8 buf[512];
    .shared .align 128 .b8 source[64];
    .shared .align 8 .b64 bar;
    .reg .pred %p<8>;
    .reg .b16 %rs<2>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [list];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r3, buf;
    mov.u32 %r4, bar;
    mov.u32 %r5, source;
    shl.b32 %r6, %r0, 2;
    setp.eq.u32 %p1, %r0, 0;
    setp.lt.u32 %p2, %r0, 16;
    @%p1 mbarrier.init.shared.b64 [%r4], 1;
    add.u32 %r7, %r5, %r6;
    mad.lo.u32 %r8, %r1, 100, %r0;
    @%p2 st.shared.u32 [%r7], %r8;
    fence.proxy.async;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 336;
    xor.b32 %r9, %r2, 1;
    mapa.shared::cluster.u32 %r10, %r3, %r9;
    mapa.shared::cluster.u32 %r11, %r4, %r9;
    setp.eq.and.u32 %p3, %r2, 2, %p1;
    mov.u16 %rs1, 15;
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd1], 256, [%r4], %rs1;
    setp.lt.u32 %p4, %r0, 4;
    add.u32 %r12, %r10, %r6;
    add.u32 %r13, %r12, 256;
    @%p4 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r13], %r8, [%r11];
    add.u32 %r14, %r10, 272;
    @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r14], [%r5], 64, [%r11];
AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p5, [%r4], 0;
    @!%p5 bra AGAIN;
    add.u32 %r15, %r3, %r6;
    ld.shared.u32 %r16, [%r15];
    rem.u32 %r17, %r0, 20;
    shl.b32 %r17, %r17, 2;
    add.u32 %r17, %r17, %r3;
    ld.shared.u32 %r18, [%r17+256];
    mad.lo.u32 %r19, %r18, 10000, %r16;
    mov.u32 %r20, %ntid.x;
    mad.lo.u32 %r21, %r1, %r20, %r0;
    mul.wide.u32 %rd3, %r21, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r19;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
const char* const copies_launch = R"(
buffer from u32 64 ramp 5 3
buffer list u32 2048 zero
launch copies grid 32 block 64 args from list
output list list.bin
)";

class CtaClusterPrograms : public testing::Test {
protected:
    /// An H100 with two GPCs of six SMs.
    static std::vector<std::string> small_h100() {
        return {"--preset",
                "H100_PCIE",
                "-gpgpu_n_clusters",
                "12",
                "-gpgpu_gpc_sms",
                "6,6",
                "-gpgpu_kernel_launch_latency",
                "0",
                "--quiet"};
    }
    std::vector<std::string> arguments(const std::string& ptx, const std::string& launch,
                                       const std::vector<std::string>& more = {}) const {
        std::vector<std::string> all = small_h100();
        all.insert(all.end(), {"--ptx", ptx, "--launch", folder_.write("k.launch", launch)});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    outcome run(const char* ptx, const std::string& launch,
                const std::vector<std::string>& more = {}) const {
        return simulate(arguments(folder_.write("k.ptx", ptx), launch, more));
    }
    std::vector<std::uint32_t> words(const std::string& file = "list.bin") const {
        const std::string bytes = read_file(folder_.path(file));
        std::vector<std::uint32_t> values(bytes.size() / 4);
        std::memcpy(values.data(), bytes.data(), values.size() * 4);
        return values;
    }
    scratch_folder folder_;
};

TEST_F(CtaClusterPrograms, ComputeTheValuesOfFunctionalExecution) {
    for (const auto& [ptx, launch] :
         {std::pair(exchange, exchange_launch), {copies, copies_launch}}) {
        const outcome timed = run(ptx, launch);
        ASSERT_EQ(0, timed.code) << timed.err;
        const std::vector<std::uint32_t> values = words();
        const outcome functional = run(ptx, launch, {"-gpgpu_ptx_sim_mode", "1"});
        ASSERT_EQ(0, functional.code) << functional.err;
        EXPECT_EQ(words(), values);
        EXPECT_NE(values[0], 0u);
        EXPECT_NE("0", timed.values()["gpu_tot_sim_cycle"]);
    }
}

TEST_F(CtaClusterPrograms, TakeTheSameCyclesInAnyProcessOrderWithAndWithoutSleep) {
    const std::vector<std::vector<std::string>> ways = {
        {"--shuffle-seed", "1"},
        {"--no-sleep", "--shuffle-seed", "3"},
        {"--threads", "2", "--sms-a-thread", "1"},
        {"--threads", "3", "--sms-a-thread", "1", "--shuffle-seed", "7"},
        {"--processes", "block", "--shuffle-seed", "9"}};
    for (const auto& [ptx, launch] :
         {std::pair(exchange, exchange_launch), {copies, copies_launch}}) {
        const outcome first = run(ptx, launch);
        ASSERT_EQ(0, first.code) << first.err;
        const std::vector<std::uint32_t> values = words();
        for (const std::vector<std::string>& way : ways) {
            const outcome other = run(ptx, launch, way);
            EXPECT_EQ("", first_difference(first.report(), other.report())) << way.front();
            EXPECT_EQ(values, words()) << way.front();
        }
    }
}

/// The report without the lines that differ between an execution and a replay of the same time.
std::string of_time(const outcome& o) {
    std::string kept;
    std::istringstream in(o.report());
    for (std::string line; std::getline(in, line);)
        if (line.find("slowdown") == std::string::npos) kept += line + "\n";
    return kept;
}

TEST_F(CtaClusterPrograms, TakeTheSameCyclesInAReplayOfTheirTrace) {
    const std::string dsm =
        read_file(std::string(SIMTLM_PROGRAMS) + "/microbenchmarks/cluster.ptx");
    const std::string dsm_launch =
        "buffer times u32 2 zero\n"
        "launch latency_cluster_load grid 8 block 1 args times u32:7\n"
        "launch bandwidth_cluster_load grid 2 block 512 args times u32:2 u32:1\n"
        "launch bandwidth_cluster_store grid 2 block 512 args times u32:2 u32:1\n";
    for (const auto& [ptx, launch] :
         {std::pair(std::string(exchange), std::string(exchange_launch)),
          {std::string(copies), std::string(copies_launch)},
          {dsm, dsm_launch}})
        for (const char* const form : {"text", "binary"}) {
            const scratch_folder traces;
            const outcome executed = run(
                ptx.c_str(), launch, {"--record-trace", traces.path("t"), "--record-form", form});
            ASSERT_EQ(0, executed.code) << executed.err;
            std::vector<std::string> replay = small_h100();
            replay.insert(replay.end(), {"-trace", traces.path("t/kernelslist.g")});
            const outcome replayed = simulate(replay);
            ASSERT_EQ(0, replayed.code) << replayed.err;
            EXPECT_EQ("", first_difference(of_time(executed), of_time(replayed))) << form;
            EXPECT_NE("0", replayed.values()["gpu_tot_sim_cycle"]);
            // A replay in another time neither deadlocks nor overtakes the barrier of the cluster.
            for (const char* const latency : {"5", "500"}) {
                std::vector<std::string> other = replay;
                other.insert(other.end(), {"-modern_cluster_barrier_latency", latency});
                const outcome o = simulate(other);
                ASSERT_EQ(0, o.code) << o.err;
                if (ptx == dsm) continue;  // few barriers
                const auto cycles = [](const outcome& of) {
                    return std::stoull(of.values().at("gpu_tot_sim_cycle"));
                };
                if (std::string(latency) == "5")
                    EXPECT_LT(cycles(o), cycles(replayed));
                else
                    EXPECT_GT(cycles(o), cycles(replayed) + 800);
            }
        }
}

TEST_F(CtaClusterPrograms, OfATraceAreRejectedWhereTheyCannotBeReplayed) {
    const scratch_folder traces;
    const outcome executed =
        run(copies, copies_launch, {"--record-trace", traces.path("t"), "--record-form", "text"});
    ASSERT_EQ(0, executed.code) << executed.err;
    const auto replay = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = small_h100();
        words.insert(words.end(), {"-trace", traces.path("t/kernelslist.g")});
        words.insert(words.end(), more.begin(), more.end());
        const outcome o = simulate(words);
        EXPECT_EQ(2, o.code) << o.err;
        return o.err;
    };
    EXPECT_NE(std::string::npos, replay({"--ctas", "0-2"}).find("kernel copies runs in clusters"));
    EXPECT_NE(std::string::npos,
              replay({"--core", "classic"}).find("cannot be timed on this core"));
    const std::string text = read_file(traces.path("t/kernel-1.traceg"));
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        const std::size_t at = other.find(from);
        EXPECT_NE(std::string::npos, at) << from;
        traces.write("t/kernel-1.traceg", other.replace(at, from.size(), to));
        return replay({});
    };
    EXPECT_NE(std::string::npos, changed("-cluster dim = (4,1,1)", "-cluster dim = (5,1,1)")
                                     .find("a grid that is no multiple of its clusters"));
    EXPECT_NE(std::string::npos, changed("-cluster dim = (4,1,1)", "-cluster dim = (32,1,1)")
                                     .find("clusters of 32 thread blocks"));
    // Ranks beyond the cluster.
    EXPECT_NE(std::string::npos,
              changed("-cluster dim = (4,1,1)", "-cluster dim = (2,1,1)").find("are corrupt"));
}

TEST_F(CtaClusterPrograms, RunTheCtasOfAClusterConcurrentlyInOneGpc) {
    const char* const ptx = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry where(.param .u64 list)
.explicitcluster .reqnctapercluster 2, 2, 1
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r0, %smid;
    mov.u32 %r1, %clusterid.x;
    mov.u32 %r2, %clusterid.y;
    mov.u32 %r3, %nclusterid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mov.u32 %r4, %cluster_ctarank;
    mad.lo.u32 %r1, %r1, 4, %r4;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r0;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
    const outcome o = run(ptx,
                          "buffer list u32 96 zero\nlaunch where grid 8,12 block 1024 args list\n"
                          "output list list.bin\n");
    ASSERT_EQ(0, o.code) << o.err;
    const std::vector<std::uint32_t> sm = words();
    ASSERT_EQ(96u, sm.size());
    std::vector<unsigned> gpcs;
    for (unsigned c = 0; c < 24; ++c) {
        for (unsigned rank = 0; rank < 4; ++rank)
            EXPECT_EQ(sm[4 * c + rank] / 6, sm[4 * c] / 6) << "cluster " << c << " rank " << rank;
        gpcs.push_back(sm[4 * c] / 6);
    }
    EXPECT_NE(gpcs[0], gpcs[1]) << "GPCs take turns";
    EXPECT_EQ(std::vector<std::uint32_t>({0, 1, 2, 3}),
              std::vector<std::uint32_t>(sm.begin(), sm.begin() + 4))
        << "one on each SM, in order";
}

TEST_F(CtaClusterPrograms, AreRejectedWhereNoGpcCanHoldACluster) {
    const char* const ptx = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry large()
.explicitcluster .reqnctapercluster 16, 1, 1
{
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
    const outcome o = run(ptx, "launch large grid 16 block 1024\n");
    EXPECT_EQ(2, o.code);
    EXPECT_NE(std::string::npos,
              o.err.find("no GPC has room for a cluster of 16 thread blocks; an SM has for 2"))
        << o.err;
    EXPECT_EQ(0, run(ptx, "launch large grid 16 block 512\n").code);
    const outcome on_simt = run(ptx, "launch large grid 16 block 512\n", {"--core", "classic"});
    EXPECT_EQ(2, on_simt.code);
    EXPECT_NE(std::string::npos, on_simt.err.find("cannot be timed on this core")) << on_simt.err;
}

TEST_F(CtaClusterPrograms, ReportTheMissingWarpsOfADeadlockedClusterBarrier) {
    const char* const ptx = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry stuck()
.explicitcluster .reqnctapercluster 2, 1, 1
{
    .shared .align 8 .b64 bar;
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    mov.u32 %r0, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra COME;
    mov.u32 %r1, bar;
    mbarrier.init.shared.b64 [%r1], 1;
AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
    @!%p1 bra AGAIN;
COME:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
    const outcome o = run(ptx, "launch stuck grid 2 block 32\n");
    EXPECT_EQ(3, o.code) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("waits for the barrier of its cluster")) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("0 of 1 warps have arrived")) << o.err;
}

TEST_F(CtaClusterPrograms, AccessDistributedSharedMemoryInTheCyclesOfAnH100) {
    const auto measure = [&](const std::string& statements) {
        const outcome o =
            simulate(arguments(std::string(SIMTLM_PROGRAMS) + "/microbenchmarks/cluster.ptx",
                               "buffer times u32 2 zero\n" + statements + "\noutput times t.bin\n",
                               {"-gpgpu_gpc_sms", "12"}));
        EXPECT_EQ(0, o.code) << o.err;
        const std::vector<std::uint32_t> t = words("t.bin");
        return static_cast<double>(t[1] - t[0]);
    };
    // Cycles of a load: 181 within a TPC, 180 to 207 elsewhere in the GPC.
    const double near = measure("launch latency_cluster_load grid 8 block 1 args times u32:1") / 64;
    const double far = measure("launch latency_cluster_load grid 8 block 1 args times u32:7") / 64;
    EXPECT_NEAR(near, 181, 0.05 * 181);
    EXPECT_NEAR(far, 194, 0.05 * 194);
    struct report_value {
        const char* kernel;
        unsigned both;
        double bytes;  // per cycle and SM
    };
    for (const report_value& f :
         {report_value{"load", 0, 19.87}, report_value{"load", 1, 15.37},
          report_value{"store", 0, 18.87}, report_value{"store", 1, 18.12}}) {
        const auto time = [&](unsigned count) {
            return measure("launch bandwidth_cluster_" + std::string(f.kernel) +
                           " grid 2 block 512 args times u32:" + std::to_string(count) +
                           " u32:" + std::to_string(f.both));
        };
        const double slope = 8 * 4 * 512 * 16 / (time(12) - time(4));
        EXPECT_NEAR(slope, f.bytes, 0.1 * f.bytes) << f.kernel << " " << f.both;
    }
}

}  // namespace
}  // namespace simtlm::test
