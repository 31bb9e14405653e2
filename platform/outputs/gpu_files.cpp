// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/gpu_files.h"

#include "modules/support/display_text.h"
#include "modules/support/output_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace simtlm::platform {

gpu_files::gpu_files(gpu& device, const option_values& options, provenance from)
    : config_(device.config().run),
      waves_(attach_waveforms(device, config_)),
      timeline_(attach_timeline(device, config_)),
      log_(attach_visualizer_log(device, config_)),
      profile_(attach_instruction_profile(device, config_)),
      intervals_(attach_interval_log(device, config_.interval)),
      power_(attach_power_log(device)),
      statistics_(device, options, std::move(from)) {}

void gpu_files::add(const report& report, const kernel_record* kernel) {
    std::vector<instruction_profile::row> instructions;
    if (profile_ && kernel != nullptr)
        instructions = profile_->take(kernel->subject.launch, kernel->subject.name);
    statistics_.add(report, kernel, std::move(instructions));
    if (power_ && kernel != nullptr) power_->kernel_ended(*kernel);
}

void gpu_files::finish_recordings() {
    support::output_attempts attempt;
    attempt([&] {
        if (waves_) waves_->finish();
    });
    attempt([&] {
        if (timeline_) timeline_->finish();
    });
    attempt([&] {
        if (log_) log_->finish();
    });
    attempt([&] {
        if (intervals_) intervals_->finish();
    });
    attempt([&] {
        if (power_) power_->finish();
    });
    attempt.finish();
}

void gpu_files::write(const std::string& ended) {
    support::output_attempts attempt;
    attempt([&] { statistics_.write(ended); });
    attempt([&] {
        if (profile_ && !config_.line_stats.empty()) profile_->write(config_.line_stats);
    });
    attempt.finish();
}

std::vector<std::string> gpu_files::remarks() const {
    std::vector<std::string> all;
    for (std::string r : {waves_ ? waves_->remark() : "", timeline_ ? timeline_->remark() : ""})
        if (!r.empty()) all.push_back(std::move(r));
    return all;
}

namespace {

void note_resources(const program::kernel_descriptor& from, kernel_record& r) {
    r.grid = from.grid;
    r.block = from.block;
    r.registers = from.registers;
    r.shared_memory = from.shared_memory;
    r.barriers = from.barriers;
    r.carve_out = from.carve_out;
}

}  // namespace

kernel_record record_of(const dispatch::finished_kernel& k, const gpu& device) {
    kernel_record r;
    r.subject.name = k.descriptor.name;
    r.subject.demangled = support::demangled(r.subject.name);
    r.subject.list_number = k.list_number;
    r.subject.id = k.descriptor.id;
    r.subject.launch = k.launch;
    r.subject.stream = k.descriptor.stream;
    const std::uint64_t first = device.counted_from();
    r.launched_at = k.launched_at - std::min(first, k.launched_at);
    r.start_cycle = k.start_cycle - first;
    r.end_cycle = k.end_cycle - first;
    r.ctas = k.descriptor.grid.volume();
    r.ctas_per_sm = k.ctas_per_sm;
    note_resources(k.descriptor, r);
    return r;
}

std::optional<kernel_record> record_of_unfinished(gpu& device) {
    const dispatch::running_kernel* oldest = nullptr;
    for (const auto& k : device.commands().ctas().running())
        if (k && !k->finished() &&
            (oldest == nullptr || k->context.launch < oldest->context.launch))
            oldest = k.get();
    if (oldest == nullptr) return std::nullopt;
    kernel_record r;
    r.subject.name = oldest->descriptor.name;
    r.subject.demangled = support::demangled(r.subject.name);
    r.subject.list_number = oldest->list_number;
    r.subject.id = oldest->descriptor.id;
    r.subject.launch = oldest->context.launch;
    r.subject.stream = oldest->stream;
    const std::uint64_t first = device.counted_from();
    r.launched_at = oldest->launched_at - std::min(first, oldest->launched_at);
    r.start_cycle = oldest->start_cycle - std::min(first, oldest->start_cycle);
    r.end_cycle = device.core_cycles();
    r.ctas = oldest->ctas_completed;
    r.ctas_per_sm = oldest->context.ctas_per_sm;
    note_resources(oldest->descriptor, r);
    r.finished = false;
    return r;
}

std::string opening_lines(const provenance::program_build& build) {
    return fmt::format("Accel-Sim [build {}]\nGPGPU-Sim statistics by simtlm {} [build {}]\n",
                       build.accelsim, build.version, build.commit);
}

std::string closing_line(const std::string& ended) {
    const std::string whole = "GPGPU-Sim: *** exit detected ***\n";
    if (ended == "finished") return whole;
    if (ended.rfind("-gpgpu_max", 0) == 0)
        return "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n" +
               whole;
    return fmt::format("simtlm: *** incomplete run: {} ***\n", ended);
}

void number_files(run_config& config, unsigned number) {
    for (std::string* const name :
         {&config.stats_json, &config.stats_csv, &config.stats_csv_long, &config.vcd,
          &config.timeline, &config.visualizer.file, &config.line_stats, &config.interval.csv,
          &config.interval.database, &config.power.report, &config.power.trace,
          &config.power.metrics, &config.power.steady_states}) {
        if (name->empty()) continue;
        const std::filesystem::path path(*name);
        *name = (path.parent_path() / path.stem()).string() + fmt::format(".gpu{}", number) +
                path.extension().string();
    }
}

}  // namespace simtlm::platform
