// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace simtlm::platform {

namespace {

cycle_window read_window(const option_values& v, std::string_view option) {
    return read(v, option, parse_window);
}

/// Published configurations enable the profile unconditionally; it is collected only if an output
/// uses it.
void read_profile(const option_values& v, run_config& r) {
    constexpr std::string_view file = "-ptx_line_stats_filename";
    if (!v.flag("-enable_ptx_file_line_stats")) return;
    if (v.given(file) || v.flag("-visualizer_enabled")) r.line_stats = v.text(file);
    r.profile_instructions =
        !r.line_stats.empty() || !r.stats_json.empty() || !r.stats_csv_long.empty();
}

void read_visualizer(const option_values& v, visualizer_config& c, unsigned sms) {
    constexpr std::string_view sampling = "-gpgpu_runtime_stat";
    const std::string& text = v.text(sampling);
    const auto interval = parse_integer(text.substr(0, text.find(':')));
    if (!interval || *interval < 1 || *interval > 0xffffffffLL)
        v.fail(sampling, "is not an interval",
               "CYCLES or CYCLES:FLAGS, of at least one core cycle");
    c.interval = static_cast<std::uint64_t>(*interval);
    c.pc_interval = v.number("-gpgpu_cflog_interval");
    c.level = v.number("-visualizer_zlevel", 0, 9);
    constexpr std::string_view shown = "-gpgpu_warpdistro_shader";
    if (v.integer(shown) < -1 || v.integer(shown) >= static_cast<std::int64_t>(sms))
        v.fail(shown, fmt::format("the GPU has {} SMs", sms), "0 is the first, -1 all together");
    c.warp_distribution_sm = static_cast<int>(v.integer(shown));
    if (!v.flag("-visualizer_enabled")) return;
    c.file = v.text("-visualizer_outputfile");
    if (c.file.empty() || c.file == "NULL") c.file = "gpgpusim_visualizer.log.gz";
}

void read_interval(const option_values& v, interval_config& c) {
    c.csv = v.text("--interval-csv");
    c.database = v.text("--interval-db");
    c.cycles = v.number("--interval", 1);
    for (const std::string& glob : split(v.text("--interval-counters"), ','))
        if (!glob.empty()) c.counters.push_back(glob);
    for (const std::string& glob : split(v.text("--interval-scope"), ','))
        if (!glob.empty()) c.scope.push_back(glob);
}

}  // namespace

void read_run(const option_values& v, run_config& r, unsigned sms) {
    r.trace = v.text("-trace");
    std::error_code ignored;
    if (!r.trace.empty() && std::filesystem::is_directory(r.trace, ignored))
        r.trace = (std::filesystem::path(r.trace) / "kernelslist.g").string();
    r.stats_json = v.text("--stats-json");
    r.stats_csv = v.text("--stats-csv");
    r.stats_csv_long = v.text("--stats-csv-long");
    const std::string& form = v.text("--stats");
    if (form != "full" && form != "compact") v.fail("--stats", "is neither full nor compact", "");
    r.compact_reports = form == "compact";
    r.warp_issue_sm = v.number("-gpgpu_warp_issue_shader");
    if (r.warp_issue_sm >= sms)
        v.fail("-gpgpu_warp_issue_shader", fmt::format("the GPU has {} SMs", sms),
               "0 is the first");
    r.vcd = v.text("--vcd");
    for (const std::string& glob : split(v.text("--vcd-scope"), ','))
        if (!glob.empty()) r.vcd_scope.push_back(glob);
    r.vcd_window = read_window(v, "--vcd-window");
    r.timeline = v.text("--timeline");
    r.timeline_window = read_window(v, "--timeline-window");
    r.timeline_sample = v.number("--timeline-sample", 1);
    r.print_memory_latencies = v.integer("-gpgpu_memlatency_stat") != 0;
    read_visualizer(v, r.visualizer, sms);
    read_interval(v, r.interval);
    read_profile(v, r);
    r.no_sleep = v.flag("--no-sleep");
    const std::string& processes = v.text("--processes");
    if (processes != "module" && processes != "block")
        v.fail("--processes", "is neither module nor block", "");
    r.block_processes = processes == "block";
    constexpr unsigned max_block_threads = 256;
    r.threads = v.number("--threads", 1, max_block_threads);
    r.sms_a_thread = v.number("--sms-a-thread", 0);
    if (r.threads > 1 && r.block_processes)
        v.fail("--threads", "with --processes block SystemC starts all processes, on one thread",
               "use --processes module");
    if (v.given("--shuffle-seed")) r.shuffle_seed = v.natural("--shuffle-seed");
    r.profile_kernel = v.flag("--profile-kernel");
    r.quiet = v.flag("--quiet");
    r.summary = v.flag("--summary");
    const std::string& progress = v.text("--progress");
    if (progress == "auto")
        r.progress = progress_mode::automatic;
    else if (progress == "on")
        r.progress = progress_mode::on;
    else if (progress == "off")
        r.progress = progress_mode::off;
    else
        v.fail("--progress", "is not one of auto, on, off", "");
    r.progress_period = v.number("-liveness_message_freq");
}

}  // namespace simtlm::platform
