// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Embedded source texts of the folder `library`.
namespace simtlm::opencl::library {

extern const std::string_view prelude;   ///< included before every program
extern const std::string_view builtins;  ///< functions that libclc lacks: OpenCL C
extern const std::string_view scratch;   ///< local memory of work-group functions: C

}  // namespace simtlm::opencl::library
