// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/output_check.h"

#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "platform/outputs/checkpoint.h"
#include "platform/outputs/gpu_files.h"
#include "platform/waveform/waveform.h"

#include <unistd.h>

#include <string>

namespace simtlm::platform {

std::vector<named_output> outputs_of(const option_values& values, const gpu_config& config,
                                     run_kind kind, unsigned gpus) {
    std::vector<named_output> all;
    const auto add = [&](const std::string& file, const char* option, bool is_beside = false) {
        if (!file.empty() && (find_option(option)->runs & kind) != 0)
            all.push_back(
                {file, option, find_option(option)->files == file_use::output_folder, is_beside});
    };
    for (unsigned i = 0; i < gpus; ++i) {
        run_config run = config.run;
        if (gpus > 1) number_files(run, i);
        add(run.stats_json, "--stats-json");
        add(run.stats_csv, "--stats-csv");
        add(run.stats_csv_long, "--stats-csv-long");
        add(run.vcd, "--vcd");
        for (const std::string& f : waveform_side_files(run.vcd)) add(f, "--vcd", true);
        add(run.timeline, "--timeline");
        add(run.interval.csv, "--interval-csv");
        add(run.interval.database, "--interval-db");
        add(run.line_stats, "-ptx_line_stats_filename");
        add(run.visualizer.file, "-visualizer_outputfile");
        add(run.power.report, "--power-report");
        add(run.power.trace, "-power_trace_enabled");
        add(run.power.metrics, "-power_trace_enabled");
        add(run.power.steady_states, "-steady_power_levels_enabled");
    }
    add(checkpoint_options::of(values).write, "--checkpoint");
    add(values.text("--record-trace"), "--record-trace");
    add(values.text("--sample-json"), "--sample-json");
    if (values.flag("-gpgpu_ptx_inst_debug_to_file"))
        add(values.text("-gpgpu_ptx_inst_debug_file"), "-gpgpu_ptx_inst_debug_file");
    const std::string& reports = values.text("--stats-file");
    add(reports.empty() ? default_reports_file : reports, "--stats-file");
    return all;
}

void check_outputs(const option_values& values, const gpu_config& config,
                   const std::vector<provenance::file>& work,
                   const std::vector<named_output>& outputs) {
    support::file_table files;
    for (const provenance::file& f : work) files.add_input(f.path, "an input (" + f.role + ")");
    for (const option_info& o : option_table()) {
        if (o.files == file_use::none || !values.given(o.name)) continue;
        const bool is_output = o.files != file_use::input;
        if (is_output && values.text(o.name).empty())
            values.fail(o.name, "an empty name", "name a file, or omit the option");
        if (is_output) continue;
        for (const option_value& v : values.all(o.name))
            files.add_input(v.text, "the file of " + o.name);
    }
    for (const std::string& f : values.files()) files.add_input(f, "a configuration file");
    for (const std::string& f : config.traces.opcode_tables) files.add_input(f, "an opcode file");
    files.add_input(checkpoint_options::of(values).resume, "the file of --resume");
    files.add_stream(STDOUT_FILENO, "standard output");
    files.add_stream(STDERR_FILENO, "standard error");
    for (const named_output& o : outputs)
        o.is_folder ? files.add_output_folder(o.file, o.option)
                    : files.add_output(o.file, o.option);
}

}  // namespace simtlm::platform
