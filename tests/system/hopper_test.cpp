// SPDX-License-Identifier: Apache-2.0
// A warp-specialised product of matrices with the engines of sm_90, in time.
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

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
    // Of a block: four steps of 64 x 64 and 128 x 64 halves, four products of 16 each.
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

TEST(Hopper, NamesTheWarpsThatWaitForAPhaseThatNobodyCompletes) {
    const scratch_folder folder;
    const std::string ptx = folder.write("wait.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .pred %p<2>; .reg .b32 %r<3>;
  .shared .align 8 .b64 bar;
  mov.u32 %r1, bar;
  mbarrier.init.shared.b64 [%r1], 2;
  mbarrier.arrive.shared.b64 _, [%r1];
LOOP:
  mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
  @!%p1 bra LOOP;
  ret;
}
)");
    const std::string launch = folder.write("wait.launch", "launch k grid 1 block 1 args\n");
    const outcome o = simulate({"--preset", "H100_PCIE", "-gpgpu_n_clusters", "1", "--ptx", ptx,
                                "--launch", launch, "--quiet"});
    EXPECT_NE(0, o.code);
    EXPECT_NE(std::string::npos, (o.out + o.err).find("a phase of an mbarrier to complete"))
        << o.out << o.err;
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
