// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"
#include "platform/report/report.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm {

/// A kernel in the files of statistics.
struct kernel_record {
    platform::report_subject subject;
    std::uint64_t launched_at = 0;  ///< core cycle
    std::uint64_t start_cycle = 0;  ///< of its first CTA
    std::uint64_t end_cycle = 0;    ///< of its last CTA, or of the end of the run
    std::uint64_t ctas = 0;
    unsigned ctas_per_sm = 0;
    bool finished = true;
};

/// What --stats-json and --stats-csv write. Collects a row of figures per report; the files appear
/// whole, under their names, when write() has succeeded.
class statistics_files {
public:
    /// @throws kernel::user_error when one of the files cannot be written
    statistics_files(const platform::option_values& options, std::string json, std::string csv);

    /// A report has been made. @param kernel  nullptr: of no kernel
    void add(const platform::report& report, const kernel_record* kernel);

    /// @param ended  why the run has ended: "finished", ...
    /// @throws kernel::output_error, after the other file
    void write(platform::gpu& device, const std::string& ended);

private:
    struct row {
        kernel_record kernel;
        bool has_kernel = false;
        std::vector<double> values;  // by column; missing at the end: not in that report
    };
    void write_json(platform::gpu& device, const std::string& ended) const;
    void write_csv() const;
    const double* value(const row& r, const std::string& name) const;

    const platform::option_values& options_;
    std::string json_, csv_;
    std::vector<platform::figure> columns_;  // names; values unused
    std::map<std::string, std::size_t> column_of_;
    std::vector<row> rows_;
    platform::report last_;
};

}  // namespace simtlm
