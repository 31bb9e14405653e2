// SPDX-License-Identifier: Apache-2.0
// simtlm-report: writes an HTML page that shows what runs did and what limited their performance.
#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "platform/outputs/provenance.h"
#include "platform/study/html_report.h"
#include "platform/study/kernel_analysis.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::tools {
namespace report_tool {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
namespace study = platform::study;

constexpr const char* usage = R"(usage: simtlm-report [OPTIONS] --output PAGE.html RUN.json...
       simtlm-report --summary [KERNEL] RUN.json...

Creates a self-contained HTML page from statistics files that simtlm --stats-json wrote. For each kernel,
it shows the reasons for its duration, ordered by the estimated speed-up without each; its hottest
instructions, if the run recorded them; and statistics over time, if the run had --interval. Several
runs are shown side by side. --summary prints 30 lines of text for each run instead, or, with the number
or a part of the name of a kernel, everything about that kernel.

Exit code: 0 on success; 1 if the page cannot be written; 2 if a file or the command line is invalid.
)";

int act(int argc, char** argv) {
    std::vector<std::string> files, sources, samples, names;
    std::string output, format = "html", kernel;
    tool_options o("simtlm-report", usage, files);
    // clang-format off
    o.add()
        ("output,o", po::value(&output)->value_name("FILE"), "output file for the page; required")
        ("summary", po::value(&kernel)->value_name("[KERNEL]")->implicit_value(""),
         "print 30 lines of text for each run instead, or all reasons of one kernel")
        ("samples", po::value(&samples)->value_name("FILE")->composing(),
         "file written by --interval-db or --interval-csv, one for each run in the same order "
         "(default: the file of that name next to the statistics file)")
        ("source", po::value(&sources)->value_name("PATH")->composing(),
         "CUDA or PTX source file, or a folder, for the instruction view; may be repeated")
        ("name", po::value(&names)->value_name("NAME")->composing(),
         "short name of a run, one for each run in the same order (default: the file name)")
        ("format", po::value(&format)->value_name("html|json"),
         "output format; json: the data of the page (html)");
    // clang-format on
    if (o.parse(argc, argv)) return success;
    const bool summary = o.given("summary");
    // The word after --summary may be a file.
    if (std::error_code none; !kernel.empty() && fs::exists(kernel, none)) {
        files.insert(files.begin(), kernel);
        kernel.clear();
    }
    if (files.empty()) o.refuse("no statistics file is given");
    if (format != "html" && format != "json") o.refuse("--format is neither html nor json");
    if (summary) {
        if (!output.empty()) o.refuse("--summary goes to stdout, --output names a page");
        end_quietly_on_closed_pipe();
        std::string text;
        for (const std::string& f : files) {
            const auto run = study::statistics_run::read(f);
            text += (text.empty() ? "" : "\n") +
                    (kernel.empty() ? study::summary_text(run) : study::kernel_text(run, kernel));
        }
        put_out(text);
        return success;
    }
    if (output.empty()) o.refuse("no --output");
    if (!samples.empty() && samples.size() != files.size())
        o.refuse("--samples is not given once for each run");
    if (!names.empty() && names.size() != files.size())
        o.refuse("--name is not given once for each run");
    if (names.empty()) names = study::short_names(files);
    for (const std::string& s : sources)
        if (std::error_code error; !fs::exists(s, error))
            throw support::user_error(s, "does not exist", "name a source file or a folder");
    std::vector<study::reported_run> runs;
    support::file_table table;
    for (std::size_t i = 0; i < files.size(); ++i) {
        table.add_input(files[i], "a statistics file");
        runs.push_back(study::read_reported_run(files[i], names[i],
                                                samples.empty() ? std::string() : samples[i]));
        table.add_input(samples.empty() ? study::samples_of(runs[i].statistics) : samples[i],
                        "a file of samples");
    }
    for (const std::string& s : sources) table.add_input(s, "a source");
    table.add_output(output, "--output");
    const study::json data = study::report_data(
        runs, {sources, [](const std::string& f) { return platform::checksum_of(f).xxh128; }});
    support::output_file file(output);
    file.write(format == "json"
                   ? data.dump(1, ' ', false, study::json::error_handler_t::replace) + "\n"
                   : study::html_page(data));
    file.commit();
    return success;
}

}  // namespace
}  // namespace report_tool

int report(int argc, char** argv) {
    return run_tool("simtlm-report", argc, argv, report_tool::act);
}

}  // namespace simtlm::tools
