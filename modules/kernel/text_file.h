// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace simtlm::kernel {

/// No configuration, table or network description comes near.
inline constexpr std::size_t largest_text_file = std::size_t{16} << 20;

/// Nor any program in PTX.
inline constexpr std::size_t largest_program = std::size_t{1} << 30;

/// The whole of a text file, without a byte order mark. A file that never ends, such as a device,
/// is given up when it has more than `largest` bytes.
/// @throws user_error naming the file, with what it should have been as a remedy
std::string read_text_file(const std::string& file, const std::string& remedy,
                           std::size_t largest = largest_text_file);

}  // namespace simtlm::kernel
