// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/launch_script.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/parser.h"
#include "modules/support/output_target.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <memory>
#include <string>

namespace {

const char* const module_text = R"(.version 7.0
.target sm_70
.address_size 64
.global .u32 factor = 2;
.visible .entry twice(.param .u64 p, .param .u32 n)
{
  ret;
}
)";

}  // namespace

/// A launch file for a small device: its buffers are filled, its launches prepared, its results
/// compared. Nothing is executed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    static const auto module =
        std::make_shared<const ptx::module>(ptx::parse(module_text, "fuzz.ptx"));
    fuzz::allow_user_error([&] {
        const auto script = execution::launch_script::parse(
            std::string(reinterpret_cast<const char*>(data), size), "fuzz.launch");
        // Files of this machine.
        if (!script.inputs().empty() || !script.outputs().empty()) return;
        execution::device_memory::config small;
        small.capacity = 1 << 20;
        execution::device_memory memory(small);
        const execution::ptx_image image(module, memory);
        execution::script_run run(script, image, memory);
        for (const execution::launch& l : run.launches())
            if (l.grid.volume() == 0 || l.block.volume() == 0) std::abort();
        support::output_attempts no_outputs;
        static_cast<void>(run.finish(no_outputs));
    });
    return 0;
}
