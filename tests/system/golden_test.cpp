// SPDX-License-Identifier: Apache-2.0
// Every shipped trace on the small test GPU compared with tests/system/golden/TRACE.json. To
// rewrite
// the files after a change of behaviour, run in the build folder:
//     SIMTLM_WRITE_GOLDEN=1 tests/system/system_tests --gtest_filter='*Golden*'
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace simtlm::test {
namespace {

class Golden : public testing::TestWithParam<std::string> {
protected:
    /// Runs the trace with additional options, and compares all figures with the recorded ones.
    void expect_what_is_on_record(std::vector<std::string> more = {});
};

void Golden::expect_what_is_on_record(std::vector<std::string> more) {
    const scratch_folder folder;
    const std::string json = folder.path("statistics.json");
    more.insert(more.end(), {"--stats-json", json});
    const outcome run = simulate(on_tiny(sample(GetParam()), more));
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

TEST_P(Golden, SampleTracesHaveTheRecordedStatistics) {
    expect_what_is_on_record();
}

TEST_P(Golden, SampleTracesHaveTheRecordedStatisticsWithOneSystemCThreadPerBlock) {
    if (std::getenv("SIMTLM_WRITE_GOLDEN") != nullptr) GTEST_SKIP() << "written by the other one";
    expect_what_is_on_record({"--processes", "block"});
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace simtlm::test
