// SPDX-License-Identifier: Apache-2.0
// Every shipped trace on the small test GPU against tests/system/golden/TRACE.json. To write the
// files anew after a change of behaviour, from the build folder:
//     SIMTLM_WRITE_GOLDEN=1 tests/system/system_tests --gtest_filter='*Golden*'
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace simtlm::test {
namespace {

/// What a trace alone decides, whatever the timing.
bool is_timeless(const std::string& name) {
    for (const char* exact :
         {"gpu_tot_sim_insn", "gpu_tot_issued_cta", "ctas_completed", "gpgpu_n_tot_thrd_icount",
          "gpgpu_n_tot_w_icount", "gpgpu_n_load_insn", "gpgpu_n_store_insn", "gpgpu_n_shmem_insn",
          "gpgpu_n_const_mem_insn", "gpgpu_n_tex_insn", "accesses_coalesced", "warps_launched"})
        if (name == exact) return true;
    return name.rfind("warp_insn", 0) == 0 || name.rfind("warp_occ.W", 0) == 0;
}

/// Share by which figures that depend on timing may be off; 0: none may. To be 0 once the model's
/// timing is settled.
constexpr double tolerance = 0;

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, ASampleTraceGivesTheStatisticsOnRecord) {
    const scratch_folder folder;
    const std::string json = folder.path("statistics.json");
    const outcome run = simulate(on_tiny(sample(GetParam()), {"--stats-json", json}));
    ASSERT_EQ(0, run.code) << run.err;
    nlohmann::json found = nlohmann::json::object();
    const nlohmann::json statistics = read_json(json);
    for (const auto& [name, value] : statistics["total"].items())
        if (value != 0) found[name] = value;

    const std::string golden = std::string(SIMTLM_GOLDEN) + "/" + GetParam() + ".json";
    if (std::getenv("SIMTLM_WRITE_GOLDEN") != nullptr) {
        std::ofstream(golden) << found.dump(1) << '\n';
        GTEST_SKIP() << "wrote " << golden;
    }
    const nlohmann::json expected = read_json(golden);
    for (const auto& [name, value] : expected.items()) {
        const auto ours = found.value(name, 0.0);
        const auto theirs = value.get<double>();
        if (tolerance == 0 ||
            (is_timeless(name) && name != "warp_occ.W0_Idle" && name != "warp_occ.W0_Scoreboard")) {
            EXPECT_DOUBLE_EQ(theirs, ours) << name;
        } else if (name == "gpu_tot_sim_cycle") {
            EXPECT_NEAR(theirs, ours, tolerance * theirs) << name;
        }
    }
    if (tolerance == 0) {
        EXPECT_EQ(expected.size(), found.size());
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace simtlm::test
