// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Values in launch scripts.
namespace simtlm::execution {

/// Parses a type such as "f32"; none: not an element type.
ptx::type script_type(const std::string& word);
/// @return false: the word is not a value of the type
bool write_script_value(ptx::type t, const std::string& word, std::byte* to);
/// The value as it is written in a script.
std::string script_value_text(ptx::type t, const std::byte* value);
/// Parses an integer from 0 to 2^64 - 1 as C does; nothing: the word is none.
std::optional<std::uint64_t> script_unsigned(const std::string& word);
/// Parses a finite number, decimal or hexadecimal; nothing: the word is none.
std::optional<double> script_number(const std::string& word);
/// Fills a buffer with START, START + STEP, ... Integers are exact and wrap around like additions
/// of the type.
/// @param words  START and STEP, by default 0 and 1
/// @return false: the type cannot hold START, STEP, or elements with a fraction
bool fill_ramp(ptx::type t, std::vector<std::byte>& data, const std::vector<std::string>& words);
/// Deterministic for a seed on all hosts. Without bounds (low = high), integers have random bits
/// and floating-point numbers are in [0, 1).
/// @return false: the type cannot hold the bounds
bool fill_random(ptx::type t, std::vector<std::byte>& data, std::uint64_t seed, double low,
                 double high);
/// @param tolerance  relative to the larger of |want| and 1; integers must be equal
bool is_close(ptx::type t, const std::byte* got, const std::byte* want, double tolerance);

}  // namespace simtlm::execution
