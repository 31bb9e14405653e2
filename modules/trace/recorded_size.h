// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace simtlm::trace {

/// Bytes of the text of a kernel trace without decompressing it: the size of a plain file, or the
/// size in the index at the end of an .xz file with a single stream. nullopt for other or binary
/// files, or if the index does not match the file.
std::optional<std::uint64_t> recorded_size(const std::string& file);

}  // namespace simtlm::trace
