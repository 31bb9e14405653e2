// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simtlm::ptx {

/// A PTX text that is linked with others.
struct link_input {
    std::string name;  ///< for messages
    std::string text;
};

/// Joins texts into one, as a linker of machine code would: what one declares .extern another
/// defines; .weak and .common symbols are taken once; names that are not .visible stay those of
/// their piece, for which they may be changed. The result is written for the newest version and
/// target among them. One piece is left as it is. Lines of `.file` and `.loc` are kept of the first
/// piece alone. Undefined functions are found when the result is used.
/// @throws kernel::user_error  a symbol is defined twice
std::string link(const std::vector<link_input>& inputs);

}  // namespace simtlm::ptx
