// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::support {

/// std::strtod and std::strtold with a decimal point, whatever locale the process has selected.
/// Host programs (CUDA, OpenCL, virtual platforms) call setlocale(), and strtod() follows it.
double read_double(const char* text, char** end = nullptr);
long double read_long_double(const char* text, char** end = nullptr);

}  // namespace simtlm::support
