// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/output_check.h"

#include "modules/kernel/output_target.h"
#include "platform/outputs/gpu_files.h"
#include "platform/waveform/waveform.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>

namespace simtlm::platform {

namespace {

/// Options that name an output file.
constexpr const char* output_options[] = {
    "--stats-json",   "--stats-csv",   "--stats-csv-long",           "--vcd",
    "--timeline",     "--stats-file",  "-ptx_line_stats_filename",   "-visualizer_outputfile",
    "--interval-csv", "--interval-db", "-gpgpu_ptx_inst_debug_file", "--record-trace",
    "--checkpoint"};

/// Roles of files by identity, so that two names of one file are recognised.
class file_roles {
public:
    void add_input(const std::string& file, const std::string& role) {
        struct stat status {};
        if (!file.empty() && ::stat(file.c_str(), &status) == 0) add(status, role);
    }
    void add_stream(int descriptor, const std::string& role) {
        struct stat status {};
        if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) add(status, role);
    }

    /// @throws kernel::user_error  if the file already has another role
    void add_output(const std::string& file, const std::string& option) {
        const kernel::output_target target(file);
        target.check();
        const std::string role = "the output of " + option;
        struct stat status {};
        if (::stat(target.path().c_str(), &status) != 0) {
            const auto [other, fresh] = by_path_.emplace(target.path(), role);
            if (!fresh) refuse(file, option, other->second);
            return;
        }
        // Special files are not replaced, and an output may share a standard stream of this
        // process.
        if (S_ISCHR(status.st_mode) || (target.in_place() && S_ISREG(status.st_mode))) return;
        const auto known = by_identity_.find({status.st_dev, status.st_ino});
        if (known != by_identity_.end()) refuse(file, option, known->second);
        add(status, role);
    }

private:
    void add(const struct stat& status, const std::string& role) {
        by_identity_.emplace(std::pair(status.st_dev, status.st_ino), role);
    }
    [[noreturn]] static void refuse(const std::string& file, const std::string& option,
                                    const std::string& role) {
        throw kernel::user_error(option, file + " is " + role + " too", "name another file");
    }

    std::map<std::pair<dev_t, ino_t>, std::string> by_identity_;
    std::map<std::string, std::string> by_path_;
};

}  // namespace

std::vector<named_output> outputs_of(const gpu_config& config, unsigned gpus) {
    std::vector<named_output> all;
    const auto add = [&all](const std::string& file, const char* option) {
        if (!file.empty()) all.push_back({file, option});
    };
    for (unsigned i = 0; i < gpus; ++i) {
        run_config run = config.run;
        if (gpus > 1) number_files(run, i);
        add(run.stats_json, "--stats-json");
        add(run.stats_csv, "--stats-csv");
        add(run.stats_csv_long, "--stats-csv-long");
        add(run.vcd, "--vcd");
        for (const std::string& f : waveform_side_files(run.vcd)) add(f, "--vcd");
        add(run.timeline, "--timeline");
        add(run.interval.csv, "--interval-csv");
        add(run.interval.database, "--interval-db");
        add(run.line_stats, "-ptx_line_stats_filename");
        add(run.visualizer.file, "-visualizer_outputfile");
    }
    return all;
}

void check_outputs(const option_values& values, const gpu_config& config,
                   const std::vector<provenance::file>& work,
                   const std::vector<named_output>& outputs) {
    for (const char* option : output_options)
        if (values.given(option) && values.text(option).empty())
            values.fail(option, "an empty name", "name a file, or omit the option");
    file_roles files;
    for (const std::string& f : values.files()) files.add_input(f, "a configuration file");
    for (const std::string& f : config.traces.opcode_tables) files.add_input(f, "an opcode file");
    if (values.given("-inter_config_file"))
        files.add_input(values.text("-inter_config_file"), "the network's configuration file");
    for (const provenance::file& f : work) files.add_input(f.path, "an input (" + f.role + ")");
    files.add_stream(STDOUT_FILENO, "standard output");
    files.add_stream(STDERR_FILENO, "standard error");
    for (const named_output& o : outputs) files.add_output(o.file, o.option);
}

}  // namespace simtlm::platform
