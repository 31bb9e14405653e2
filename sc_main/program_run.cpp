// SPDX-License-Identifier: Apache-2.0
#include "sc_main/program_run.h"

#include "modules/execution/executed_kernel.h"
#include "modules/kernel/error.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/opcode_timing.h"

#include <memory>
#include <systemc>

namespace simtlm {

namespace {

dispatch::host_command copy_of(const execution::script_run::placed& buffer) {
    dispatch::host_command c;
    c.what = dispatch::host_command::kind::copy_in;
    c.address = buffer.address;
    c.bytes = buffer.bytes;
    return c;
}

}  // namespace

workload workload_of(loaded_program& program, const platform::gpu_config& config,
                     platform::trace_recording* recording) {
    workload w;
    program.world().sms = config.sms();
    program.world().global_time = [] {
        return static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e9);
    };
    for (const auto& buffer : program.buffers())
        if (const auto from = buffer.what->data.from;
            from != execution::launch_script::source::zero &&
            from != execution::launch_script::source::unwritten)
            w.commands.push_back(copy_of(buffer));
    if (recording != nullptr)
        for (const dispatch::host_command& c : w.commands) recording->copied(c.address, c.bytes);
    const auto descriptor = program.image().describe(platform::instruction_timing_of(config));
    std::uint32_t id = 0;
    for (const execution::launch& l : program.launches()) {
        dispatch::host_command c;
        c.what = dispatch::host_command::kind::launch;
        const auto kernel = std::make_shared<execution::executed_kernel>(
            l, program.memory(), program.world(), descriptor, ++id);
        c.kernel = kernel;
        if (recording != nullptr)
            c.kernel = recording->record(kernel, kernel->code(), config.binary_version());
        c.where = program.script().file;
        c.stream = l.stream;
        ++w.kernels;
        w.ctas += l.grid.volume();
        try {
            platform::check_trace_fits(config, platform::descriptor_of(c.kernel->descriptor()));
        } catch (const kernel::user_error& e) {
            w.refusals.emplace_back(e.what());
        }
        w.commands.push_back(std::move(c));
    }
    return w;
}

}  // namespace simtlm
