// SPDX-License-Identifier: Apache-2.0
#include "sc_main/program_run.h"

#include "modules/core/pipelines.h"
#include "modules/execution/functional/functional.h"
#include "modules/execution/timed/executed_kernel.h"
#include "modules/support/error.h"
#include "platform/device/launch_traits.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/gpu/gpu_services.h"
#include "platform/gpu/opcode_timing.h"
#include "platform/options/presets.h"
#include "platform/sampling/launch_sampler.h"
#include "sc_main/run_control.h"

#include <fmt/format.h>

#include <memory>
#include <string>
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

/// The launches of a program in order: those selected by --kernels and related options become
/// commands; the others are executed in functional mode at their position.
class launch_queue {
public:
    launch_queue(loaded_program& program, const platform::gpu_config& config,
                 platform::trace_recording* recording, platform::launch_sampler* sampler)
        : program_(program),
          binary_version_(config.binary_version()),
          recording_(recording),
          sampler_(sampler),
          descriptors_(program.image().describe(platform::instruction_timing_of(config))) {
        check_target(config);
        trace::kernel_selector selector(config.traces.choice);
        for (execution::launch& l : program.launches()) {
            trace::kernel_header header;
            header.name = l.kernel->name;
            header.id = static_cast<std::uint32_t>(launches_.size() + 1);
            // The sampler's choice depends on what earlier launches have executed.
            const bool timed = sampler != nullptr || selector.take(header);
            launches_.push_back({std::move(l), timed, nullptr});
        }
        for (std::size_t i = 0; i < launches_.size(); ++i) {
            if (!launches_[i].timed) continue;
            ++timed_;
            ctas_ += launches_[i].launch.grid.volume();
            check(i, config);
            if (sampler != nullptr) launches_[i].kernel.reset();
        }
        if (timed_ == 0 && !launches_.empty())
            throw support::user_error(program.script().file, "none of its launches is selected",
                                      "see --kernels, --kernel-names, --skip-kernels");
    }

    /// Number of launches to simulate; 0: unknown.
    std::uint64_t timed() const { return sampler_ != nullptr ? 0 : timed_; }
    std::uint64_t ctas() const { return sampler_ != nullptr ? 0 : ctas_; }
    const std::vector<std::string>& refusals() const { return refusals_; }

    std::vector<dispatch::host_command> next() {
        std::vector<dispatch::host_command> commands;
        for (; at_ < launches_.size(); ++at_) {
            item& one = launches_[at_];
            if (sampler_ != nullptr) {
                if (!commands.empty()) break;
                one.timed = sampler_->take(device::traits_of(one.launch));
            }
            if (one.timed) {
                commands.push_back(command_of(at_));
            } else if (commands.empty()) {
                execution::functional_options how;
                how.give_up = &signal_guard::any();
                const auto summary =
                    execution::run(one.launch, program_.memory(), program_.world(), how);
                if (sampler_ != nullptr)
                    sampler_->executed(at_ + 1, device::traits_of(device::traits_of(one.launch),
                                                                  summary, *descriptors_));
            } else {
                break;
            }
        }
        return commands;
    }

private:
    struct item {
        execution::launch launch;
        bool timed;
        std::shared_ptr<execution::executed_kernel> kernel;  ///< for simulated launches
    };

    /// Checks that the GPU can execute the code of the program.
    void check_target(const platform::gpu_config& config) const {
        const unsigned wanted = program_.image().architecture();
        if (program_.image().isa() != execution::instruction_set::ptx) return;
        if (wanted <= config.binary_version() || config.traces.any_binary_version) return;
        const platform::preset_info* const fitting = platform::preset_for_binary(wanted);
        throw support::user_error(
            program_.image().name(),
            fmt::format("is compiled for sm_{}, but the configured GPU is of compute capability "
                        "{}.{}",
                        wanted, config.compute_capability_major, config.compute_capability_minor),
            (fitting != nullptr ? fmt::format("use --preset {}, or ", fitting->name)
                                : std::string()) +
                "run it anyway with --any-binary-version");
    }

    /// Checks for the functional units that instructions of a kernel require.
    void check_units(const item& one, const platform::gpu_config& config) {
        const auto& pipelines = config.cores.sm.pipelines;
        const auto code = descriptors_->code_of(one.launch.kernel->function);
        if (code.empty()) return;
        for (auto i = code.front().next; i != code.front().end; ++i) {
            if (core::route(pipelines, i->info->cls) < pipelines.size()) continue;
            refusals_.push_back(fmt::format(
                "{}: kernel {}: {} needs a functional unit that the configuration lacks",
                program_.image().name(), one.launch.kernel->name, i->info->opcode));
            return;
        }
    }

    void check(std::size_t i, const platform::gpu_config& config) {
        item& one = launches_[i];
        check_units(one, config);
        one.kernel = kernel_of(i);
        try {
            platform::check_trace_fits(config, platform::descriptor_of(one.kernel->descriptor()));
        } catch (const support::user_error& e) {
            refusals_.emplace_back(e.what());
        }
    }

    std::shared_ptr<execution::executed_kernel> kernel_of(std::size_t i) {
        return std::make_shared<execution::executed_kernel>(launches_[i].launch, program_.memory(),
                                                            program_.world(), descriptors_,
                                                            static_cast<std::uint32_t>(i + 1));
    }

    dispatch::host_command command_of(std::size_t i) {
        dispatch::host_command c;
        c.what = dispatch::host_command::kind::launch;
        const auto kernel = sampler_ != nullptr ? kernel_of(i) : std::move(launches_[i].kernel);
        if (sampler_ != nullptr)
            sampler_->started(i + 1, {[kernel] {
                                          execution::functional_options how;
                                          how.give_up = &signal_guard::any();
                                          kernel->execute_rest(how);
                                      },
                                      [this, i, kernel] {
                                          return device::traits_of(
                                              device::traits_of(launches_[i].launch),
                                              kernel->executed(), *descriptors_);
                                      },
                                      {}});
        c.kernel = kernel;
        if (recording_ != nullptr)
            c.kernel = recording_->record(kernel, kernel->code(), binary_version_);
        c.where = program_.script().file;
        c.stream = launches_[i].launch.stream;
        c.list_number = i + 1;
        return c;
    }

    loaded_program& program_;
    unsigned binary_version_;
    platform::trace_recording* recording_;
    platform::launch_sampler* sampler_;
    std::shared_ptr<const execution::instruction_descriptors> descriptors_;
    std::vector<item> launches_;
    std::size_t at_ = 0;
    std::uint64_t timed_ = 0, ctas_ = 0;
    std::vector<std::string> refusals_;
};

}  // namespace

workload workload_of(loaded_program& program, const platform::gpu_config& config,
                     platform::trace_recording* recording, platform::launch_sampler* sampler) {
    workload w;
    platform::set_gpu_services(config, program.world());
    for (const auto& buffer : program.buffers())
        if (const auto from = buffer.what->data.from;
            from != execution::launch_script::source::zero &&
            from != execution::launch_script::source::unwritten)
            w.commands.push_back(copy_of(buffer));
    if (recording != nullptr)
        for (const dispatch::host_command& c : w.commands) recording->copied(c.address, c.bytes);
    const auto queue = std::make_shared<launch_queue>(program, config, recording, sampler);
    w.kernels = queue->timed();
    w.ctas = queue->ctas();
    w.refusals = queue->refusals();
    if (!w.refusals.empty()) return w;
    for (dispatch::host_command& c : queue->next()) w.commands.push_back(std::move(c));
    w.next = [queue] { return queue->next(); };
    return w;
}

}  // namespace simtlm
