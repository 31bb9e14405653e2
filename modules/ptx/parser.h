// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <string>
#include <string_view>

namespace simtlm::ptx {

/// Parses and checks PTX text.
/// @param text  PTX ISA 1.0 to 9.0; terminated by a NUL
/// @param file  name of the text in messages
/// @throws support::user_error "file:line:column: what is wrong (what was expected)"
module parse(std::string_view text, const std::string& file);

}  // namespace simtlm::ptx
