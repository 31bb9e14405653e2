// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace simtlm::trace {

/// Bytes of the text of a kernel trace without unpacking it: the size of a plain file, or what the
/// index at the end of an .xz file of one stream says. Nothing of other files, of binary ones, or
/// of an index that does not fit the file.
std::optional<std::uint64_t> recorded_size(const std::string& file);

}  // namespace simtlm::trace
