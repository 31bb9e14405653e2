// SPDX-License-Identifier: Apache-2.0
// simtlm-diff: compares two runs by kernel and by statistic.
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "platform/study/comparison.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <string>
#include <vector>

namespace simtlm::tools {
namespace diff_tool {
namespace {

namespace po = boost::program_options;
namespace study = platform::study;

/// Exit codes as in diff(1).
enum code : int { equal = 0, differ = 1, trouble = 2 };

constexpr const char* usage = R"(usage: simtlm-diff [OPTIONS] A.json B.json

Compares two statistics files that simtlm --stats-json wrote: options of the GPU, cycles by kernel, and
every statistic that differs by more than its tolerance. Kernels are matched by list position and name.
Statistics are printed report_values (gpu_tot_ipc) and counters, named KIND.COUNTER[.CELL] (l1d.misses,
sm.stalls.global_load.bank_conflict).

Exit code: 0 if the runs are equal within the tolerances; 1 if they differ; 2 if a file cannot be read
or written, or if the command line is invalid.
)";

int act(int argc, char** argv) {
    std::vector<std::string> files, relative, absolute;
    study::comparison_options options;
    std::string format = "table", output;
    std::size_t top = 10;
    bool all = false, quiet = false;
    tool_options o("simtlm-diff", usage, files);
    // clang-format off
    o.add()
        ("threshold,t", po::value(&relative)->value_name("[GLOB=]X")->composing(),
         "relative tolerance X (0.02, 2%) of the larger value, for all statistics or those that "
         "match GLOB; may be repeated, the last match applies")
        ("absolute,a", po::value(&absolute)->value_name("[GLOB=]N")->composing(),
         "absolute tolerance N in the unit of the statistic")
        ("only", po::value(&options.only)->value_name("GLOB")->composing(),
         "compare only statistics that match GLOB; may be repeated")
        ("ignore", po::value(&options.ignore)->value_name("GLOB")->composing(),
         "ignore statistics that match GLOB; may be repeated")
        ("match-names", po::bool_switch(&options.match_names),
         "match kernels by name and occurrence instead of list position")
        ("top", po::value(&top)->value_name("N"), "table: number of differences to show per kernel (10)")
        ("all", po::bool_switch(&all), "table: show all differences, including those within their tolerance (~)")
        ("format", po::value(&format)->value_name("table|json"), "output format (table)")
        ("output,o", po::value(&output)->value_name("FILE"), "output file (stdout)")
        ("quiet,q", po::bool_switch(&quiet), "print nothing; only set the exit code");
    // clang-format on
    if (o.parse(argc, argv)) return equal;
    if (files.size() != 2) o.refuse("two statistics files are required");
    if (format != "table" && format != "json") o.refuse("--format is neither table nor json");
    for (const std::string& t : relative) options.tolerances.add_relative(t);
    for (const std::string& t : absolute) options.tolerances.add_absolute(t);
    support::file_table table;
    for (const std::string& f : files) table.add_input(f, "a statistics file");
    if (!output.empty()) table.add_output(output, "--output");
    const auto a = study::statistics_run::read(files[0]);
    const auto b = study::statistics_run::read(files[1]);
    const study::comparison c = study::compare(a, b, options);
    if (!quiet) {
        const std::string text = format == "json"
                                     ? study::comparison_json(a, b, c).dump(
                                           1, ' ', false, study::json::error_handler_t::replace) +
                                           "\n"
                                     : study::comparison_text(a, b, c, all ? 0 : top);
        if (output.empty()) {
            put_out(text);
        } else {
            support::output_file file(output);
            file.write(text);
            file.commit();
        }
    }
    return c.differ() ? differ : equal;
}

}  // namespace
}  // namespace diff_tool

int diff(int argc, char** argv) {
    return run_tool("simtlm-diff", argc, argv, diff_tool::act, diff_tool::trouble);
}

}  // namespace simtlm::tools
