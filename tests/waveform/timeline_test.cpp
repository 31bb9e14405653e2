// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/timeline.h"

#include "tests/waveform/gpu_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
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
    for (core::simt_pipeline::simt_sm* sm : run.sms()) n += sm->counted().ctas_completed;
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
        EXPECT_EQ(e["name"].get<std::string>(), k->descriptor.name);
        EXPECT_EQ(e["args"]["from"].get<std::uint64_t>(), k->start_cycle);
        EXPECT_NEAR(e["args"]["to"].get<double>(), static_cast<double>(k->end_cycle), 1);
    }
    EXPECT_EQ(streams.size(), 2u);
}

TEST(Timeline, ConnectsTheHopsOfARequestInOrder) {
    const scratch_folder scratch;
    const std::string file = scratch.file("hops.json");
    gpu_run run("vecadd", {"--timeline", file, "--timeline-sample", "32"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();

    std::map<std::uint64_t, std::vector<nlohmann::json>> requests;
    std::map<std::uint64_t, std::string> flows;
    std::uint64_t through_dram = 0;
    for (const auto& e : parsed(file)) {
        if (e.value("cat", "") == "memory")
            requests[e["args"]["request"].get<std::uint64_t>()].push_back(e);
        if (e.value("cat", "") == "request")
            flows[e["id"].get<std::uint64_t>()] += e["ph"].get<std::string>();
    }
    EXPECT_GT(requests.size(), 50u);
    for (const auto& [id, hops] : requests) {
        std::uint64_t until = 0;
        std::set<std::string> names;
        for (const auto& h : hops) {
            EXPECT_GE(h["args"]["from"].get<std::uint64_t>(), until);
            until = h["args"]["to"].get<std::uint64_t>();
            names.insert(h["name"].get<std::string>());
        }
        for (const char* hop : {"request network", "L2", "reply network"})
            EXPECT_EQ(names.count(hop), 1u) << id << " " << hop;
        through_dram += names.count("DRAM");
        EXPECT_EQ(flows[id], "s" + std::string(hops.size() - 2, 't') + "f");
    }
    EXPECT_GT(through_dram, 0u);
}

std::int64_t picoseconds(const nlohmann::json& microseconds) {
    return std::llround(microseconds.get<double>() * 1e6);
}

/// A row of the viewer, by process and thread.
using row = std::pair<std::uint64_t, std::uint64_t>;
row row_of(const nlohmann::json& e) {
    return {e["pid"].get<std::uint64_t>(), e["tid"].get<std::uint64_t>()};
}

struct slice {
    std::int64_t from, to;
};

/// Requirements of the trace-event format and its viewers: events sorted by time, names for rows
/// and processes, non-overlapping slices in a row, and flows whose points are all within slices.
void expect_valid(const nlohmann::json& events) {
    std::set<std::uint64_t> processes;
    std::set<row> rows;
    for (const auto& e : events) {
        if (e["ph"] != "M") continue;
        if (e["name"] == "process_name") processes.insert(e["pid"].get<std::uint64_t>());
        if (e["name"] == "thread_name") {
            EXPECT_TRUE(rows.insert(row_of(e)).second) << e;
        }
    }
    std::int64_t time = 0;
    std::map<row, std::vector<slice>> slices;
    std::map<std::uint64_t, std::string> flows;
    for (const auto& e : events) {
        const std::string kind = e["ph"].get<std::string>();
        ASSERT_NE(std::string("MXCIstf").find(kind), std::string::npos) << e;
        EXPECT_EQ(processes.count(e["pid"].get<std::uint64_t>()), 1u) << e;
        if (kind == "M") continue;
        const std::int64_t at = picoseconds(e["ts"]);
        EXPECT_GE(at, time) << e;
        time = at;
        if (kind == "C") continue;
        EXPECT_EQ(rows.count(row_of(e)), 1u) << e;
        std::vector<slice>& of_row = slices[row_of(e)];
        if (kind == "X") {
            if (!of_row.empty()) {
                EXPECT_GE(at, of_row.back().to) << e;
            }
            of_row.push_back({at, at + picoseconds(e["dur"])});
        } else if (kind != "I") {
            ASSERT_FALSE(of_row.empty()) << e;
            EXPECT_TRUE(at >= of_row.back().from && at < of_row.back().to) << e;
            flows[e["id"].get<std::uint64_t>()] += kind;
        }
    }
    for (const auto& [id, steps] : flows)
        EXPECT_EQ(steps, "s" + std::string(steps.size() - 2, 't') + "f") << id;
}

class TimelineOf : public testing::TestWithParam<const char*> {};

TEST_P(TimelineOf, FollowsTheFormat) {
    const scratch_folder scratch;
    const std::string file = scratch.file("valid.json");
    gpu_run run(GetParam(), {"--timeline", file, "--timeline-sample", "50"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();
    const nlohmann::json events = parsed(file);
    EXPECT_GT(events.size(), 100u);
    expect_valid(events);
}
INSTANTIATE_TEST_SUITE_P(Samples, TimelineOf,
                         testing::Values("vecadd", "streams", "reduction", "histogram"));

TEST(Timeline, SamplesKernelsShorterThanItsInterval) {
    const scratch_folder scratch;
    const std::string file = scratch.file("short.json");
    gpu_run run("vecadd", {"--timeline", file, "--timeline-sample", "1000000"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();
    double most = 0;
    for (const auto& e : parsed(file))
        if (e["ph"] == "C" && e["name"] == "warp instructions per cycle")
            most = std::max(most, e["args"]["IPC"].get<double>());
    EXPECT_GT(most, 0);
}

TEST(Timeline, ShowsStallReasonsAndCounters) {
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

TEST(Timeline, IsRestrictedToItsWindow) {
    const scratch_folder scratch;
    const std::string file = scratch.file("window.json");
    gpu_run run("reduction",
                {"--timeline", file, "--timeline-sample", "50", "--timeline-window", "1000:1500"});
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    timeline->finish();
    std::uint64_t counters = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> requests;  // first, last cycle
    for (const auto& e : parsed(file)) {
        if (e["ph"] == "C") {
            ++counters;
            EXPECT_GE(e["ts"].get<double>(), 1.0);
            EXPECT_LT(e["ts"].get<double>(), 1.5);
        }
        if (e["ph"] != "X") continue;
        const std::uint64_t from = e["args"]["from"].get<std::uint64_t>(),
                            to = e["args"]["to"].get<std::uint64_t>();
        if (e["args"].contains("request")) {  // complete, including the hops before the window
            auto& [first, last] =
                requests.try_emplace(e["args"]["request"].get<std::uint64_t>(), from, to)
                    .first->second;
            first = std::min(first, from);
            last = std::max(last, to);
            continue;
        }
        EXPECT_LT(from, 1500u);
        EXPECT_GE(to, 1000u);
    }
    EXPECT_FALSE(requests.empty());
    for (const auto& [number, span] : requests) {
        EXPECT_LT(span.first, 1500u) << number;
        EXPECT_GE(span.second, 1000u) << number;
    }
    EXPECT_GE(counters, 9u * 6);
}

TEST(Timeline, IsValidAfterAnInterruptedRun) {
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
