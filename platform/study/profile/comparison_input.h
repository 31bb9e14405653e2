// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/profile/kernel_profile.h"
#include "platform/study/statistics_run.h"

#include <string>
#include <variant>

namespace simtlm::platform::study {

/// Reads a file for simtlm-diff, told by its first characters: a statistics file (JSON), an SQLite
/// file of Nsight Systems, or a table of one of the profilers.
/// @throws support::user_error  if it is none of them
std::variant<statistics_run, kernel_profile> read_comparison_input(const std::string& file);

}  // namespace simtlm::platform::study
