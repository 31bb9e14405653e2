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
    r.no_sleep = v.flag("--no-sleep");
    const std::string& processes = v.text("--processes");
    if (processes != "fast" && processes != "block")
        v.fail("--processes", "is none of fast, block", "");
    r.threads_only = processes == "block";
    if (v.given("--shuffle-seed")) r.shuffle_seed = v.natural("--shuffle-seed");
    r.profile_kernel = v.flag("--profile-kernel");
    r.quiet = v.flag("--quiet");
    const std::string& progress = v.text("--progress");
    if (progress == "auto")
        r.progress = progress_mode::automatic;
    else if (progress == "on")
        r.progress = progress_mode::on;
    else if (progress == "off")
        r.progress = progress_mode::off;
    else
        v.fail("--progress", "is none of auto, on, off", "");
    r.progress_period = v.number("-liveness_message_freq");
}

}  // namespace simtlm::platform
