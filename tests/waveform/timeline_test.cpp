// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/timeline.h"

#include "tests/waveform/gpu_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>

namespace simtlm::test {
namespace {

using platform::attach_timeline;

nlohmann::json parsed(const std::string& file) {
    std::ifstream in(file);
    return nlohmann::json::parse(in);
}

std::uint64_t count(const nlohmann::json& events, const char* category) {
    std::uint64_t n = 0;
    for (const auto& e : events) n += e.value("cat", "") == category ? 1 : 0;
    return n;
}

std::uint64_t ctas_completed(gpu_run& run) {
    std::uint64_t n = 0;
    for (core::sm* sm : run.sms()) n += sm->counted().ctas_completed;
    return n;
}

TEST(Timeline, HasEveryKernelAndEveryCtaOnce) {
    const scratch_folder scratch;
    const std::string file = scratch.file("streams.json");
    gpu_run run("streams", {"--timeline", file});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();

    const nlohmann::json events = parsed(file);
    EXPECT_EQ(count(events, "kernel"), run.device().commands().kernels_done());
    EXPECT_EQ(count(events, "cta"), ctas_completed(run));
    std::set<std::uint64_t> streams;
    const auto kernels = run.device().commands().take_finished();
    for (const auto& e : events) {
        if (e.value("cat", "") != "kernel") continue;
        streams.insert(e["tid"].get<std::uint64_t>());
        const auto k = std::find_if(kernels.begin(), kernels.end(), [&](const auto& x) {
            return x.launch == e["args"]["launch"].get<std::uint64_t>();
        });
        ASSERT_NE(k, kernels.end());
        EXPECT_EQ(e["name"].get<std::string>(), k->facts.name);
        EXPECT_EQ(e["args"]["from"].get<std::uint64_t>(), k->start_cycle);
        EXPECT_NEAR(e["args"]["to"].get<double>(), static_cast<double>(k->end_cycle), 1);
    }
    EXPECT_EQ(streams.size(), 2u);
}

TEST(Timeline, NestsTheHopsOfARequestWithinItAndInOrder) {
    const scratch_folder scratch;
    const std::string file = scratch.file("hops.json");
    gpu_run run("vecadd", {"--timeline", file, "--timeline-sample", "32"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();

    std::map<std::uint64_t, std::vector<nlohmann::json>> requests;
    std::uint64_t through_dram = 0;
    for (const auto& e : parsed(file))
        if (e.value("cat", "") == "memory") requests[e["id"].get<std::uint64_t>()].push_back(e);
    EXPECT_GT(requests.size(), 50u);
    for (const auto& [id, events] : requests) {
        int depth = 0;
        double time = 0;
        std::set<std::string> hops;
        for (const auto& e : events) {
            EXPECT_GE(e["ts"].get<double>(), time);
            time = e["ts"].get<double>();
            depth += e["ph"] == "b" ? 1 : -1;
            EXPECT_GE(depth, 0);
            hops.insert(e["name"].get<std::string>());
        }
        EXPECT_EQ(depth, 0);
        for (const char* hop : {"SM", "request network", "L2", "reply network"})
            EXPECT_EQ(hops.count(hop), 1u) << id << " " << hop;
        through_dram += hops.count("DRAM");
    }
    EXPECT_GT(through_dram, 0u);
}

TEST(Timeline, ShowsWhatWarpsWaitForAndTheCounters) {
    const scratch_folder scratch;
    const std::string file = scratch.file("stalls.json");
    gpu_run run("reduction", {"--timeline", file, "--timeline-sample", "20"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();

    std::set<std::string> reasons;
    std::map<std::string, double> most;
    for (const auto& e : parsed(file)) {
        if (e.value("cat", "") == "stall") {
            reasons.insert(e["name"].get<std::string>());
            EXPECT_GT(e["dur"].get<double>(), 0);
        }
        if (e["ph"] == "C")
            for (const auto& v : e["args"])
                most[e["name"].get<std::string>()] =
                    std::max(most[e["name"].get<std::string>()], v.get<double>());
    }
    EXPECT_THAT(reasons, testing::IsSupersetOf({"barrier", "memory", "scoreboard"}));
    EXPECT_GT(most["warp instructions per cycle"], 0.5);
    EXPECT_LE(most["L2 hit rate"], 100);
    EXPECT_GT(most["DRAM utilisation"], 0);
    EXPECT_LE(most["DRAM utilisation"], 110);  // commands count when they are issued
    EXPECT_GT(most["resident warps"], 0);
}

TEST(Timeline, KeepsToItsWindow) {
    const scratch_folder scratch;
    const std::string file = scratch.file("window.json");
    gpu_run run("reduction",
                {"--timeline", file, "--timeline-sample", "50", "--timeline-window", "1000:1500"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();
    std::uint64_t counters = 0;
    for (const auto& e : parsed(file)) {
        if (e["ph"] == "C") {
            ++counters;
            EXPECT_GE(e["ts"].get<double>(), 1.0);
            EXPECT_LT(e["ts"].get<double>(), 1.5);
        }
        if (e["ph"] == "X") {
            EXPECT_LT(e["args"]["from"].get<std::uint64_t>(), 1500u);
            EXPECT_GE(e["args"]["to"].get<std::uint64_t>(), 1000u);
        }
    }
    EXPECT_EQ(counters, 9u * 6);
}

TEST(Timeline, IsValidWhenTheRunIsCutShort) {
    const scratch_folder scratch;
    const std::string file = scratch.file("cut.json");
    gpu_run run("reduction", {"--timeline", file, "--timeline-sample", "100"});
    {
        const auto timeline = attach_timeline(run.device(), run.how());
        run.run(1);
    }
    const nlohmann::json events = parsed(file);
    EXPECT_EQ(count(events, "kernel"), 1u);
    EXPECT_GT(count(events, "cta"), 0u);
}

}  // namespace
}  // namespace simtlm::test
