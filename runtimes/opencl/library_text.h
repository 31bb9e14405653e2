// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Sources of the folder library, built in.
namespace simtlm::opencl::library {

extern const std::string_view prelude;   ///< in front of every program
extern const std::string_view builtins;  ///< functions that libclc has not: OpenCL C
extern const std::string_view scratch;   ///< local memory of work-group functions: C

}  // namespace simtlm::opencl::library
