// SPDX-License-Identifier: Apache-2.0
// The trace file of a SystemC user (sc_create_vcd_trace_file) shows the same for a block as a
// waveform of the GPU.
#include "platform/waveform/waveform.h"
#include "tests/waveform/gpu_run.h"
#include "tests/waveform/vcd_reader.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

using history = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, value

/// The changes of every signal of a dump, starting with its value in the first step.
std::map<std::string, history> histories_of(const std::string& file, const std::string& top) {
    vcd_reader vcd(file);
    std::map<std::string, history> all;
    vcd.replay([&](std::uint64_t time) {
        for (const auto& v : vcd.variables()) {
            if (v.name.find(".clocks.") != std::string::npos) continue;
            history& h = all[v.name.substr(top.size())];
            const std::uint64_t value = vcd.value(v.name);
            if (h.empty() || h.back().second != value) h.emplace_back(time, value);
        }
    });
    return all;
}

TEST(TraceFile, OfAUserHasTheSignalsOfAWaveform) {
    const scratch_folder scratch;
    const std::string waves = scratch.file("waves.vcd"), trace = scratch.file("trace");
    gpu_run run("vecadd", {"--vcd", waves, "--vcd-scope", "gpu.cluster0.sm0,gpu.partition0"});
    auto recorded = platform::attach_waveforms(run.device(), run.how());
    sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(trace.c_str());
    file->set_time_unit(1, sc_core::SC_FS);
    run.device().clusters()[0]->core(0).trace(file);
    run.device().partitions()[0]->trace(file);
    run.run();
    sc_core::sc_close_vcd_trace_file(file);
    recorded->finish();

    const auto expected = histories_of(waves, ""), seen = histories_of(trace + ".vcd", "SystemC.");
    ASSERT_GT(seen.size(), 100u);
    ASSERT_EQ(seen.size(), expected.size());
    std::size_t changes = 0;
    for (const auto& [name, h] : seen) {
        ASSERT_EQ(expected.count(name), 1u) << name;
        EXPECT_EQ(h, expected.at(name)) << name;
        changes += h.size();
    }
    EXPECT_GT(changes, 10 * seen.size());
}

TEST(TraceFile, OfABlockWithoutSignalsCausesAWarning) {
    const scratch_folder scratch;
    gpu_run run("vecadd", {});
    sc_core::sc_trace_file* const file =
        sc_core::sc_create_vcd_trace_file(scratch.file("trace").c_str());
    const auto* effects = sc_core::sc_find_object("gpu.memory_effects");
    ASSERT_NE(effects, nullptr);
    effects->trace(file);
    sc_core::sc_report_handler::set_actions("simtlm/trace", sc_core::SC_THROW);
    EXPECT_THROW(run.run(1), sc_core::sc_report);
    sc_core::sc_close_vcd_trace_file(file);
}

}  // namespace
}  // namespace simtlm::test
