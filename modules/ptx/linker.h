// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simtlm::ptx {

/// A PTX text to be linked with others.
struct link_input {
    std::string name;  ///< used in messages
    std::string text;
};

/// Links several PTX texts into one, like a linker of machine code: .extern declarations are
/// resolved by definitions in other texts; .weak and .common symbols are included once; names that
/// are not .visible remain local to their text and may be renamed. The result has the newest
/// version and target of the texts. A single text is not changed. Lines of `.file` and `.loc` are
/// kept for the first text only. Undefined functions are not reported here.
/// @throws support::user_error  if a symbol is defined twice
std::string link(const std::vector<link_input>& inputs);

}  // namespace simtlm::ptx
