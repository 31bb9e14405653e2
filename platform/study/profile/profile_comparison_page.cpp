// SPDX-License-Identifier: Apache-2.0
#include "platform/study/html_report.h"
#include "platform/study/page/page_text.h"
#include "platform/study/profile/profile_comparison.h"

namespace simtlm::platform::study {

std::string profile_comparison_page(const statistics_run& run, const profile_comparison& c) {
    return self_contained_page({"Profile and simulation", "simtlm-diff", page::profile_js},
                               profile_comparison_json(run, c));
}

}  // namespace simtlm::platform::study
