// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"
#include "platform/report/counter_sums.h"
#include "platform/report/report.h"
#include "platform/waveform/instruction_profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A kernel in the files of statistics.
struct kernel_record {
    report_subject subject;
    std::uint64_t launched_at = 0;  ///< core cycle
    std::uint64_t start_cycle = 0;  ///< of its first CTA
    std::uint64_t end_cycle = 0;    ///< of its last CTA, or of the end of the run
    std::uint64_t ctas = 0;
    unsigned ctas_per_sm = 0;
    program::dim3 grid, block;
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t shared_memory = 0;  ///< bytes per CTA
    bool finished = true;
};

/// What --stats-json, --stats-csv and --stats-csv-long write (docs/statistics-files.md). Collects a
/// row per report; the files appear whole, under their names, when write() has succeeded.
class statistics_files {
public:
    /// @param options  as long as this object, as @p device
    /// @throws kernel::user_error when one of the files cannot be written
    statistics_files(gpu& device, const option_values& options, provenance from);

    /// A report has been made. @param kernel  nullptr: of no kernel
    /// @param instructions  of the kernel, where they are profiled
    void add(const report& report, const kernel_record* kernel,
             std::vector<instruction_profile::row> instructions);

    /// Rows are collected whether or not a file is asked for: a checkpoint has them.
    void keep_rows() { keeps_rows_ = true; }
    /// The rows so far.
    void checkpoint(kernel::archive& a);

    /// @param ended  why the run has ended: "finished", ...
    /// @throws kernel::output_error, after the other files
    void write(const std::string& ended);

private:
    struct row {
        kernel_record kernel;
        bool has_kernel = false;
        std::vector<double> values;  // by column; missing at the end: not in that report
        std::vector<counter_sums::value> own;
        std::vector<instruction_profile::row> instructions;
    };
    bool wanted() const;
    std::string json_text(const std::string& ended) const;
    std::string csv_text() const;
    std::string long_csv_text() const;
    const double* value(const row& r, const std::string& name) const;
    std::vector<std::uint32_t> used_counters() const;

    const run_config& config_;
    gpu& device_;
    const option_values& options_;
    provenance from_;
    std::optional<counter_sums> sums_;  // made when it is first needed
    std::vector<figure> columns_;       // names; values unused
    std::map<std::string, std::size_t> column_of_;
    std::vector<row> rows_;
    report last_;
    bool keeps_rows_ = false;
};

}  // namespace simtlm::platform
