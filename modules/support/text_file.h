// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace simtlm::support {

/// Size limit of configurations, tables and network descriptions, in bytes.
inline constexpr std::size_t largest_text_file = std::size_t{16} << 20;

/// Size limit of PTX programs, in bytes.
inline constexpr std::size_t largest_program = std::size_t{1} << 30;

/// Reads a whole text file and removes a byte order mark. Reading stops with an error after
/// `largest` bytes, which also covers files without end, such as devices.
/// @throws user_error naming the file, with a remedy that says what it should have been
std::string read_text_file(const std::string& file, const std::string& remedy,
                           std::size_t largest = largest_text_file);

}  // namespace simtlm::support
