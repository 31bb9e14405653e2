// SPDX-License-Identifier: Apache-2.0
// simtlm-diff: compares two runs, or a run with a profile, by kernel and by statistic.
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "platform/study/comparison.h"
#include "platform/study/profile/comparison_input.h"
#include "platform/study/profile/profile_comparison.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace simtlm::tools {
namespace diff_tool {
namespace {

namespace po = boost::program_options;
namespace study = platform::study;

/// Exit codes as in diff(1).
enum code : int { equal = 0, differ = 1, trouble = 2 };

constexpr const char* usage = R"(usage: simtlm-diff [OPTIONS] A.json B.json
       simtlm-diff [OPTIONS] PROFILE RUN.json

Compares two statistics files that simtlm --stats-json wrote: options of the GPU, cycles by kernel, and
every statistic that differs by more than its tolerance. Kernels are matched by list position and name.
Statistics are printed values (gpu_tot_ipc) and counters, named KIND.COUNTER[.CELL] (l1d.misses,
sm.stalls.global_load.bank_conflict).

With a profile of Nsight Compute or Nsight Systems (CSV, or SQLite of nsys export), compares its kernels and
metrics with those of the run; kernels are matched by name, and tolerances apply to metrics of the profile.

Exit code: 0 if the runs are equal within the tolerances; 1 if they differ; 2 if a file cannot be read
or written, or if the command line is invalid.
)";

/// What the command line requests.
struct request {
    study::profile_comparison_options options;
    std::string format = "table", output;
    std::size_t top = 10;
    bool all = false, quiet = false;

    std::size_t most() const { return all ? 0 : top; }
};

void write(const request& r, const std::string& text) {
    if (r.quiet) return;
    if (r.output.empty()) return put_out(text);
    support::output_file file(r.output);
    file.write(text);
    file.commit();
}

std::string dumped(const study::json& document) {
    return document.dump(1, ' ', false, study::json::error_handler_t::replace) + "\n";
}

int compare_runs(const request& r, const study::statistics_run& a, const study::statistics_run& b) {
    const study::comparison c = study::compare(a, b, r.options.common);
    write(r, r.format == "json" ? dumped(study::comparison_json(a, b, c))
                                : study::comparison_text(a, b, c, r.most()));
    return c.differ() ? differ : equal;
}

int compare_profile(const request& r, const study::kernel_profile& profile,
                    const study::statistics_run& run) {
    const study::profile_comparison c = study::compare_profile(profile, run, r.options);
    write(r, r.format == "json"   ? dumped(study::profile_comparison_json(run, c))
             : r.format == "html" ? study::profile_comparison_page(run, c)
                                  : study::profile_comparison_text(run, c, r.most()));
    return c.differ() ? differ : equal;
}

int act(int argc, char** argv) {
    std::vector<std::string> files, relative, absolute;
    request r;
    double megahertz = 0;
    bool without_latency = false, help_metrics = false;
    tool_options o("simtlm-diff", usage, files);
    // clang-format off
    o.add()
        ("threshold,t", po::value(&relative)->value_name("[GLOB=]X")->composing(),
         "relative tolerance X (0.02, 2%) of the larger value, for all statistics or those that "
         "match GLOB; may be repeated, the last match applies")
        ("absolute,a", po::value(&absolute)->value_name("[GLOB=]N")->composing(),
         "absolute tolerance N in the unit of the statistic")
        ("only", po::value(&r.options.common.only)->value_name("GLOB")->composing(),
         "compare only statistics that match GLOB; may be repeated")
        ("ignore", po::value(&r.options.common.ignore)->value_name("GLOB")->composing(),
         "ignore statistics that match GLOB; may be repeated")
        ("match-names", po::bool_switch(&r.options.common.match_names),
         "match kernels by name and occurrence instead of list position")
        ("launches", po::bool_switch(&r.options.each_launch),
         "profile: compare each launch, in order, instead of the mean of the launches of a kernel")
        ("clock", po::value(&megahertz)->value_name("MHZ"),
         "profile: SM clock of the measurement (that in the profile, or else that of the run)")
        ("without-launch-latency", po::bool_switch(&without_latency),
         "profile: count simulated cycles from the first to the last thread block")
        ("top", po::value(&r.top)->value_name("N"), "table: number of differences to show per kernel (10)")
        ("all", po::bool_switch(&r.all), "table: show all differences, including those within their tolerance (~)")
        ("format", po::value(&r.format)->value_name("table|json|html"),
         "output format (table); html: a page, only for profiles")
        ("output,o", po::value(&r.output)->value_name("FILE"), "output file (stdout)")
        ("quiet,q", po::bool_switch(&r.quiet), "print nothing; only set the exit code")
        ("help-metrics", po::bool_switch(&help_metrics),
         "print the metrics of profiles that are compared, in Markdown");
    // clang-format on
    if (o.parse(argc, argv)) return equal;
    if (help_metrics) {
        end_quietly_on_closed_pipe();
        put_out(study::profile_metrics_page());
        return equal;
    }
    if (files.size() != 2) o.refuse("two files are required");
    if (r.format != "table" && r.format != "json" && r.format != "html")
        o.refuse("--format is neither table, json nor html");
    if (o.given("clock") && !(megahertz > 0 && megahertz < 1e6))
        o.refuse("--clock is not a frequency in MHz");
    r.options.clock = megahertz * 1e6;
    r.options.launch_latency = !without_latency;
    for (const std::string& t : relative) r.options.common.tolerances.add_relative(t);
    for (const std::string& t : absolute) r.options.common.tolerances.add_absolute(t);
    support::file_table table;
    for (const std::string& f : files) table.add_input(f, "a file to compare");
    if (!r.output.empty()) table.add_output(r.output, "--output");
    const auto a = study::read_comparison_input(files[0]);
    const auto b = study::read_comparison_input(files[1]);
    const auto* const run_a = std::get_if<study::statistics_run>(&a);
    const auto* const run_b = std::get_if<study::statistics_run>(&b);
    if (run_a == nullptr && run_b == nullptr)
        o.refuse("neither file is a statistics file of a run (simtlm --stats-json)");
    if (run_a != nullptr && run_b != nullptr) {
        if (r.options.each_launch || r.options.clock > 0 || without_latency || r.format == "html")
            o.refuse(
                "--launches, --clock, --without-launch-latency and --format html require a "
                "profile");
        return compare_runs(r, *run_a, *run_b);
    }
    return run_a == nullptr ? compare_profile(r, std::get<study::kernel_profile>(a), *run_b)
                            : compare_profile(r, std::get<study::kernel_profile>(b), *run_a);
}

}  // namespace
}  // namespace diff_tool

int diff(int argc, char** argv) {
    return run_tool("simtlm-diff", argc, argv, diff_tool::act, diff_tool::trouble);
}

}  // namespace simtlm::tools
