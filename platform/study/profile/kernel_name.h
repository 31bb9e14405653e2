// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::platform::study {

/// The name of a kernel as tools write it: mangled, or with return type, template arguments and
/// parameters in the notation of different demanglers, or only the name of the function.
struct kernel_name {
    std::string full;  ///< qualified, with template arguments and without spaces: "a::k<4,float>"
    std::string qualified;  ///< without template arguments: "a::k"
    std::string base;       ///< without namespaces: "k"

    bool has_arguments() const { return full != qualified; }
    static kernel_name of(const std::string& text);
};

}  // namespace simtlm::platform::study
