// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/visualizer_log.h"

#include "tests/waveform/gpu_run.h"

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace simtlm::test {
namespace {

using samples = std::map<std::string, std::vector<std::vector<double>>>;  ///< by name

/// Reads a log like AerialVision: a name, a colon, numbers.
samples read_log(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    boost::iostreams::filtering_istream text;
    text.push(boost::iostreams::gzip_decompressor());
    text.push(in);
    samples found;
    for (std::string line; std::getline(text, line);) {
        const std::size_t colon = line.find(':');
        EXPECT_NE(std::string::npos, colon) << line;
        EXPECT_EQ(std::string::npos, line.find(':', colon + 1)) << line;
        std::istringstream numbers(line.substr(colon + 1));
        std::vector<double> values;
        for (double v; numbers >> v;) values.push_back(v);
        EXPECT_TRUE(numbers.eof()) << line;
        found[line.substr(0, colon)].push_back(values);
    }
    return found;
}

samples logged(gpu_run& run) {
    auto log = platform::attach_visualizer_log(run.device(), run.how());
    EXPECT_NE(log, nullptr);
    run.run();
    log->finish();
    return read_log(run.how().visualizer.file);
}

TEST(VisualizerLog, HasASamplePerIntervalAndOneAtTheEnd) {
    const scratch_folder scratch;
    gpu_run run("sgemm_tile", {"-visualizer_enabled", "1", "-visualizer_outputfile",
                               scratch.file("v.log.gz"), "-gpgpu_runtime_stat", "500"});
    const samples s = logged(run);
    const auto& cycles = s.at("globalcyclecount");
    // A sample is taken in the first cycle at least 500 after the previous one.
    EXPECT_GE(cycles.size(), run.device().core_cycles() / 501);
    EXPECT_LE(cycles.size(), run.device().core_cycles() / 500 + 1);
    EXPECT_EQ(cycles.back()[0], static_cast<double>(run.device().core_cycles()));
    for (const auto& [name, values] : s) {
        if (name.rfind("dram", 0) == 0 || name == "averagemflatency") continue;
        EXPECT_EQ(values.size(), cycles.size()) << name;
    }
}

TEST(VisualizerLog, HasTheCountsOfTheBlocks) {
    const scratch_folder scratch;
    gpu_run run("sample", {"-visualizer_enabled", "1", "-visualizer_outputfile",
                           scratch.file("v.log.gz"), "-gpgpu_runtime_stat", "1000:0"});
    const samples s = logged(run);
    double ctas = 0, activates = 0, instructions = 0, slots = 0;
    for (const auto& v : s.at("ctas_completed")) ctas += v[0];
    for (const auto& v : s.at("dramnact")) activates += v[1];
    for (const double v : s.at("shaderinsncount").back()) instructions += v;
    for (const auto& v : s.at("WarpIssueSlotBreakdown"))
        for (const double n : v) slots += n;
    double expected_ctas = 0, expected_activates = 0, expected_instructions = 0;
    for (core::simt_pipeline::simt_sm* sm : run.sms()) {
        expected_ctas += static_cast<double>(sm->counted().ctas_completed);
        expected_instructions += static_cast<double>(sm->counted().thread_instructions);
    }
    for (const auto& c : run.device().channels())
        expected_activates += static_cast<double>(c->statistics().activates);
    EXPECT_EQ(ctas, expected_ctas);
    EXPECT_EQ(activates, expected_activates);
    EXPECT_EQ(instructions, expected_instructions);
    EXPECT_EQ(s.at("globaltotinsncount").back()[0], expected_instructions);
    EXPECT_EQ(slots, static_cast<double>(run.issued(*run.sms()[0]))) << "of the first SM";
    EXPECT_GT(s.at("Ltworeadmiss").size(), 1u);
    double dynamic = 0;
    for (const auto& v : s.at("WarpIssueDynamicIdBreakdown"))
        for (const double n : v) dynamic += n;
    EXPECT_EQ(dynamic, slots) << "the same instructions, by age of their warps";
}

TEST(VisualizerLog, HasRequestLatenciesAndL1Misses) {
    const scratch_folder scratch;
    gpu_run run("reduction", {"-visualizer_enabled", "1", "-visualizer_outputfile",
                              scratch.file("v.log.gz"), "-gpgpu_runtime_stat", "100000"});
    const samples s = logged(run);
    double load_time = 0;
    for (const double stage : s.at("LDmemlatdist").back()) load_time += stage;
    EXPECT_EQ(s.at("LDmemlatdist").back().size(), 6u);
    EXPECT_GT(load_time, 100) << "core cycles of a mean load";
    EXPECT_EQ(s.at("STmemlatdist").back().size(), 6u);
    double divergent = 0, partial = 0;
    for (const double n : s.at("shaderwarpdiv").back()) divergent += n;
    for (core::simt_pipeline::simt_sm* sm : run.sms())
        for (unsigned lanes = 1; lanes < 32; ++lanes)
            partial += static_cast<double>(sm->counted().issued_lanes[lanes]);
    EXPECT_EQ(divergent, partial);
    EXPECT_GT(divergent, 0);
    const auto& misses = s.at("CacheMissRate_globallocall1_all").back();
    const auto& unmerged = s.at("CacheMissRate_globallocall1_noMgHt").back();
    ASSERT_EQ(misses.size(), run.sms().size());
    EXPECT_GT(misses[0], 0);
    for (std::size_t i = 0; i < misses.size(); ++i) EXPECT_LE(unmerged[i], misses[i]);
}

TEST(VisualizerLog, CountsThreadsByProgramCounter) {
    const scratch_folder scratch;
    gpu_run run("reduction",
                {"-visualizer_enabled", "1", "-visualizer_outputfile", scratch.file("v.log.gz"),
                 "-gpgpu_runtime_stat", "1000", "-gpgpu_cflog_interval", "50"});
    const samples s = logged(run);
    double threads = 0;
    for (const auto& v : s.at("CFLog00")) {
        EXPECT_EQ(v.size() % 2, 0u) << "pairs of place and threads";
        for (std::size_t i = 1; i < v.size(); i += 2) threads += v[i];
    }
    EXPECT_GT(threads, 0);
    EXPECT_EQ(s.at("shdrctacount").front().size(), run.sms().size());
}

TEST(VisualizerLog, IsOptional) {
    gpu_run run("vecadd", {});
    EXPECT_EQ(platform::attach_visualizer_log(run.device(), run.how()), nullptr);
}

}  // namespace
}  // namespace simtlm::test
