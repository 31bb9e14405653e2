// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/json_schema.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// The statistics of a finished run, read from its --stats-json file (docs/statistics-files.md).
class statistics_run {
public:
    /// @throws support::user_error  if the file cannot be read, is not a statistics file, has
    /// another
    ///         schema version, or a member of a wrong type
    static statistics_run read(const std::string& file);
    /// Uses a document in memory. @param file  name for error messages
    statistics_run(std::string file, json document);

    const std::string& file() const { return file_; }
    const json& document() const { return document_; }
    const json& total() const { return document_.at("total"); }
    const std::vector<json>& kernels() const {
        return document_.at("kernels").get_ref<const std::vector<json>&>();
    }
    /// Preset names separated by commas, or "no preset".
    std::string presets() const;
    /// Where a run began that resumed a checkpoint with another configuration, and with which
    /// options changed; empty for other runs.
    std::string resumed() const;
    /// "finished", or the reason why the run ended early.
    std::string ended() const;
    /// Core cycles of the whole run.
    double cycles() const;
    /// Effective value of an option; empty if it is not in the file.
    std::string option(const std::string& name) const;

private:
    void check() const;

    std::string file_;
    json document_;
};

/// A number of an object; 0 if there is none of this name.
double number_in(const json& object, const std::string& name);

/// Identifies a kernel across runs of the same list: its position in the list or, without a list,
/// its name and occurrence number.
struct kernel_key {
    std::uint64_t list_number = 0;  ///< from 1; 0: no list
    std::uint64_t kernel_id = 0;    ///< number assigned by the tracer
    std::uint64_t launch_uid = 0;
    std::string name;  ///< demangled where possible

    static kernel_key of(const json& kernel);
    /// "12 gemm": list number (or launch number) and name.
    std::string text() const;
};

/// Statistics of a kernel, or of the run, by name: printed values under their printed names,
/// counters as KIND.COUNTER or KIND.COUNTER.CELL, like the columns of --stats-csv.
std::map<std::string, double> statistics_of_kernel(const json& kernel);
std::map<std::string, double> statistics_of_total(const statistics_run& run);

/// Units by counter name without cell ("sm.idle"); counters without a unit are omitted.
std::map<std::string, std::string> units_of(const statistics_run& run);

/// Effective options and values that affect the simulated GPU or its workload; output files, host
/// threads and the like are omitted.
std::map<std::string, std::string> model_options(const statistics_run& run);

/// Glob matching: `*` matches any characters, `?` a single one.
bool glob_matches(const std::string& pattern, const std::string& name);

/// "1,234,567" for integers; other numbers with at least four significant digits.
std::string readable_number(double value);
/// "+3.1 %", "-12 %", "0 %", "new" (from zero).
std::string readable_change(double from, double to);
/// Shortens a text in its middle, where template names differ least.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace simtlm::platform::study
