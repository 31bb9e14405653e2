// SPDX-License-Identifier: Apache-2.0
// simtlm-merge: merges partial runs of one list of kernels into one statistics file.
#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "platform/study/merge.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace simtlm::tools {
namespace merge_tool {
namespace {

namespace po = boost::program_options;
namespace study = platform::study;

constexpr const char* usage = R"(usage: simtlm-merge --output WHOLE.json RUN.json...

Merges runs of different kernels of one command list (simtlm --kernels 5-7 --stats-json RUN.json) into
one statistics file. Kernels are identified by their position in the list, or by the tracer's number if
there is no list. Kernels in two runs (without --overlap), missing kernels between two others, and runs
of another list or of another GPU are rejected. Cycles are those of the runs one after the other; each
run began with cold caches and its own launch latency.

Exit code: 0 on success; 1 if the result cannot be written; 2 if a file or the command line is invalid.
)";

int act(int argc, char** argv) {
    std::vector<std::string> files;
    std::string output;
    study::merge_options options;
    tool_options o("simtlm-merge", usage, files);
    // clang-format off
    o.add()
        ("output,o", po::value(&output)->value_name("FILE"), "output file; required")
        ("allow-gaps", po::bool_switch(&options.allow_gaps), "allow missing kernels between the first and the last")
        ("allow-options", po::bool_switch(&options.allow_options),
         "allow different options of the GPU; the result has those of the first run")
        ("overlap", po::bool_switch(&options.overlap),
         "allow kernels in several runs: each is taken from the run that begins earliest, and "
         "serves as warm-up in the others");
    // clang-format on
    if (o.parse(argc, argv)) return success;
    if (files.empty()) o.refuse("no files to merge are given");
    if (output.empty()) o.refuse("no --output");
    std::vector<study::statistics_run> runs;
    support::file_table table;
    for (const std::string& f : files) table.add_input(f, "a statistics file");
    table.add_output(output, "--output");
    for (const std::string& f : files) runs.push_back(study::statistics_run::read(f));
    support::output_file file(output);
    try {
        const study::json merged = study::merge(runs, options);
        file.write(merged.dump(1, ' ', false, study::json::error_handler_t::replace) + "\n");
        file.commit();
        put_out(fmt::format(
            "{}: {} kernels of {} runs, {} core cycles\n", output, merged["kernels"].size(),
            runs.size(),
            study::readable_number(study::number_in(merged["total"], "gpu_tot_sim_cycle"))));
    } catch (const support::user_error&) {
        file.discard();
        throw;
    }
    return success;
}

}  // namespace
}  // namespace merge_tool

int merge(int argc, char** argv) {
    return run_tool("simtlm-merge", argc, argv, merge_tool::act);
}

}  // namespace simtlm::tools
