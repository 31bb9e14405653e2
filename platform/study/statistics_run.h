// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

using json = nlohmann::ordered_json;

/// What a finished run has written with --stats-json (docs/statistics-files.md).
class statistics_run {
public:
    /// @throws kernel::user_error  the file cannot be read, is no such file, or is of another
    /// version of the schema
    static statistics_run read(const std::string& file);
    /// Takes a document that is in memory. @param file  for messages
    statistics_run(std::string file, json document);

    const std::string& file() const { return file_; }
    const json& document() const { return document_; }
    const json& total() const { return document_.at("total"); }
    const std::vector<json>& kernels() const {
        return document_.at("kernels").get_ref<const std::vector<json>&>();
    }
    /// Names of the presets with commas between them, or "no preset".
    std::string presets() const;
    /// "finished", or why the run ended early.
    std::string ended() const;
    /// Core cycles of the whole run.
    double cycles() const;
    /// The value of an option in force; empty: not in the file.
    std::string option(const std::string& name) const;

private:
    void check() const;

    std::string file_;
    json document_;
};

/// What tells a kernel of a list apart in every run of that list: its place in the list where there
/// is one, else its name and how many of that name came before.
struct kernel_key {
    std::uint64_t list_number = 0;  ///< from 1; 0: no list
    std::uint64_t kernel_id = 0;    ///< the tracer's number
    std::uint64_t launch_uid = 0;
    std::string name;  ///< demangled where possible

    static kernel_key of(const json& kernel);
    /// "12 gemm": the list number (or launch) and the name.
    std::string text() const;
};

/// Statistics of a kernel, or of the run, by name: printed figures under their printed names,
/// counters as KIND.COUNTER or KIND.COUNTER.CELL, as the columns of --stats-csv.
std::map<std::string, double> statistics_of_kernel(const json& kernel);
std::map<std::string, double> statistics_of_total(const statistics_run& run);

/// Units by name of a counter, without its cell ("sm.idle"); empty where there is none.
std::map<std::string, std::string> units_of(const statistics_run& run);

/// An option in force and its value, of those that belong to the simulated GPU or to what it runs:
/// files that are written, host threads and the like are left out.
std::map<std::string, std::string> model_options(const statistics_run& run);

/// `*` stands for any characters, `?` for one; everything else for itself.
bool glob_matches(const std::string& pattern, const std::string& name);

/// "1,234,567" for whole numbers, four significant digits or more for others.
std::string readable_number(double value);
/// "+3.1 %", "-12 %", "0 %", "new" (from zero).
std::string readable_change(double from, double to);

}  // namespace simtlm::platform::study
