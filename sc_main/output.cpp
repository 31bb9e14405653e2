// SPDX-License-Identifier: Apache-2.0
#include "sc_main/output.h"

#include "modules/protocol/phases.h"
#include "modules/support/display_text.h"
#include "modules/support/output_target.h"
#include "platform/outputs/version.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace simtlm {

namespace {

double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}

}  // namespace

output::output(platform::gpu& device, platform::gpu_files& files, progress& line,
               std::chrono::steady_clock::time_point started)
    : device_(device),
      config_(device.config().run),
      line_(line),
      started_(started),
      reporter_(device),
      files_(files) {
    put_out(platform::opening_lines(
        {platform::version, platform::commit(), platform::accelsim_build()}));
}

double output::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void output::note(const std::string& kind, const std::string& text) {
    if (config_.quiet || text.empty() || !noted_.insert(text).second) return;
    const std::string said = fmt::format("simtlm: {}: {}\n", kind, support::printable(text));
    if (!stderr_is_terminal() && !incomplete_) return put_out(said);
    line_.clear();
    print_error(said);
    line_.restore();
}

void output::print(const platform::kernel_record* kernel) {
    line_.clear_line();
    const platform::report& report = reporter_.make(kernel != nullptr ? &kernel->subject : nullptr);
    files_.add(report, kernel);
    reported_cycles_ = device_.core_cycles();
    if (config_.compact_reports)
        put_out(compact_.of(report.text));
    else
        put_out(report.text);
    put_out(platform::host_time_text(report, seconds(), device_.config().clocks.core));
    flush_out();
    line_.restore();
}

void output::kernel_ended(const dispatch::finished_kernel& kernel) {
    ++kernels_;
    const platform::kernel_record r = platform::record_of(kernel, device_);
    print(&r);
}

void output::save(const std::string& file, const platform::option_values& options,
                  const platform::workload_state& workload) {
    platform::checkpoint::write(file, device_, files_, reporter_, options, workload);
}

void output::resume(platform::checkpoint& saved, const platform::workload_state& workload) {
    saved.restore(device_, files_, reporter_, workload);
    reported_cycles_ = device_.core_cycles();
    if (const auto& elsewhere = saved.resumed_elsewhere())
        for (const std::string& n : elsewhere->notes()) note("note", n);
    else
        kernels_ = saved.kernels();
}

void output::run_ended(const std::string& ended) {
    incomplete_ = ended != "finished" && ended.rfind("-gpgpu_max", 0) != 0;
    // An error in one output does not prevent the others from being written.
    line_.end();
    support::output_attempts attempt;
    attempt([&] { print_rest(); });
    attempt([&] {
        put_out(platform::closing_line(ended));
        flush_out();
    });
    attempt([&] { files_.write(ended); });
    attempt([&] { files_.finish_recordings(); });
    attempt([&] {
        for (const std::string& remark : files_.remarks()) note("note", remark);
    });
    const bool nothing = ended == "failed" && kernels_ == 0;
    const bool wanted = config_.summary || (stderr_is_terminal() && !config_.quiet);
    if (wanted && !nothing) summary();
    if (config_.profile_kernel) print_activity(device_.sequencer(), seconds());
    attempt.finish();
}

/// Reports what has been counted since the last kernel ended, if anything.
void output::print_rest() {
    if (const auto kernel = platform::record_of_unfinished(device_))
        print(&*kernel);
    else if (reported_cycles_ != device_.core_cycles())
        print(nullptr);
}

void output::summary() const {
    line_.clear();
    const auto value = [&](const char* name) { return reporter_.last().value(name); };
    const auto hit_rate = [&](const std::string& cache) -> std::string {
        const double accesses = reporter_.last().value(cache + "_total_cache_accesses");
        if (accesses == 0) return "none";
        const double misses = reporter_.last().value(cache + "_total_cache_misses");
        return fmt::format("{:.1f} %", 100 * (1 - misses / accesses));
    };
    const platform::gpu_config& c = device_.config();
    const double cycles = value("gpu_tot_sim_cycle");
    const double bytes = (value("total dram reads") + value("total dram writes")) *
                         c.memory.partition.dram.atom_bytes();
    const double elapsed = seconds();
    print_error(fmt::format(
        "simtlm: {} {}, {:.0f} core cycles ({:.4g} us of GPU time), IPC {:.2f}\n"
        "        hit rate L1D {}, L2 {}; DRAM {:.1f} GB/s, {:.1f} % of its peak\n"
        "        {:.2f} s: {}core cycles/s, {}warp instructions/s\n",
        kernels_, kernels_ == 1 ? "kernel" : "kernels", cycles, cycles / c.clocks.core * 1e6,
        value("gpu_tot_ipc"), hit_rate("L1D"), hit_rate("L2"),
        ratio(bytes * c.clocks.core, cycles) / 1e9, 100 * value("dram_bw_util"), elapsed,
        short_number(cycles / elapsed), short_number(value("gpgpu_n_tot_w_icount") / elapsed)));
}

void print_activity(const simulation::phase_sequencer& sequencer, double seconds) {
    const simulation::phase_sequencer::activity& a = sequencer.observed();
    const auto per_core_cycle = [&](std::uint64_t n) {
        return ratio(static_cast<double>(n), static_cast<double>(a.edges[protocol::core_clock]));
    };
    const auto sum = [](const std::vector<std::uint64_t>& all) {
        return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    };
    const std::uint64_t activations = sum(a.activations);
    print_error(fmt::format("simulation kernel: {} core, {} network, {} L2, {} DRAM clock edges\n",
                            a.edges[protocol::core_clock], a.edges[protocol::icnt_clock],
                            a.edges[protocol::l2_clock], a.edges[protocol::dram_clock]));
    const auto line = [&](const char* name, std::uint64_t n, std::uint64_t idle = 0) {
        const double share = 100 * ratio(static_cast<double>(idle), static_cast<double>(n));
        print_error(fmt::format("  {:<24} {:>14} {:>12.3f}{}\n", name, n, per_core_cycle(n),
                                idle != 0 ? fmt::format(" {:>14.1f}", share) : std::string()));
    };
    print_error(fmt::format("  {:<24} {:>14} {:>12} {:>14}\n", "", "count", "a core cycle",
                            "% without effect"));
    line("steps", a.steps);
    line("deltas", a.deltas);
    line("visits of an SM", a.groups);
    line("cycles on all threads", a.shared);
    line("activations", activations, sum(a.idle));
    for (unsigned p = 0; p < sequencer.phases(); ++p)
        line(sequencer.phase_name(p), a.activations[p], a.idle[p]);
    print_error(
        fmt::format("  {:.0f} ns an activation, {:.0f} ns a core cycle\n",
                    ratio(seconds * 1e9, static_cast<double>(activations)),
                    ratio(seconds * 1e9, static_cast<double>(a.edges[protocol::core_clock]))));
}

}  // namespace simtlm
