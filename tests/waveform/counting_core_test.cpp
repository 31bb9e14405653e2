// SPDX-License-Identifier: Apache-2.0
// A core model that only counts cycles, added as described in docs/extending.md ("A core
// pipeline"): every warp retires an instruction in every cycle. CTA scheduler, reports, waveforms,
// timelines and the deadlock report work with it.
#include "modules/core/multiprocessor.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/clocked_process.h"
#include "platform/report/report.h"
#include "platform/waveform/timeline.h"
#include "platform/waveform/waveform.h"
#include "tests/waveform/gpu_run.h"
#include "tests/waveform/vcd_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

/// Traced warps only; no memory accesses or hazards; barriers do not block.
class counting_core final : public core::multiprocessor {
public:
    explicit counting_core(const core::multiprocessor_parts& p) : counting_core(p.name, p) {}

    void register_signals(waveforms::signal_list& list, const std::string&) override {
        list.group(name());
        list.changed_by({std::string(name())});
        list.events(std::string(name()) + ".retired", 8, protocol::core_clock,
                    [this] { return statistics_.warp_instructions; });
    }

private:
    counting_core(const sc_core::sc_module_name& name, const core::multiprocessor_parts& p)
        : multiprocessor(name, p.sequencer, p.config, p.who, 0),
          process_("count", p.sequencer, protocol::phase::core_front_end,
                   simulation::on_edge<&counting_core::cycle>(this)) {
        close_group();
    }
    void may_issue(unsigned) override {}
    void may_fetch() override {}
    void cta_starts(unsigned, unsigned, unsigned) override { process_.wake(); }
    void cycle() {
        for (core::warp_mask m = warps_.resident; m != 0; m &= m - 1) {
            const auto w = static_cast<unsigned>(__builtin_ctzll(m));
            core::warp_state& warp = warps_.warp[w];
            if (!warp.code.empty()) {
                const program::dynamic_instruction& i = *warp.code.next++;
                const auto lanes = static_cast<unsigned>(__builtin_popcount(i.active_mask));
                ++statistics_.warp_instructions;
                statistics_.thread_instructions += lanes;
            }
            if (warp.code.empty()) exit_warp(w);
        }
        if (!busy()) process_.sleep();
    }

    simulation::clocked_process process_;
};

std::unique_ptr<core::multiprocessor> counting(const core::multiprocessor_parts& parts) {
    return std::make_unique<counting_core>(parts);
}

struct sums {
    std::uint64_t warps = 0, threads = 0, ctas = 0, cycles = 0;
};

sums sums_of(gpu_run& run) {
    sums s;
    for (const auto& c : run.device().clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            const core::core_statistics& n = c->core(i).statistics();
            s.warps += n.warp_instructions;
            s.threads += n.thread_instructions;
            s.ctas += n.ctas_completed;
            s.cycles += n.cycles;
        }
    return s;
}

TEST(CountingCore, RunsTheInstructionsOfTheSimtPipelineInFewerCycles) {
    sums expected, counted;
    const auto child = [](core::multiprocessor_maker make) {
        // SystemC starts only once per process, so the other run uses a process of its own.
        int ends[2];
        EXPECT_EQ(0, ::pipe(ends));
        if (::fork() == 0) {
            gpu_run run("reduction", {}, std::move(make));
            run.run();
            const sums s = sums_of(run);
            static_cast<void>(!::write(ends[1], &s, sizeof s));
            ::_exit(0);
        }
        sums s;
        EXPECT_EQ(static_cast<ssize_t>(sizeof s), ::read(ends[0], &s, sizeof s));
        return s;
    };
    expected = child({});
    counted = child(counting);
    EXPECT_GT(expected.threads, 0u);
    EXPECT_EQ(counted.threads, expected.threads);
    EXPECT_EQ(counted.ctas, expected.ctas);
    EXPECT_LT(counted.cycles, expected.cycles);
}

TEST(CountingCore, HasItsOwnReportsWaveformsAndTimeline) {
    const scratch_folder scratch;
    const std::string vcd = scratch.file("c.vcd"), timeline = scratch.file("t.json");
    gpu_run run("vecadd", {"--vcd", vcd, "--timeline", timeline}, counting);
    auto waves = platform::attach_waveforms(run.device(), run.how());
    auto times = platform::attach_timeline(run.device(), run.how());
    run.run();
    waves->finish();
    times->finish();
    const sums s = sums_of(run);
    ASSERT_GT(s.warps, 0u);

    support::statistics list;
    platform::list_statistics(run.device(), list);
    std::uint64_t listed = 0;
    for (const support::statistics::block& b : list.blocks())
        if (b.kind == "sm")
            for (const support::statistics::cell& cell : b.cells)
                if (std::string(cell.of->name) == "warp_instructions") listed += *cell.value;
    EXPECT_EQ(listed, s.warps);

    vcd_reader reader(vcd);
    const auto retired = reader.matching("gpu.cluster", ".retired");
    ASSERT_FALSE(retired.empty());
    std::uint64_t shown = 0;
    reader.replay([&](std::uint64_t) {
        if (!reader.rose("gpu.clocks.core")) return;
        for (const std::string& name : retired) shown += reader.value(name);
    });
    EXPECT_EQ(shown, s.warps);

    std::ifstream in(timeline);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_THAT(text, ::testing::HasSubstr("\"cat\":\"cta\""));
    EXPECT_THAT(run.device().describe(), ::testing::Not(::testing::HasSubstr("SM 0")));
}

}  // namespace
}  // namespace simtlm::test
