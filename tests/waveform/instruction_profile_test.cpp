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

const std::vector<std::string> on = {"-enable_ptx_file_line_stats", "1", "-ptx_line_stats_filename",
                                     "lines.txt"};

/// All launches of a run, added up.
struct profiled {
    explicit profiled(gpu_run& run) {
        auto profile = platform::attach_instruction_profile(run.device(), run.how());
        EXPECT_NE(profile, nullptr);
        run.run();
        for (const auto& k : run.device().commands().take_finished())
            for (const instruction_profile::row& r : profile->take(k.launch, k.descriptor.name)) {
                support::add_up(sum, r.counts);
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
    for (core::simt_pipeline::simt_sm* sm : run.sms()) support::add_up(sum, sm->statistics());
    return sum;
}

TEST(InstructionProfile, AddsUpToTheCountsOfTheSms) {
    gpu_run run("sgemm_tile", on);
    const profiled p(run);
    const core::core_statistics whole = cores(run);
    EXPECT_EQ(p.sum.issues, whole.warp_instructions);
    EXPECT_EQ(p.sum.threads, whole.thread_instructions);
    EXPECT_EQ(p.sum.transactions, whole.accesses_coalesced);
    EXPECT_EQ(p.sum.shared_cycles, whole.shared_accesses);
    EXPECT_EQ(p.sum.bank_conflicts, whole.shared_bank_conflicts);
    EXPECT_GT(p.sum.latency, p.sum.issues) << "each takes more than a cycle";
    EXPECT_GT(p.sum.thread_latency, p.sum.latency);
}

/// Accesses made by instructions, without those of the L1I and write-backs of caches.
std::uint64_t accesses(const cache::cache_statistics& s, cache::access_outcome outcome) {
    using protocol::access_type;
    std::uint64_t n = 0;
    for (unsigned t = 0; t < protocol::access_type_count; ++t) {
        const auto type = static_cast<access_type>(t);
        if (type != access_type::instruction_read && type != access_type::l1_writeback)
            n += s.count(type, outcome);
    }
    return n;
}

TEST(InstructionProfile, HasTheOutcomesCountedByTheCaches) {
    gpu_run run("sample", on);
    const profiled p(run);
    cache::cache_statistics l1, l2;
    for (core::simt_pipeline::simt_sm* sm : run.sms()) {
        support::add_up(l1, sm->caches().data.statistics());
        support::add_up(l1, sm->caches().constant.statistics());
        support::add_up(l1, sm->caches().texture.statistics());
    }
    for (const auto& partition : run.device().partitions())
        for (unsigned s = 0; s < partition->sub_partitions(); ++s)
            support::add_up(l2, *partition->sub_partition(s).cache_statistics());
    for (unsigned o = 0; o < cache::access_outcome_count; ++o) {
        const auto outcome = static_cast<cache::access_outcome>(o);
        EXPECT_EQ(p.sum.l1[o], accesses(l1, outcome)) << cache::access_outcome_name(outcome);
        EXPECT_EQ(p.sum.l2[o], accesses(l2, outcome)) << cache::access_outcome_name(outcome);
    }
    EXPECT_GT(p.sum.l2[static_cast<unsigned>(cache::access_outcome::hit)], 0u);
}

TEST(InstructionProfile, AttributesDramRequests) {
    gpu_run run("vecadd", on);
    const profiled p(run);
    std::uint64_t read = 0;
    for (const auto& c : run.device().channels()) read += c->statistics().reads;
    EXPECT_GT(p.sum.dram_requests, 0u);
    EXPECT_LE(p.sum.dram_requests, read) << "instructions are read from DRAM too";
    EXPECT_EQ(p.sum.dram_bytes, p.sum.dram_requests * 32);
    for (const instruction_profile::row& r : p.rows) {
        const bool load = r.opcode.rfind("LD", 0) == 0;
        EXPECT_TRUE(load || r.counts.dram_requests == 0) << r.opcode;
    }
}

TEST(InstructionProfile, ReportsDivergence) {
    gpu_run run("divergence", on);
    const profiled p(run);
    EXPECT_GT(p.sum.divergences, 0u);
    EXPECT_GT(p.sum.partial, 0u);
    for (const instruction_profile::row& r : p.rows)
        EXPECT_TRUE(r.opcode.rfind("BRA", 0) == 0 || r.counts.divergences == 0) << r.opcode;
}

TEST(InstructionProfile, FindsTheInstructionThatWarpsWaitFor) {
    gpu_run run("pchase", on);
    const profiled p(run);
    // In a pointer chase nearly all instructions wait for the previous load.
    const auto memory = static_cast<unsigned>(core::warp_wait::memory);
    std::uint64_t waits = 0;
    for (const std::uint64_t n : p.sum.waits) waits += n;
    EXPECT_GT(p.sum.waits[memory], waits / 2);
    // The sampled waits are a share of the counted ones, except for unfinished waits.
    EXPECT_LT(waits, p.sum.waited + p.sum.waited / 5);
    EXPECT_GT(waits, p.sum.waited / 2);
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
        EXPECT_EQ(kernel.substr(kernel.size() - 4), ".ptx") << "or AerialVision skips the line";
        std::vector<std::uint64_t> numbers;
        while (in >> n) numbers.push_back(n);
        ASSERT_EQ(numbers.size(), 9u) << p.lines[i];
        threads += numbers[0];
    }
    EXPECT_EQ(threads, cores(run).thread_instructions);
}

TEST(InstructionProfile, IsOptional) {
    gpu_run run("vecadd", {});
    EXPECT_EQ(platform::attach_instruction_profile(run.device(), run.how()), nullptr);
}

}  // namespace
}  // namespace simtlm::test
