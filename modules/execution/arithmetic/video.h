// SPDX-License-Identifier: Apache-2.0
// Video instructions: scalar (vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset, vmad) and SIMD in
// registers (vadd2, vadd4, vavrg2 etc.). The parameters in the text are a descriptor that is
// created once by the lowering; apply() executes one lane.
#pragma once

#include "modules/execution/arithmetic/bit_field.h"
#include "modules/execution/arithmetic/integer.h"

#include <array>

namespace simtlm::execution::arithmetic {

/// A part of a 32-bit operand (.b0 .. .b3, .h0, .h1) or the whole.
enum class part : std::uint8_t { b0, b1, b2, b3, h0, h1, word };

/// Operations of video instructions.
enum class video_operation : std::uint8_t {
    add,
    subtract,
    absolute_difference,
    minimum,
    maximum,
    average,  // average: SIMD only
    shift_left,
    shift_right,  // scalar only
    compare,      // 1 or 0
};

enum class secondary_operation : std::uint8_t { none, add, minimum, maximum };

/// A scalar video instruction other than vmad.
struct scalar_video {
    video_operation operation = video_operation::add;
    comparison compare = comparison::eq;   ///< of vset: eq to ge
    shift_mode shift = shift_mode::clamp;  ///< of vshl and vshr
    secondary_operation secondary = secondary_operation::none;
    bool destination_signed = false, a_signed = false, b_signed = false;
    bool saturate = false;
    part destination = part::word;  ///< if not word: merged into c
    part a = part::word, b = part::word;
};

/// vmad.
struct video_mad {
    bool a_signed = false, b_signed = false;
    bool saturate = false, plus_one = false;
    bool negate_product = false;  ///< exactly one of a and b is negated
    bool negate_c = false;
    unsigned shift = 0;  ///< 7 for .shr7, 15 for .shr15
    part a = part::word, b = part::word;
};

/// A SIMD video instruction on 2 half-words or 4 bytes.
struct simd_video {
    video_operation operation = video_operation::add;
    comparison compare = comparison::eq;
    unsigned lanes = 4;  ///< 2 or 4
    bool destination_signed = false, a_signed = false, b_signed = false;
    bool saturate = false;
    bool accumulate = false;  ///< .add: c plus all results; otherwise merged into c
    std::uint8_t mask = 0xf;  ///< bit i: lane i is written
    /// Index of the element of {b, a} for lane i (0 is the lowest of a). Defaults: .b3210 and
    /// .b7654; for half-words .h10 and .h32 are {0, 1} and {2, 3}.
    std::array<std::uint8_t, 4> a_elements{0, 1, 2, 3}, b_elements{4, 5, 6, 7};
};

/// Executes an instruction on 32-bit operands.
std::uint32_t apply(const scalar_video& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c);
std::uint32_t apply(const video_mad& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c);
std::uint32_t apply(const simd_video& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c);

}  // namespace simtlm::execution::arithmetic
