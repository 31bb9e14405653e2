// SPDX-License-Identifier: Apache-2.0
// A GPU in the middle of a kernel, for scripts/gdb: compiled with debug information, whatever the
// rest is compiled with.
#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/core/sub_core_pipeline/sub_core_sm.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_sub_partition.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// Where the debugger stops.
extern "C" __attribute__((noinline)) void in_the_middle() {
    asm volatile("");
}

/// By core model.
class GdbTarget : public testing::TestWithParam<const char*> {};

TEST_P(GdbTarget, StopsInTheMiddleOfAKernel) {
    using namespace simtlm::platform;
    option_values values(preset_folders(std::vector<std::string>{SIMTLM_CONFIGS}).finder());
    values.parse_command_line(std::vector<std::string>{"--preset", "TINY", "--core", GetParam(),
                                                       "--any-binary-version", "-trace",
                                                       SIMTLM_TRACES "/vecadd"});
    gpu device("gpu", make_gpu_config(values));
    const trace_set set = device.load_trace_set(SIMTLM_TRACES "/vecadd/kernelslist.g");
    for (const auto& c : set.commands) {
        simtlm::dispatch::host_command h;
        if (c.what != simtlm::trace::command::kind::kernel) continue;
        h.what = simtlm::dispatch::host_command::kind::launch;
        h.file = c.file;
        device.commands().submit(h);
    }
    device.commands().proceed();
    sc_core::sc_start(600, sc_core::SC_NS);
    ASSERT_GT(device.core_cycles(), 500u);
    in_the_middle();
}

INSTANTIATE_TEST_SUITE_P(Cores, GdbTarget, testing::Values("classic", "modern"),
                         [](const auto& core) { return std::string(core.param); });
