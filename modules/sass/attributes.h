// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::sass {

/// An attribute (EIATTR_*) of a cubin that is neither evaluated nor known to be without influence
/// on results.
struct unknown_attribute {
    std::string section;  ///< ".nv.info" or that of a function
    std::uint8_t number = 0;
};
/// The unknown attributes of a cubin, each number once.
std::vector<unknown_attribute> unknown_attributes(const cubin& file);

}  // namespace simtlm::sass
