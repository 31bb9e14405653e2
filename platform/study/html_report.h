// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/source_view.h"
#include "platform/study/statistics_run.h"
#include "platform/study/time_series.h"

#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A run and its inputs.
struct reported_run {
    statistics_run statistics;
    std::string name;  ///< short and unique
    std::optional<time_series> over_time;
};

/// The samples of a run (--interval-db, --interval-csv), which are looked for only next to its
/// statistics file: a statistics file of another author must not choose files of the reader. Empty
/// if there are none.
std::string samples_of(const statistics_run& run);

/// Reads a run. @param samples  a file of samples; empty: samples_of()
reported_run read_reported_run(const std::string& file, const std::string& name,
                               const std::string& samples);

/// Data of the page: schema simtlm-report, version 1.
json report_data(const std::vector<reported_run>& runs, const source_choice& sources);

/// What differs between the HTML pages of the tools.
struct page_parts {
    const char* title;
    const char* command;  ///< that prints the same as text
    const char* script;   ///< draws `data`
};

/// Makes a self-contained HTML page.
std::string self_contained_page(const page_parts& parts, const json& data);
/// The page of simtlm-report. @param data  from report_data()
std::string html_page(const json& data);

/// Short unique names for files: the differing end of their path, without extension.
std::vector<std::string> short_names(const std::vector<std::string>& files);

}  // namespace simtlm::platform::study
