// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simtlm::sass {

/// The encodings of machine instructions from sm_70 to sm_121, as the text from which the decoder
/// is built. encodings.cpp describes the notation.
extern const std::string_view encoding_text;

}  // namespace simtlm::sass
