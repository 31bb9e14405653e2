// SPDX-License-Identifier: Apache-2.0
// A warp-specialised matrix product with the engines of sm_90, in timing mode.
#include "tests/system/simulator.h"
#include "tests/unit/trace/tracez_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

std::vector<std::string> gemm(std::vector<std::string> more) {
    const std::string program = std::string(SIMTLM_PROGRAMS) + "/gemm_sm90";
    std::vector<std::string> all = {"--preset",
                                    "H100_PCIE",
                                    "-gpgpu_n_clusters",
                                    "4",
                                    "--ptx",
                                    program + ".ptx",
                                    "--launch",
                                    program + ".launch",
                                    "--quiet",
                                    "--kernels",
                                    "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(Hopper, MultipliesMatricesWithBulkCopiesAndAWarpgroup) {
    const scratch_folder folder;
    const outcome o = simulate(gemm({"--stats-json", folder.path("s.json")}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_NE(std::string::npos, o.out.find("results are as expected"));
    const nlohmann::json blocks = read_json(folder.path("s.json")).at("blocks");
    const nlohmann::json& sm = blocks.at("gpu.cluster0.sm0.stages").at("counters");
    // Per block: four steps of 64 x 64 and 128 x 64 halves, four products of 16 each.
    EXPECT_EQ(8, sm.at("bulk_copies").get<int>());
    EXPECT_EQ(4 * 24576, sm.at("bulk_bytes").get<int>());
    EXPECT_EQ(4 * 24576 / 128, sm.at("bulk_requests").get<int>());
    EXPECT_EQ(16, sm.at("warpgroup_products").get<int>());
    EXPECT_EQ(16 * 64, sm.at("warpgroup_cycles").get<int>());
}

TEST(Hopper, TakesTheSameCyclesInAnyProcessOrderWithAndWithoutSleep) {
    const outcome first = simulate(gemm({}));
    EXPECT_EQ(0, first.code) << first.err;
    for (const std::vector<std::string>& way :
         std::vector<std::vector<std::string>>{{"--shuffle-seed", "1"},
                                               {"--shuffle-seed", "4711"},
                                               {"--no-sleep"},
                                               {"--threads", "2", "--sms-a-thread", "1"},
                                               {"--processes", "block", "--shuffle-seed", "9"}})
        EXPECT_EQ("", first_difference(first.report(), simulate(gemm(way)).report()))
            << way.front();
}

struct stuck_case {
    const char* name;
    const char* body;     ///< of a kernel of one thread, which waits for phase 0 afterwards
    const char* message;  ///< expected error message
};
void PrintTo(const stuck_case& c, std::ostream* out) {
    *out << c.name;
}

struct HopperPhase : ::testing::TestWithParam<stuck_case> {};

TEST_P(HopperPhase, ThatNeverCompletesIsReportedWithItsPendingArrivals) {
    const scratch_folder folder;
    const std::string ptx = folder.write("wait.ptx", std::string(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  .shared .align 16 .b8 buf[64];
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [data]; mov.u32 %r2, buf; mov.u32 %r1, bar;
)") + GetParam().body + R"(
LOOP:
  mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
  @!%p1 bra LOOP;
  ret;
}
)");
    const std::string launch =
        folder.write("wait.launch", "buffer data u32 16 zero\nlaunch k grid 1 block 1 args data\n");
    for (const char* without_time : {"0", "1"}) {
        const outcome o =
            simulate({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "1", "--ptx", ptx, "--launch",
                      launch, "--quiet", "-gpgpu_ptx_sim_mode", without_time});
        EXPECT_NE(0, o.code);
        EXPECT_NE(std::string::npos, (o.out + o.err).find(GetParam().message))
            << without_time << o.out << o.err;
        EXPECT_NE(std::string::npos, (o.out + o.err).find("warp 0")) << o.out << o.err;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Hopper, HopperPhase,
    ::testing::Values(
        stuck_case{"AnArrivalIsMissing",
                   "mbarrier.init.shared.b64 [%r1], 2; mbarrier.arrive.shared.b64 _, [%r1];",
                   "phase 0 of the mbarrier at shared address 0x40: 1 of 2 arrivals are to come"},
        stuck_case{"BytesAreMissing",
                   "mbarrier.init.shared.b64 [%r1], 1;"
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 48;"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
                   "[%rd1], 32, [%r1];",
                   "phase 0 of the mbarrier at shared address 0x40: 16 bytes are to come"},
        stuck_case{"MoreBytesHaveComeThanWereExpected",
                   "mbarrier.init.shared.b64 [%r1], 1;"
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 32;"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
                   "[%rd1], 64, [%r1];",
                   "phase 0 of the mbarrier at shared address 0x40: 32 bytes more have come than "
                   "were expected"}),
    [](const auto& i) { return std::string(i.param.name); });

TEST(Hopper, HasATimelineOfItsEnginesBesideItsWarps) {
    const scratch_folder folder;
    const outcome o = simulate(gemm({"--timeline", folder.path("t.json"), "--timeline-sample", "16",
                                     "--stats-json", folder.path("s.json")}));
    ASSERT_EQ(0, o.code) << o.err;
    std::map<std::pair<int, int>, std::string> rows;
    std::map<int, std::string> processes;
    const nlohmann::json events = read_json(folder.path("t.json"));
    for (const auto& e : events) {
        const int pid = e["pid"].get<int>();
        if (e.value("name", "") == "process_name")
            processes[pid] = e["args"]["name"].get<std::string>();
        if (e.value("name", "") == "thread_name")
            rows[{pid, e["tid"].get<int>()}] = e["args"]["name"].get<std::string>();
    }
    // By SM: one row for the tensor cores, and one for each copy in flight.
    std::uint64_t products = 0, copies = 0, product_cycles = 0, bytes = 0;
    std::set<int> waiting;
    for (const auto& e : events) {
        if (processes[e["pid"].get<int>()] != "gpu.cluster0.sm0" || e["ph"] != "X") continue;
        const std::string category = e.value("cat", "");
        const std::string in = rows[{e["pid"].get<int>(), e["tid"].get<int>()}];
        const auto cycles = [&] {
            return e["args"]["to"].get<std::uint64_t>() - e["args"]["from"].get<std::uint64_t>();
        };
        if (category == "product") {
            EXPECT_EQ("tensor cores (warpgroups)", in);
            EXPECT_EQ("m64n128k16.f32.f16.f16", e["args"]["product"]);
            EXPECT_EQ("warps 0 to 3", e["name"]) << "the consumer";
            ++products;
            product_cycles += cycles();
        } else if (category == "bulk copy") {
            EXPECT_EQ(0u, in.find("bulk copies"));
            EXPECT_EQ(4, e["args"]["warp"].get<int>()) << "the producer";
            EXPECT_LT(e["args"]["issued"].get<std::uint64_t>(),
                      e["args"]["from"].get<std::uint64_t>());
            ++copies;
            bytes += std::stoul(e["name"].get<std::string>().substr(5));  // "load 8192 B"
        } else if (category == "stall" && e["name"] == "asynchronous engine") {
            waiting.insert(std::stoi(in.substr(5)));  // "warp 4 waits for"
        }
    }
    const nlohmann::json sm =
        read_json(folder.path("s.json")).at("blocks").at("gpu.cluster0.sm0.stages").at("counters");
    EXPECT_EQ(sm.at("bulk_copies").get<std::uint64_t>(), copies);
    EXPECT_EQ(sm.at("bulk_bytes").get<std::uint64_t>(), bytes);
    EXPECT_EQ(sm.at("warpgroup_products").get<std::uint64_t>(), products);
    EXPECT_EQ(sm.at("warpgroup_cycles").get<std::uint64_t>(), product_cycles);
    EXPECT_TRUE(waiting.count(0)) << "the consumer waits for data";
}

TEST(Hopper, ReplaysARecordedKernelInTheSameCycles) {
    for (const char* const form : {"binary", "text"}) {
        const scratch_folder folder;
        const outcome recorded =
            simulate(gemm({"--record-trace", folder.path("t"), "--record-form", form}));
        ASSERT_EQ(0, recorded.code) << recorded.err;
        const outcome replayed =
            simulate({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "4", "-trace",
                      folder.path("t/kernelslist.g"), "--stats-json", folder.path("s.json")});
        ASSERT_EQ(0, replayed.code) << replayed.err;
        EXPECT_EQ(recorded.values().at("gpu_sim_cycle"), replayed.values().at("gpu_sim_cycle"))
            << form;
        const nlohmann::json sm = read_json(folder.path("s.json"))
                                      .at("blocks")
                                      .at("gpu.cluster0.sm0.stages")
                                      .at("counters");
        EXPECT_EQ(8, sm.at("bulk_copies").get<int>());
        EXPECT_EQ(16, sm.at("warpgroup_products").get<int>());
        EXPECT_GT(sm.at("mbarrier_waits").get<int>(), 0);
    }
}

/// A kernel of a producer warp and a consumer warpgroup, with two buffers, as Accel-Sim 2.0's
/// tracer records it.
/// @param version  of the tracer: 6 writes the values of registers
std::string traced_pipeline(unsigned version, unsigned steps) {
    std::string text =
        "-kernel name = pipeline\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (160,1,1)\n"
        "-shmem = 65536\n-nregs = 90\n-binary version = 90\n-cuda stream id = 0\n"
        "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n"
        "-nvbit version = 1.8\n-accelsim tracer version = " +
        std::to_string(version) + "\n-enable lineinfo = 0\n\n#traces format = PC mask ...\n\n";
    constexpr unsigned full = 0, empty = 64, buffers = 2, consumers = 128, bytes = 16384;
    const auto syncs = [&](unsigned pc, const char* mask, const char* what, unsigned address,
                           std::uint32_t operand) {
        const std::string line =
            fmt::format("{:04x} {} 0 SYNCS.{} 2 R2 R3 8 1 {:#x} 0 0", pc, mask, what, address);
        return version < 6 ? line : line + fmt::format(" 0 Val 1 0x0 1 {:#x}", operand);
    };
    const auto initial = [](unsigned arrivals) { return ((0x100000 - arrivals) & 0xfffff) << 1; };
    const std::string barrier = "0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0";
    text += "#BEGIN_TB\n\nthread block = 0,0,0\n";
    for (unsigned w = 0; w < 5; ++w) {
        const bool produces = w == 4;
        std::vector<std::string> lines;
        if (produces)
            for (unsigned b = 0; b < buffers; ++b) {
                lines.push_back(syncs(0x00, "00000001", "EXCH.64", full + 8 * b, initial(1)));
                lines.push_back(
                    syncs(0x10, "00000001", "EXCH.64", empty + 8 * b, initial(consumers)));
            }
        lines.push_back(barrier);
        for (unsigned k = 0; k < steps; ++k) {
            const unsigned b = k % buffers, parity = k / buffers & 1;
            if (produces) {
                lines.push_back(syncs(0x30, "00000001", "PHASECHK.TRANS64.TRYWAIT", empty + 8 * b,
                                      (parity ^ 1) << 31));
                lines.push_back(syncs(0x40, "00000001", "ARRIVE.TRANS64", full + 8 * b, bytes));
                std::string copy =
                    fmt::format("0050 00000001 0 UTMALDG.2D 2 UR8 UR4 0 {:#x} 0 {} 0 4 {:#x} {}",
                                full + 8 * b, bytes, 0xc0000000u + k * bytes, bytes / 128);
                for (unsigned i = 1; i < bytes / 128; ++i) copy += " 128";
                lines.push_back(copy + " 0");
                continue;
            }
            lines.push_back(
                syncs(0x60, "ffffffff", "PHASECHK.TRANS64.TRYWAIT", full + 8 * b, parity << 31));
            lines.push_back("0070 ffffffff 0 WARPGROUP.ARRIVE 0 0 0");
            for (unsigned i = 0; i < 4; ++i)
                lines.push_back(
                    fmt::format("{:04x} ffffffff 1 R24 HGMMA.64x128x16.F32 3 UR8 R24 UP0 {} 0 0",
                                0x80 + 16 * i, i == 3 ? 1 : 0));
            lines.push_back("00c0 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0");
            lines.push_back(syncs(0xd0, "ffffffff", "ARRIVE.TRANS64.A1T0", empty + 8 * b, 0));
        }
        lines.push_back("00e0 ffffffff 0 EXIT 0 0 0");
        text += fmt::format("\nwarp = {}\ninsts = {}\n", w, lines.size());
        for (const std::string& line : lines) text += line + "\n";
    }
    return text + "\n#END_TB\n";
}

/// Replays a trace on one SM. @param file  name of the trace  @param counters  of the SM's engines
outcome replay(const scratch_folder& folder, const std::string& file, const std::string& bytes,
               nlohmann::json& counters) {
    folder.write(file, bytes);
    const outcome o =
        simulate({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "1", "-trace",
                  folder.write("list.g", file + "\n"), "--stats-json", folder.path("s.json")});
    EXPECT_EQ(0, o.code) << o.err;
    if (o.code == 0)
        counters = read_json(folder.path("s.json"))
                       .at("blocks")
                       .at("gpu.cluster0.sm0.stages")
                       .at("counters");
    return o;
}

std::uint64_t cycles_of(const outcome& o) {
    return std::stoull(o.values().at("gpu_sim_cycle"));
}

TEST(Hopper, ReplaysAccelSimsPackedTracesWithEngineTiming) {
    const scratch_folder folder;
    nlohmann::json of_text, of_packed, of_more;
    const std::string text = traced_pipeline(6, 8);
    const outcome packed =
        replay(folder, "kernel-1.tracez",
               tracez_writer::pack_text(text, {7, "", true, true, false}), of_packed);
    const outcome plain = replay(folder, "kernel-1.traceg", text, of_text);
    EXPECT_EQ(std::string::npos, packed.out.find("warning")) << packed.out;
    EXPECT_EQ(cycles_of(plain), cycles_of(packed));
    EXPECT_EQ(of_text, of_packed);
    EXPECT_EQ(8, of_packed.at("bulk_copies").get<int>());
    EXPECT_EQ(8 * 16384, of_packed.at("bulk_bytes").get<int>());
    EXPECT_EQ(8 * 128, of_packed.at("bulk_requests").get<int>());
    EXPECT_EQ(8 * 4, of_packed.at("warpgroup_products").get<int>());
    EXPECT_EQ(8 * 4 * 64, of_packed.at("warpgroup_cycles").get<int>());
    EXPECT_GE(of_packed.at("mbarrier_waits").get<int>(), 4);
    // Two buffers: a copy begins only when the products of the one before the last have read its
    // buffer. Alone, the 32 products would take 2,048 cycles, and the requests three cycles each.
    const outcome more = replay(folder, "kernel-1.traceg", traced_pipeline(6, 16), of_more);
    EXPECT_GT(cycles_of(more), cycles_of(plain) + 8 * 400);
}

TEST(Hopper, TraceToolsPreserveDetailsOfAsynchronousInstructions) {
    const scratch_folder folder;
    const std::string trace = traced_pipeline(6, 2);
    folder.write("kernel-1.tracez", tracez_writer::pack_text(trace, {7, "", true, true, false}));
    const std::string list = folder.write("list.g", "kernel-1.tracez\n");
    const outcome text = trace_tool({"text", folder.path("kernel-1.tracez")});
    EXPECT_EQ(0, text.code) << text.err;
    nlohmann::json before, after;
    const outcome first = replay(folder, "kernel-2.traceg", trace, before);
    const outcome again = replay(folder, "kernel-3.traceg", text.out, after);
    EXPECT_EQ(cycles_of(first), cycles_of(again));
    EXPECT_EQ(before, after);
    EXPECT_EQ(0, trace_tool({"info", folder.path("kernel-1.tracez")}).code);
    const outcome converted = trace_tool({"convert", list, folder.path("binary")});
    EXPECT_EQ(2, converted.code);
    EXPECT_NE(std::string::npos, converted.err.find("which only text can describe"))
        << converted.err;
}

TEST(Hopper, ReplaysTracesWithoutRegisterValuesWithoutMbarrierWaits) {
    const scratch_folder folder;
    nlohmann::json with, without;
    const outcome known = replay(folder, "kernel-1.traceg", traced_pipeline(6, 8), with);
    const outcome unknown = replay(folder, "kernel-1.traceg", traced_pipeline(5, 8), without);
    EXPECT_NE(std::string::npos,
              unknown.out.find("SYNCS of kernel pipeline: the trace does not tell the values of "
                               "registers"))
        << unknown.out;
    EXPECT_LT(cycles_of(unknown), cycles_of(known));
    EXPECT_EQ(0, without.at("mbarrier_waits").get<int>());
    EXPECT_EQ(8, without.at("bulk_copies").get<int>());
    EXPECT_EQ(8 * 128, without.at("bulk_requests").get<int>());
    EXPECT_EQ(8 * 4, without.at("warpgroup_products").get<int>());
}

TEST(Hopper, ReportsAReplayedPhaseThatNeverCompletes) {
    const scratch_folder folder;
    std::string text = traced_pipeline(6, 1);
    const std::string all = " 16384 0 4 ";
    text.replace(text.find(all), all.size(), " 16368 0 4 ");
    folder.write("kernel-1.traceg", text);
    const outcome stuck = simulate({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "1", "-trace",
                                    folder.write("list.g", "kernel-1.traceg\n")});
    EXPECT_NE(0, stuck.code);
    EXPECT_NE(
        std::string::npos,
        (stuck.out + stuck.err)
            .find("phase 0 of the mbarrier at shared address 0x0: 0 of 1 arrivals and 16 bytes "
                  "are to come"))
        << stuck.out << stuck.err;
}

TEST(Hopper, RejectsBulkCopiesOnGpusWithoutATensorMemoryAccelerator) {
    const std::string program = std::string(SIMTLM_PROGRAMS) + "/gemm_sm90";
    const outcome o = simulate({"--preset", "H100_PCIE", "-modern_engines", "0", "--ptx",
                                program + ".ptx", "--launch", program + ".launch", "--quiet"});
    EXPECT_EQ(2, o.code);
    EXPECT_NE(std::string::npos, o.err.find("cp.async.bulk")) << o.err;
}

}  // namespace
}  // namespace simtlm::test
