// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/profile/metric_expression.h"

#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// What simtlm has for metrics of Nsight Compute: a row of docs/profiles.md.
struct profile_metric {
    enum class kind {
        counter,  ///< a count over the GPU: the names lack .sum, .avg and so on
        total,    ///< of a launch; those of several launches add up
        value     ///< a ratio, rate or property
    };
    kind what;
    const char* names;  ///< one or more, separated by spaces; with a '+', a sum of metrics
    const char* unit;
    const char* simulated;  ///< metric_expression over kernel_statistics
    const char* note;       ///< how the definitions differ; with "~" at the begin: noticeably
};

/// A constant array.
template <typename T>
struct table_view {
    const T* first;
    const T* last;
    const T* begin() const { return first; }
    const T* end() const { return last; }
};

struct metric_section {
    const char* title;
    table_view<profile_metric> metrics;
};

/// A name for an expression that several rows use.
struct metric_definition {
    const char* name;
    const char* simulated;
    const char* meaning;
};

/// Metrics without a counterpart.
struct metric_gap {
    const char* pattern;  ///< glob
    const char* reason;
};

/// A name that other pages and versions of the profilers have for a metric.
struct metric_alias {
    const char* name;
    const char* unit;  ///< measured_unit::name, if the name alone is ambiguous
    const char* metric;
};

// The table: metric_table.cpp.
table_view<metric_section> metric_sections();
table_view<metric_definition> metric_definitions();
table_view<metric_gap> metric_gaps();
table_view<metric_alias> metric_aliases();

/// The name in Nsight Compute's raw page of a metric, for labels of the page of details and names
/// of other versions. @param unit  measured_unit::name
std::string canonical_metric(const std::string& name, const std::string& unit);

/// A metric of a profile and what simtlm has for it.
struct matched_metric {
    std::string section, name, unit;
    bool adds = false;         ///< over launches
    bool approximate = false;  ///< the definitions differ noticeably
    metric_expression measured, simulated;
};

/// Finds what simtlm has for the metrics of a profile, in the order of the table.
/// @param unmatched  receives the others, with the reason where it is known
std::vector<matched_metric> match_metrics(const std::vector<std::string>& metrics,
                                          std::map<std::string, std::string>& unmatched);

/// The text of docs/profiles.md: how profiles are compared, and the table.
std::string profile_metrics_page();

}  // namespace simtlm::platform::study
