// SPDX-License-Identifier: Apache-2.0
// simtlm-diff: what changed between two runs, by kernel and by statistic.
#include "modules/kernel/output_file.h"
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

/// As those of diff(1).
enum code : int { equal = 0, differ = 1, trouble = 2 };

constexpr const char* usage = R"(usage: simtlm-diff [OPTIONS] A.json B.json

Tells what changed from run A to run B, two files that simtlm --stats-json has written: options of
the GPU, cycles by kernel, and every statistic that differs by more than its tolerance. Kernels are
matched by their place in the list and name. Statistics are printed figures (gpu_tot_ipc) and
counters as KIND.COUNTER[.CELL] (l1d.misses, sm.stalls.global_load.bank_conflict).

Exit code: 0, equal within the tolerances; 1, something differs; 2, something cannot be read or
written, or the command line is at fault.
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
         "statistics (that fit GLOB) may differ by X (0.02, 2%) of the greater value; may be "
         "repeated, the last one that fits counts")
        ("absolute,a", po::value(&absolute)->value_name("[GLOB=]N")->composing(),
         "... or by N in their unit")
        ("only", po::value(&options.only)->value_name("GLOB")->composing(),
         "compare only these statistics; may be repeated")
        ("ignore", po::value(&options.ignore)->value_name("GLOB")->composing(),
         "leave out these statistics; may be repeated")
        ("match-names", po::bool_switch(&options.match_names),
         "match kernels by name and occurrence, not by place in the list")
        ("top", po::value(&top)->value_name("N"), "table: differences shown of each kernel (10)")
        ("all", po::bool_switch(&all), "table: show all, also those within their tolerance (~)")
        ("format", po::value(&format)->value_name("table|json"), "for people or programs (table)")
        ("output,o", po::value(&output)->value_name("FILE"), "where to write it (stdout)")
        ("quiet,q", po::bool_switch(&quiet), "write nothing; the exit code tells");
    // clang-format on
    if (o.parse(argc, argv)) return equal;
    if (files.size() != 2) o.refuse("two files of statistics are wanted");
    if (format != "table" && format != "json") o.refuse("--format is neither table nor json");
    for (const std::string& t : relative) options.tolerances.add_relative(t);
    for (const std::string& t : absolute) options.tolerances.add_absolute(t);
    const auto a = study::statistics_run::read(files[0]);
    const auto b = study::statistics_run::read(files[1]);
    const study::comparison c = study::compare(a, b, options);
    if (!quiet) {
        const std::string text = format == "json" ? study::comparison_json(a, b, c).dump(1) + "\n"
                                                  : study::comparison_text(a, b, c, all ? 0 : top);
        if (output.empty()) {
            put_out(text);
        } else {
            kernel::output_file file(output);
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
