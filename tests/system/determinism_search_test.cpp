// SPDX-License-Identifier: Apache-2.0
// Rules 3 and 4 of time for arbitrary configurations: random GPUs run sample traces with several
// process orders, with sleeping disabled, with one SystemC thread per block, and with SMs on
// several host threads.
//
// SIMTLM_CONFIGURATIONS=200 tests more of them, SIMTLM_SEED=7 different ones, and
// SIMTLM_WAYS=threads only compares with runs on several host threads, for the thread sanitizer.
#include "tests/system/random_configuration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace simtlm::test {
namespace {

constexpr unsigned parts = 4;  // tests that can run in parallel
constexpr int deadlocked = 3;  // exit code

/// Options for running a GPU that must not change the results.
std::vector<std::vector<std::string>> ways(std::uint64_t number) {
    const std::string one = std::to_string(2 * number + 1), two = std::to_string(2 * number + 2);
    std::vector<std::vector<std::string>> threads = {
        {"--threads", "2", "--sms-a-thread", "1"},
        {"--threads", "3", "--sms-a-thread", "1", "--shuffle-seed", one}};
    const char* const wanted = std::getenv("SIMTLM_WAYS");
    if (wanted != nullptr && std::string(wanted) == "threads") return threads;
    std::vector<std::vector<std::string>> all = {{"--shuffle-seed", one},
                                                 {"--shuffle-seed", two},
                                                 {"--no-sleep", "--shuffle-seed", two},
                                                 {"--processes", "block"}};
    all.insert(all.end(), threads.begin(), threads.end());
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& w : words) line += (line.empty() ? "" : " ") + w;
    return line;
}

struct result {
    int code;
    std::string report, errors;
    nlohmann::json statistics;
};

result run(const random_configuration& gpu, const std::vector<std::string>& more,
           const scratch_folder& folder) {
    std::vector<std::string> arguments = gpu.options;
    const std::string file = folder.path("statistics.json");
    for (const std::string& word : {std::string("-trace"), sample(gpu.trace),
                                    std::string("--quiet"), std::string("--stats-json"), file})
        arguments.push_back(word);
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = simulate(arguments);
    result r{o.code, o.report(), o.err, {}};
    if (o.code == 0) {
        r.statistics = read_json(file);
        for (const char* how : {"config", "origins", "provenance"}) r.statistics.erase(how);
    }
    return r;
}

class DeterminismSearch : public testing::TestWithParam<unsigned> {};

TEST_P(DeterminismSearch, RandomGpusAreIndependentOfProcessOrderSleepAndThreads) {
    const std::uint64_t seed = from_environment("SIMTLM_SEED", 1);
    const std::uint64_t wanted = from_environment("SIMTLM_CONFIGURATIONS", 28);
    std::uint64_t drawn = 0, tried = 0;
    for (std::uint64_t number = GetParam(); tried * parts + GetParam() < wanted; number += parts) {
        ASSERT_LT(drawn, 2 * wanted + 20) << "most configurations are refused";
        ++drawn;
        const scratch_folder folder;
        const random_configuration gpu(seed, number, folder);
        const result plain = run(gpu, {}, folder);
        if (plain.code == 2) continue;  // inconsistent options
        ++tried;
        const std::string line = joined(gpu.options) + " -trace " + gpu.trace;
        // A GPU that deadlocks does so in the same cycle for any order.
        EXPECT_TRUE(plain.code == 0 || plain.code == deadlocked) << line << "\n" << plain.errors;
        for (const std::vector<std::string>& way : ways(number)) {
            const result other = run(gpu, way, folder);
            const std::string what = "number " + std::to_string(number) + ", " + joined(way) + ": ";
            EXPECT_EQ(other.code, plain.code) << what << line << "\n" << other.errors;
            EXPECT_EQ("", first_difference(plain.report, other.report)) << what << line;
            EXPECT_TRUE(plain.statistics == other.statistics)
                << what << "the JSON files differ, blocks included: " << line;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, DeterminismSearch, testing::Range(0u, parts));

}  // namespace
}  // namespace simtlm::test
