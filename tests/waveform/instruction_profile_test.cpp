// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/instruction_profile.h"

#include "tests/waveform/gpu_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace simtlm::test {
namespace {

using platform::instruction_counts;
using platform::instruction_profile;

const std::vector<std::string> on = {"-enable_ptx_file_line_stats", "1"};

/// All launches of a run, added up.
struct profiled {
    explicit profiled(gpu_run& run) {
        auto profile = platform::attach_instruction_profile(run.device(), run.how());
        EXPECT_NE(profile, nullptr);
        run.run();
        for (const auto& k : run.device().commands().take_finished())
            for (const instruction_profile::row& r : profile->take(k.launch, k.facts.name)) {
                kernel::add_up(sum, r.counts);
                rows.push_back(r);
            }
        const scratch_folder scratch;
        profile->write(scratch.file("lines.txt"));
        std::ifstream in(scratch.file("lines.txt"));
        for (std::string line; std::getline(in, line);) lines.push_back(line);
    }
    instruction_counts sum;
    std::vector<instruction_profile::row> rows;
    std::vector<std::string> lines;
};

core::core_statistics cores(gpu_run& run) {
    core::core_statistics sum;
    for (core::sm* sm : run.sms()) kernel::add_up(sum, sm->statistics());
    return sum;
}

TEST(InstructionProfile, AddsUpToWhatTheSmsHaveCounted) {
    gpu_run run("sgemm_tile", on);
    const profiled p(run);
    const core::core_statistics whole = cores(run);
    EXPECT_EQ(p.sum.issues, whole.warp_instructions);
    EXPECT_EQ(p.sum.threads, whole.thread_instructions);
    EXPECT_EQ(p.sum.transactions, whole.accesses_coalesced);
    EXPECT_EQ(p.sum.shared_cycles, whole.shared_accesses);
    EXPECT_GT(p.sum.latency, p.sum.issues) << "each takes more than a cycle";
}

TEST(InstructionProfile, TellsReadsThatTheL2AnsweredFromThoseOfDram) {
    gpu_run run("vecadd", on);
    const profiled p(run);
    EXPECT_GT(p.sum.l1_misses, 0u);
    EXPECT_EQ(p.sum.l1_misses, p.sum.l2_hits + p.sum.dram_requests);
    EXPECT_GT(p.sum.dram_requests, 0u);
    for (const instruction_profile::row& r : p.rows) {
        const bool load = r.opcode.rfind("LD", 0) == 0;
        EXPECT_TRUE(load || r.counts.l1_misses == 0) << r.opcode;
    }
}

TEST(InstructionProfile, FindsTheInstructionThatWarpsWaitFor) {
    gpu_run run("pchase", on);
    const profiled p(run);
    // In a pointer chase nearly everything waits for the load before.
    const auto memory = static_cast<unsigned>(platform::warp_wait::memory);
    std::uint64_t waits = 0;
    for (const std::uint64_t n : p.sum.waits) waits += n;
    EXPECT_GT(p.sum.waits[memory], waits / 2);
    const auto slowest =
        std::max_element(p.rows.begin(), p.rows.end(), [](const auto& a, const auto& b) {
            return a.counts.exposed_latency < b.counts.exposed_latency;
        });
    EXPECT_EQ(slowest->opcode.rfind("LD", 0), 0u) << slowest->opcode;
    EXPECT_LE(slowest->counts.exposed_latency, slowest->counts.latency);
}

TEST(InstructionProfile, WritesTheLinesOfAerialVisionsSourceView) {
    gpu_run run("divergence", on);
    const profiled p(run);
    ASSERT_GT(p.lines.size(), 1u);
    EXPECT_EQ(p.lines[0],
              "kernel line : count latency dram_traffic smem_bk_conflicts smem_warp "
              "gmem_access_generated gmem_warp exposed_latency warp_divergence");
    std::uint64_t threads = 0;
    for (std::size_t i = 1; i < p.lines.size(); ++i) {
        std::istringstream in(p.lines[i]);
        std::string kernel, colon;
        std::uint64_t line = 0, n = 0;
        in >> kernel >> line >> colon;
        EXPECT_EQ(colon, ":");
        std::vector<std::uint64_t> numbers;
        while (in >> n) numbers.push_back(n);
        ASSERT_EQ(numbers.size(), 9u) << p.lines[i];
        threads += numbers[0];
    }
    EXPECT_EQ(threads, cores(run).thread_instructions);
    EXPECT_GT(p.sum.divergent, 0u);
}

TEST(InstructionProfile, IsNotThereUnlessAskedFor) {
    gpu_run run("vecadd", {});
    EXPECT_EQ(platform::attach_instruction_profile(run.device(), run.how()), nullptr);
}

}  // namespace
}  // namespace simtlm::test
