// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive_fwd.h"
#include "platform/options/options.h"
#include "platform/outputs/configuration_difference.h"
#include "platform/outputs/provenance.h"
#include "platform/report/counter_sums.h"
#include "platform/report/report.h"
#include "platform/waveform/instruction_profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A kernel as recorded in the statistics files.
struct kernel_record {
    report_subject subject;
    std::uint64_t launched_at = 0;  ///< core cycle
    std::uint64_t start_cycle = 0;  ///< core cycle of its first CTA
    std::uint64_t end_cycle = 0;    ///< core cycle of its last CTA, or of the end of the run
    std::uint64_t ctas = 0;
    unsigned ctas_per_sm = 0;
    program::dim3 grid, block;
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t shared_memory = 0;  ///< bytes per CTA
    std::uint32_t barriers = 0;       ///< named barriers per CTA; 0: unknown
    std::int32_t carve_out = -1;      ///< preferred shared memory in percent; negative: none
    bool finished = true;
};

/// Writes --stats-json, --stats-csv and --stats-csv-long (docs/statistics-files.md). Collects one
/// row per report; the files get their names when write() succeeds.
class statistics_files {
public:
    /// @param options  must outlive this object, as must `device`
    /// @throws support::user_error  if one of the files cannot be written
    statistics_files(gpu& device, const option_values& options, provenance from);

    /// A report has been made. @param kernel  nullptr if it does not belong to a kernel
    /// @param instructions  profile of the kernel, if enabled
    void add(const report& report, const kernel_record* kernel,
             std::vector<instruction_profile::row> instructions);

    /// Replaces the input files of the run: some are known only when it has begun.
    void set_inputs(std::vector<provenance::file> inputs) { from_.inputs = std::move(inputs); }

    /// Collects rows even if no file is requested, because a checkpoint contains them.
    void keep_rows() { keeps_rows_ = true; }
    /// Saves or restores the rows so far.
    void checkpoint(support::archive& a);
    /// The run continues a checkpoint with another configuration, which the JSON file describes.
    void set_resumption(resumption r) { resumed_ = std::move(r); }

    /// @param ended  why the run has ended: "finished", ...
    /// @throws support::output_error  after the remaining files have been written
    void write(const std::string& ended);

private:
    struct row {
        kernel_record kernel;
        bool has_kernel = false;
        std::vector<double> values;  // by column; values missing at the end are not in that report
        std::vector<counter_sums::value> own;
        std::vector<instruction_profile::row> instructions;
    };
    bool wanted() const;
    std::string json_text(const std::string& ended) const;
    std::string csv_text() const;
    std::string long_csv_text() const;
    const double* value(const row& r, const std::string& name) const;
    std::vector<std::uint32_t> used_counters() const;
    std::set<std::string> sources() const;

    const run_config& config_;
    gpu& device_;
    const option_values& options_;
    provenance from_;
    std::optional<counter_sums> sums_;   // created on first use
    std::vector<report_value> columns_;  // only the names are used
    std::map<std::string, std::size_t> column_of_;
    std::vector<row> rows_;
    report last_;
    bool keeps_rows_ = false;
    std::optional<resumption> resumed_;
};

}  // namespace simtlm::platform
