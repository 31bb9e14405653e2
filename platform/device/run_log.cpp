// SPDX-License-Identifier: Apache-2.0
#include "platform/device/run_log.h"

#include "modules/execution/timed/executed_kernel.h"
#include "modules/host_threads/signal_shield.h"
#include "modules/support/display_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::device {

namespace {

double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}

const char* label_of(const task& t) {
    if (t.label != nullptr) return t.label;
    if (t.what == task::kind::host_call) return "host function";
    switch (t.direction) {
        case copy_direction::to_device:
            return "copy host to device";
        case copy_direction::to_host:
            return "copy device to host";
        case copy_direction::between_devices:
            return "copy device to device";
        case copy_direction::inside:
            break;
    }
    return "copy within the device";
}

}  // namespace

run_log::run_log(const platform::option_values& options, const outputs& to,
                 platform::provenance from, double core_hertz)
    : options_(options),
      to_(to),
      from_(std::move(from)),
      core_hertz_(core_hertz),
      records_calls_(!options.text("--timeline").empty() || to.call),
      started_(std::chrono::steady_clock::now()) {
    const host_threads::signal_shield shield;
    if (!to_.file.empty()) file_ = std::make_unique<support::output_file>(to_.file);
}

run_log::~run_log() = default;

double run_log::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

/// Writes to stdout of the program, or to a file.
void run_log::write(const std::string& text) {
    if (!to_.reports || broken_) return;
    const host_threads::signal_shield shield;
    if (file_) {  // commit() reports errors
        file_->write(text);
        return file_->flush();
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return;
    broken_ = lost_ = true;
    log_error("cannot write statistics: " + std::string(std::strerror(errno)));
}

void run_log::note(const std::string& kind, const std::string& text) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (to_.quiet || !noted_.insert(text).second) return;
    }
    if (to_.note) return to_.note(kind, text);
    // Scripts treat output on stderr as a failure.
    const std::string said = fmt::format("simtlm: {}: {}\n", kind, support::printable(text));
    if (isatty(STDERR_FILENO) == 0) return write(said);
    std::fputs(said.c_str(), stderr);
}

void run_log::add_input(platform::provenance::file input) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_same = [&](const auto& f) {
        return f.role == input.role && f.path == input.path;
    };
    if (std::none_of(from_.inputs.begin(), from_.inputs.end(), is_same))
        from_.inputs.push_back(std::move(input));
}

void run_log::log_error(const std::string& text) {
    const host_threads::signal_shield shield;
    std::fputs(fmt::format("simtlm: {}\n", support::printable(text)).c_str(), stderr);
}

void run_log::built(const std::vector<platform::gpu*>& gpus) {
    if (gpus.size() > 1 && options_.given("--record-trace"))
        options_.fail("--record-trace", "supports programs on one GPU only", "--gpus 1");
    recording_ = platform::trace_recording::of(options_);
    const bool saves = !platform::checkpoint_options::of(options_).write.empty();
    platform::provenance from;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        from = from_;
    }
    for (platform::gpu* const g : gpus) {
        watched w;
        w.gpu = g;
        w.reporter = std::make_unique<platform::reporter>(*g);
        w.files = std::make_unique<platform::gpu_files>(*g, options_, from);
        if (saves) w.files->keep_rows();
        gpus_.push_back(std::move(w));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const platform::host_activity& a : early_calls_) gpus_.front().files->add(a);
    early_calls_.clear();
    built_ = true;
}

void run_log::save(const std::string& file, const platform::option_values& options,
                   const platform::workload_state& workload, const std::string& host_log) {
    watched& w = gpus_.front();
    platform::checkpoint::write(file, *w.gpu, *w.files, *w.reporter, options, workload, host_log);
}

void run_log::resume(platform::checkpoint& saved, const platform::workload_state& workload) {
    watched& w = gpus_.front();
    saved.restore(*w.gpu, *w.files, *w.reporter, workload);
    w.kernels = saved.kernels();
    if (const auto& elsewhere = saved.resumed_elsewhere())
        for (const std::string& n : elsewhere->notes()) note("note", n);
    else
        kernels_ = saved.kernels();
}

void run_log::task_ended(const task& t) {
    if (t.what == task::kind::marker && t.label == nullptr) return;
    platform::host_activity a;
    a.name = label_of(t);
    a.row = t.stream;
    a.from = t.started_at;
    a.to = t.finished_at;
    a.bytes = t.bytes;
    if (t.device < gpus_.size()) gpus_[t.device].files->add(a);
}

/// API calls are shown in the timeline of the first GPU.
void run_log::called(const char* name, std::uint64_t from, std::uint64_t to) {
    thread_local const std::uint64_t thread = calling_threads_.fetch_add(1);
    called(name, thread, from, to);
}

void run_log::called(const char* name, std::uint64_t row, std::uint64_t from, std::uint64_t to) {
    if (to_.call) return to_.call(name, row, from, to);
    platform::host_activity a;
    a.what = platform::host_activity::kind::call;
    a.name = name;
    a.row = row;
    a.from = from;
    a.to = to;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (built_)
        gpus_.front().files->add(a);
    else
        early_calls_.push_back(a);
}

std::shared_ptr<program::kernel_source> run_log::launched(
    std::shared_ptr<execution::executed_kernel> kernel) {
    if (!recording_) return kernel;
    auto code = kernel->code();
    return recording_->record(std::move(kernel), std::move(code),
                              gpus_.front().gpu->config().binary_version());
}

void run_log::copied(std::uint64_t address, std::uint64_t bytes) {
    if (recording_) recording_->copied(address, bytes);
}

/// Written before the first report, so that a run without kernels has no opening lines.
void run_log::open_report() {
    if (!std::exchange(opened_, true)) write(platform::opening_lines(from_.build));
}

void run_log::report(watched& w, const platform::kernel_record* kernel) {
    open_report();
    const platform::report& report =
        w.reporter->make(kernel != nullptr ? &kernel->subject : nullptr);
    w.files->add(report, kernel);
    if (gpus_.size() > 1) write(fmt::format("simtlm: device {}\n", &w - gpus_.data()));
    if (to_.compact)
        write(compact_.of(report.text));
    else
        write(report.text);
    write(platform::host_time_text(report, seconds(), core_hertz_));
}

void run_log::kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel) {
    ++kernels_;
    for (watched& w : gpus_) {
        if (w.gpu != &gpu) continue;
        ++w.kernels;
        const platform::kernel_record record = platform::record_of(kernel, gpu);
        report(w, &record);
    }
}

void run_log::kernel_executed(const task& t, const execution::execution_summary& s) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const program::dim3 &g = t.launch.grid, &b = t.launch.block;
    write(
        fmt::format("kernel {} {}: device {}, grid {}x{}x{}, block {}x{}x{}: {} warp instructions, "
                    "{} thread instructions, {:.6f} s\n",
                    ++kernels_, t.launch.kernel->name, t.device, g.x, g.y, g.z, b.x, b.y, b.z,
                    s.warp_instructions, s.thread_instructions, s.seconds));
    if (to_.by_class)
        for (const auto& c : s.by_class)
            write(fmt::format("  {:<24} {:>16} warps {:>18} threads\n", c.opcode, c.warps,
                              c.threads));
    executed_.warp_instructions += s.warp_instructions;
    executed_.thread_instructions += s.thread_instructions;
    executed_.seconds += s.seconds;
}

std::string run_log::summary_text() const {
    const double elapsed = seconds();
    if (gpus_.empty())
        return fmt::format(
            "simtlm: {} {} executed in functional mode: {} warp instructions, {:.3g} s of {:.3g} "
            "s\n",
            kernels_, kernels_ == 1 ? "kernel" : "kernels", executed_.warp_instructions,
            executed_.seconds, elapsed);
    std::string text;
    for (const watched& w : gpus_) text += summary_of(w);
    return text + projection_summary_;
}

std::string run_log::summary_of(const watched& w) const {
    const platform::report& r = w.reporter->last();
    const double cycles = r.value("gpu_tot_sim_cycle");
    const auto hit_rate = [&](const std::string& cache) -> std::string {
        const double accesses = r.value(cache + "_total_cache_accesses");
        if (accesses == 0) return "none";
        return fmt::format("{:.1f} %",
                           100 * (1 - r.value(cache + "_total_cache_misses") / accesses));
    };
    return fmt::format(
        "simtlm: {}{} {}, {:.0f} core cycles ({:.4g} us of GPU time), IPC {:.2f}, hit rate L1D {}, "
        "L2 {}; {:.2f} s: {:.4g} core cycles/s\n",
        gpus_.size() > 1 ? fmt::format("device {}: ", &w - gpus_.data()) : "", w.kernels,
        w.kernels == 1 ? "kernel" : "kernels", cycles, cycles / core_hertz_ * 1e6,
        r.value("gpu_tot_ipc"), hit_rate("L1D"), hit_rate("L2"), seconds(),
        ratio(cycles, seconds()));
}

/// Exit status in the spelling of the statistics files.
std::string run_log::how_it_ended() const {
    if (!interrupted_.empty()) return "interrupted";
    return failed_.empty() ? "finished" : failed_;
}

/// An error in one file must not prevent the others from being written.
void run_log::finish_files(watched& w, const std::string& how) {
    const auto attempt = [this](auto&& act) {
        try {
            act();
        } catch (const support::output_error& e) {
            for (const std::string& m : e.messages()) result_lost(m);
        } catch (const std::exception& e) {
            result_lost(e.what());
        }
    };
    attempt([&] { w.files->finish_recordings(); });
    for (const std::string& r : w.files->remarks()) note("note", r);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        w.files->set_inputs(from_.inputs);
    }
    attempt([&] { w.files->write(how); });
    if (recording_ && how == "finished") attempt([&] { recording_->finish(); });
}

void run_log::set_outcome(const outcome& o) {
    lost_ = lost_ || o.lost;
    aborted_ = aborted_ || o.aborted;
    checks_found_ = checks_found_ || o.findings;
    kernels_ += o.kernels;
}

void run_log::ended() {
    if (std::exchange(has_ended_, true)) return;
    const host_threads::signal_shield shield;
    const std::string how = how_it_ended();
    for (watched& w : gpus_) {
        // Report what was counted for unfinished kernels.
        if (!w.gpu->commands().idle()) {
            const auto kernel = platform::record_of_unfinished(*w.gpu);
            report(w, kernel ? &*kernel : nullptr);
        }
        finish_files(w, how);
    }
    if (!projection_.empty()) {
        open_report();
        write(projection_);
    }
    if (!interrupted_.empty())
        write(platform::closing_line(interrupted_));
    else if (opened_)
        write(platform::closing_line(how));
    else if (!gpus_.empty())
        write("simtlm: the program has run no kernel\n");
    close_reports();
    if (to_.summary && kernels_ != 0) std::fputs(summary_text().c_str(), stderr);
    if (!interrupted_.empty() && !to_.quiet)
        std::fputs(fmt::format("simtlm: note: the run was {}; these are the statistics so far\n",
                               interrupted_)
                       .c_str(),
                   stderr);
}

void run_log::close_reports() {
    const auto file = std::move(file_);
    try {
        if (file) file->commit();
    } catch (const support::output_error& e) {
        log_error(e.what());
        lost_ = true;
    }
}

}  // namespace simtlm::device
