// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/scanner.h"
#include "modules/ptx/types.h"

#include <cstdint>

namespace simtlm::ptx {

/// A constant as written: a 64-bit integer, the bits of an f32 (0f…), or those of an f64.
struct constant {
    enum class kind : std::uint8_t { integer, single, real };
    kind what = kind::integer;
    bool is_unsigned = false;
    std::uint64_t bits = 0;

    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
    bool is_integer() const { return what == kind::integer; }
    /// The value of a constant of any kind, as a double.
    double as_double() const;
};

/// Parses a constant expression: C's operators on integers (64 bits, signed unless an operand is
/// unsigned) and floating-point numbers, casts (.s64) and (.u64), WARP_SZ.
/// @throws support::user_error
constant read_constant(scanner& in);

/// Whether the next token can begin a constant expression.
bool starts_constant(scanner& in);

/// Converts a constant to the bits of an operand of type `t` of an instruction or initialiser:
/// integers are truncated to its width and sign-extended, floating-point numbers are converted.
/// @returns false if PTX does not permit this kind of constant for `t`
bool constant_as(const constant& c, type t, std::int64_t& bits);

}  // namespace simtlm::ptx
