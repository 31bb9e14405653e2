// SPDX-License-Identifier: Apache-2.0
// A warp-specialised matrix product with the engines of sm_90, in timing mode.
#include "tests/system/simulator.h"

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

TEST(Hopper, TakesTheSameCyclesInAnyOrderOfProcessesAsleepOrAwake) {
    const outcome first = simulate(gemm({}));
    EXPECT_EQ(0, first.code) << first.err;
    for (const std::vector<std::string>& way :
         std::vector<std::vector<std::string>>{{"--shuffle-seed", "1"},
                                               {"--shuffle-seed", "4711"},
                                               {"--no-sleep"},
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

TEST_P(HopperPhase, ThatNobodyCompletesIsToldWithWhatItWaitsFor) {
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

TEST(Hopper, RefusesBulkCopiesWhereNoSmHasAnEngineForThem) {
    const std::string program = std::string(SIMTLM_PROGRAMS) + "/gemm_sm90";
    const outcome o = simulate({"--preset", "H100_PCIE", "-modern_engines", "0", "--ptx",
                                program + ".ptx", "--launch", program + ".launch", "--quiet"});
    EXPECT_EQ(2, o.code);
    EXPECT_NE(std::string::npos, o.err.find("cp.async.bulk")) << o.err;
}

}  // namespace
}  // namespace simtlm::test
