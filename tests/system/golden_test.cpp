// SPDX-License-Identifier: Apache-2.0
// Every shipped trace on the small test GPU against tests/system/golden/TRACE.json. To write the
// files anew after a change of behaviour, from the build folder:
//     SIMTLM_WRITE_GOLDEN=1 tests/system/system_tests --gtest_filter='*Golden*'
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace simtlm::test {
namespace {

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
    for (const auto& [name, value] : expected.items())
        EXPECT_DOUBLE_EQ(value.get<double>(), found.value(name, 0.0)) << name;
    EXPECT_EQ(expected.size(), found.size()) << "other statistics are not 0 than those on record";
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace simtlm::test
