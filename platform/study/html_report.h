// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"
#include "platform/study/time_series.h"

#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A run and what belongs to it.
struct reported_run {
    statistics_run statistics;
    std::string name;  ///< short, unlike those of the others
    std::optional<time_series> over_time;
};

/// What the page is made of: schema simtlm-report, version 1.
json report_data(const std::vector<reported_run>& runs, const std::vector<std::string>& sources);

/// One HTML page that needs nothing else. @param data  of report_data()
std::string html_page(const json& data);

/// Short names of files that tell them apart: the end of their path that differs, without suffix.
std::vector<std::string> short_names(const std::vector<std::string>& files);

}  // namespace simtlm::platform::study
