// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <string>
#include <vector>

namespace simtlm::opencl {

/// Parsed options of a build.
struct build_options {
    enum class stage { build, compile, link };

    std::vector<std::string> front_end;  ///< options for clang when it compiles OpenCL C
    std::string standard = "CL1.2";
    bool optimise = true;
    bool flush_denormals = false;     ///< -cl-denorms-are-zero
    bool argument_info = false;       ///< -cl-kernel-arg-info
    bool make_library = false;        ///< -create-library
    bool allow_link_options = false;  ///< -enable-link-options

    /// @param text  as given by the program
    /// @throws error  for an unknown option
    static build_options parse(const char* text, stage when);
};

}  // namespace simtlm::opencl
