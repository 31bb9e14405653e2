// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/types.h"

#include <cstddef>
#include <cstdint>
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
/// Fills a buffer with start, start + step, ...
void fill_ramp(ptx::type t, std::vector<std::byte>& data, double start, double step);
/// Deterministic for a seed on all hosts. Without bounds, integers have random bits and
/// floating-point numbers are in [0, 1).
void fill_random(ptx::type t, std::vector<std::byte>& data, std::uint64_t seed, double low,
                 double high);
/// @param tolerance  relative to the larger of |want| and 1; integers must be equal
bool is_close(ptx::type t, const std::byte* got, const std::byte* want, double tolerance);

}  // namespace simtlm::execution
