// SPDX-License-Identifier: Apache-2.0
#include "platform/device/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simtlm::device {

namespace {

double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}

}  // namespace

run_log::run_log(const outputs& to, double core_hertz)
    : to_(to), core_hertz_(core_hertz), started_(std::chrono::steady_clock::now()) {
    if (to_.file.empty()) return;
    file_ = std::fopen(to_.file.c_str(), "we");
    if (file_ == nullptr)
        throw kernel::user_error(to_.file,
                                 std::string("cannot be written: ") + std::strerror(errno),
                                 "name another file for the statistics");
}

run_log::~run_log() {
    if (file_ != nullptr) std::fclose(file_);
}

double run_log::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

/// To the program's own stdout, or to a file.
void run_log::write(const std::string& text) {
    if (!to_.reports || broken_) return;
    std::FILE* const out = file_ != nullptr ? file_ : stdout;
    if (std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0)
        return;
    broken_ = true;
    complain("cannot write statistics: " + std::string(std::strerror(errno)));
}

void run_log::note(const std::string& kind, const std::string& text) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (to_.quiet || !noted_.insert(text).second) return;
    }
    std::fputs(fmt::format("simtlm: {}: {}\n", kind, text).c_str(), stderr);
}

void run_log::complain(const std::string& text) {
    std::fputs(fmt::format("simtlm: {}\n", text).c_str(), stderr);
}

void run_log::built(const std::vector<platform::gpu*>& gpus) {
    gpus_ = gpus;
    last_.resize(gpus.size());
    for (platform::gpu* g : gpus) reporters_.push_back(std::make_unique<platform::reporter>(*g));
    write("Accel-Sim and GPGPU-Sim statistics by simtlm\n");
}

void run_log::kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel) {
    ++kernels_;
    const auto index =
        static_cast<std::size_t>(std::find(gpus_.begin(), gpus_.end(), &gpu) - gpus_.begin());
    platform::report_subject subject;
    subject.name = kernel.facts.name;
    subject.launch = kernel.launch;
    subject.stream = kernel.facts.stream;
    last_[index] = reporters_[index]->make(&subject);
    const platform::report& r = last_[index];
    std::string text;
    if (gpus_.size() > 1) text = fmt::format("simtlm: device {}\n", index);
    text += to_.compact ? compact_.of(r.text) : r.text;
    write(text + wall_clock(r));
}

/// The only lines that differ from run to run.
std::string run_log::wall_clock(const platform::report& r) const {
    const auto whole = std::max<std::uint64_t>(static_cast<std::uint64_t>(seconds()), 1);
    const double elapsed = std::max(seconds(), 1e-3);
    const std::uint64_t minutes = whole / 60, hours = minutes / 60;
    const double cycle_rate = r.value("gpu_tot_sim_cycle") / elapsed;
    const double instruction_rate = r.value("gpu_tot_sim_insn") / elapsed;
    std::string text =
        fmt::format("\n\ngpgpu_simulation_time = {} days, {} hrs, {} min, {} sec ({} sec)\n",
                    hours / 24, hours % 24, minutes % 60, whole % 60, whole);
    text += fmt::format("gpgpu_simulation_rate = {:.0f} (inst/sec)\n", instruction_rate);
    text += fmt::format("gpgpu_simulation_rate = {:.0f} (cycle/sec)\n", cycle_rate);
    text += fmt::format("gpgpu_silicon_slowdown = {:.0f}x\n", ratio(core_hertz_, cycle_rate));
    text += fmt::format("gpu_total_sim_rate={:.0f}\n\n", instruction_rate);
    return text;
}

void run_log::kernel_executed(const task& t, const execution::execution_summary& s) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const program::dim3 &g = t.launch.grid, &b = t.launch.block;
    write(
        fmt::format("kernel {} {}: device {}, grid {}x{}x{}, block {}x{}x{}: {} warp instructions, "
                    "{} thread instructions, {:.6f} s\n",
                    ++kernels_, t.launch.kernel->name, t.device, g.x, g.y, g.z, b.x, b.y, b.z,
                    s.warp_instructions, s.thread_instructions, s.seconds));
    executed_.warp_instructions += s.warp_instructions;
    executed_.thread_instructions += s.thread_instructions;
    executed_.seconds += s.seconds;
}

std::string run_log::summary_text() const {
    const double elapsed = seconds();
    if (gpus_.empty())
        return fmt::format(
            "simtlm: {} {} executed without time: {} warp instructions, {:.3g} s of "
            "{:.3g} s\n",
            kernels_, kernels_ == 1 ? "kernel" : "kernels", executed_.warp_instructions,
            executed_.seconds, elapsed);
    std::string text;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        const platform::report& r = last_[i];
        const double cycles = r.value("gpu_tot_sim_cycle");
        const auto hit_rate = [&](const std::string& cache) -> std::string {
            const double accesses = r.value(cache + "_total_cache_accesses");
            if (accesses == 0) return "none";
            return fmt::format("{:.1f} %",
                               100 * (1 - r.value(cache + "_total_cache_misses") / accesses));
        };
        text += fmt::format(
            "simtlm: {}{} {}, {:.0f} core cycles ({:.4g} us of GPU time), IPC {:.2f}, hit rate L1D "
            "{}, L2 {}; {:.2f} s: {:.4g} core cycles/s\n",
            gpus_.size() > 1 ? fmt::format("device {}: ", i) : "", kernels_,
            kernels_ == 1 ? "kernel" : "kernels", cycles, cycles / core_hertz_ * 1e6,
            r.value("gpu_tot_ipc"), hit_rate("L1D"), hit_rate("L2"), elapsed,
            ratio(cycles, elapsed));
    }
    return text;
}

void run_log::ended() {
    // What was counted of kernels that have not ended.
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        if (gpus_[i]->commands().idle()) continue;
        last_[i] = reporters_[i]->make(nullptr);
        write(last_[i].text + wall_clock(last_[i]));
    }
    if (!interrupted_.empty())
        write(fmt::format("simtlm: *** incomplete run: {} ***\n", interrupted_));
    else if (!gpus_.empty())
        write("GPGPU-Sim: *** exit detected ***\n");
    if (to_.summary && kernels_ != 0) std::fputs(summary_text().c_str(), stderr);
}

}  // namespace simtlm::device
