// SPDX-License-Identifier: Apache-2.0
#include "sc_main/output.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace simtlm {

namespace {

double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}

}  // namespace

output::output(platform::gpu& device, const platform::option_values& options, progress& line,
               std::chrono::steady_clock::time_point started)
    : device_(device),
      config_(device.config().run),
      line_(line),
      started_(started),
      reporter_(device),
      files_(options, config_.stats_json, config_.stats_csv) {}

double output::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void output::note(const std::string& kind, const std::string& text) {
    if (config_.quiet || !noted_.insert(text).second) return;
    line_.clear();
    fmt::print(stderr, "simtlm: {}: {}\n", kind, text);
}

void output::print(const platform::report_subject* subject, const kernel_record* record) {
    line_.clear();
    last_ = reporter_.make(subject);
    std::fwrite(last_.text.data(), 1, last_.text.size(), stdout);
    print_wall_clock();
    std::fflush(stdout);
    files_.add(last_, record);
    reported_cycles_ = device_.core_cycles();
}

/// The only lines that differ from run to run.
void output::print_wall_clock() const {
    const auto whole = std::max<std::uint64_t>(static_cast<std::uint64_t>(seconds()), 1);
    const double elapsed = std::max(seconds(), 1e-3);
    const std::uint64_t minutes = whole / 60, hours = minutes / 60;
    const double cycle_rate = last_.value("gpu_tot_sim_cycle") / elapsed;
    const double instruction_rate = last_.value("gpu_tot_sim_insn") / elapsed;
    fmt::print("\n\ngpgpu_simulation_time = {} days, {} hrs, {} min, {} sec ({} sec)\n", hours / 24,
               hours % 24, minutes % 60, whole % 60, whole);
    fmt::print("gpgpu_simulation_rate = {:.0f} (inst/sec)\n", instruction_rate);
    fmt::print("gpgpu_simulation_rate = {:.0f} (cycle/sec)\n", cycle_rate);
    fmt::print("gpgpu_silicon_slowdown = {:.0f}x\n",
               ratio(device_.config().clocks.core, cycle_rate));
    fmt::print("gpu_total_sim_rate={:.0f}\n\n", instruction_rate);
}

void output::kernel_ended(const dispatch::finished_kernel& kernel) {
    ++kernels_;
    kernel_record r;
    r.subject = {kernel.facts.name, kernel.launch, kernel.facts.stream};
    r.launched_at = kernel.launched_at;
    r.start_cycle = kernel.start_cycle;
    r.end_cycle = kernel.end_cycle;
    r.ctas = kernel.facts.grid.volume();
    r.ctas_per_sm = kernel.ctas_per_sm;
    print(&r.subject, &r);
}

void output::run_ended(const std::string& ended) {
    const dispatch::running_kernel* oldest = nullptr;
    for (const auto& k : device_.commands().ctas().running())
        if (k && !k->finished() &&
            (oldest == nullptr || k->context.launch < oldest->context.launch))
            oldest = k.get();
    if (oldest != nullptr) {
        kernel_record r;
        r.subject = {oldest->facts.name, oldest->context.launch, oldest->stream};
        r.launched_at = oldest->launched_at;
        r.start_cycle = oldest->start_cycle;
        r.end_cycle = device_.core_cycles();
        r.ctas = oldest->ctas_completed;
        r.ctas_per_sm = oldest->context.ctas_per_sm;
        r.finished = false;
        print(&r.subject, &r);
    } else if (reported_cycles_ != device_.core_cycles()) {
        print(nullptr, nullptr);
    }
    if (ended.rfind("-gpgpu_max", 0) == 0)
        fmt::print("GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n");
    if (ended != "failed") fmt::print("GPGPU-Sim: *** exit detected ***\n");
    std::fflush(stdout);
    files_.write(device_, ended);
    if (!config_.quiet) summary();
    if (config_.profile_kernel) print_activity(device_.sequencer(), seconds());
}

void output::summary() const {
    line_.clear();
    const auto value = [&](const char* name) { return last_.value(name); };
    const auto hit_rate = [&](const std::string& cache) -> std::string {
        const double accesses = last_.value(cache + "_total_cache_accesses");
        if (accesses == 0) return "none";
        const double misses = last_.value(cache + "_total_cache_misses");
        return fmt::format("{:.1f} %", 100 * (1 - misses / accesses));
    };
    const platform::gpu_config& c = device_.config();
    const double cycles = value("gpu_tot_sim_cycle");
    const double bytes = (value("total dram reads") + value("total dram writes")) *
                         c.memory.partition.dram.atom_bytes();
    const double elapsed = seconds();
    fmt::print(stderr,
               "simtlm: {} {}, {:.0f} core cycles ({:.4g} us of GPU time), IPC {:.2f}\n"
               "        hit rate L1D {}, L2 {}; DRAM {:.1f} GB/s, {:.1f} % of its peak\n"
               "        {:.2f} s: {}core cycles/s, {}warp instructions/s\n",
               kernels_, kernels_ == 1 ? "kernel" : "kernels", cycles, cycles / c.clocks.core * 1e6,
               value("gpu_tot_ipc"), hit_rate("L1D"), hit_rate("L2"),
               ratio(bytes * c.clocks.core, cycles) / 1e9, 100 * value("dram_bw_util"), elapsed,
               short_number(cycles / elapsed),
               short_number(value("gpgpu_n_tot_w_icount") / elapsed));
}

void print_activity(const kernel::phase_sequencer& sequencer, double seconds) {
    const kernel::phase_sequencer::activity& a = sequencer.observed();
    const auto per_core_cycle = [&](std::uint64_t n) {
        return ratio(static_cast<double>(n), static_cast<double>(a.edges[protocol::core_clock]));
    };
    std::uint64_t activations = 0;
    for (const std::uint64_t n : a.activations) activations += n;
    fmt::print(stderr, "simulation kernel: {} core, {} network, {} L2, {} DRAM clock edges\n",
               a.edges[protocol::core_clock], a.edges[protocol::icnt_clock],
               a.edges[protocol::l2_clock], a.edges[protocol::dram_clock]);
    const auto line = [&](const char* name, std::uint64_t n) {
        fmt::print(stderr, "  {:<24} {:>14} {:>12.3f}\n", name, n, per_core_cycle(n));
    };
    fmt::print(stderr, "  {:<24} {:>14} {:>12}\n", "", "count", "a core cycle");
    line("steps", a.steps);
    line("deltas", a.deltas);
    line("activations", activations);
    for (unsigned p = 0; p < sequencer.phases(); ++p)
        line(sequencer.phase_name(p), a.activations[p]);
    fmt::print(stderr, "  {:.0f} ns an activation, {:.0f} ns a core cycle\n",
               ratio(seconds * 1e9, static_cast<double>(activations)),
               ratio(seconds * 1e9, static_cast<double>(a.edges[protocol::core_clock])));
}

}  // namespace simtlm
