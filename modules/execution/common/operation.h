// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::execution {

struct warp;
struct operation;

/// One bit per lane of a warp; lane 0 is the lowest bit.
using lane_mask = std::uint32_t;
constexpr unsigned warp_size = 32;
constexpr lane_mask all_lanes = ~lane_mask{0};

/// Executes an operation on the lanes of a warp. @return the warp's next operation, or nullptr if
/// it stops temporarily or permanently (see warp::status)
using handler = const operation* (*)(warp&, const operation*);

/// The memories of operands. Lanes are contiguous: a 32-bit value occupies 32 words, a 64-bit value
/// 32 double words, a predicate one lane_mask. Narrower values occupy a word of which only their
/// own bits are defined; a 128-bit value occupies two 64-bit ones, low halves first.
enum class bank : std::uint32_t {
    frame,      ///< registers of the executing function
    constants,  ///< of the program, or of the launch
    thread,     ///< values that differ between warps of a CTA: %tid, %warpid
    block,      ///< values that differ between CTAs: %ctaid; and those of the launch: %ntid
};

/// An operand: a bank and an offset in it, in bytes.
using operand_ref = std::uint32_t;
constexpr operand_ref no_operand = ~operand_ref{0};
constexpr unsigned bank_shift = 30;
constexpr operand_ref operand_ref_in(bank b, std::uint32_t offset) {
    return static_cast<std::uint32_t>(b) << bank_shift | offset;
}
constexpr std::uint32_t offset_of(operand_ref s) {
    return s & ((1u << bank_shift) - 1);
}
constexpr bank bank_of(operand_ref s) {
    return static_cast<bank>(s >> bank_shift);
}

/// Masks at fixed positions of every frame.
struct frame_layout {
    static constexpr operand_ref always = 0;  ///< a guard that is true for all lanes
    static constexpr operand_ref carry = 4;   ///< CC.CF
    static constexpr std::uint32_t first_predicate = 8;
};

/// The internal form: an operation on the 32 lanes of a warp. An instruction of the program is
/// lowered to one or a few of them: conversions of operands are separate operations.
struct operation {
    handler execute = nullptr;
    const operand_ref* list =
        nullptr;                 ///< operands in addition to those below: elements of vectors
    std::int64_t immediate = 0;  ///< depends on the handler; for memory accesses the offset
    std::uint32_t guard = frame_layout::always;  ///< offset of a mask in the frame
    lane_mask guard_flip = 0;                    ///< all_lanes: the guard is negated
    operand_ref destination = no_operand;
    operand_ref destination2 = no_operand;
    operand_ref source[4] = {no_operand, no_operand, no_operand, no_operand};
    std::uint32_t instruction = 0;  ///< number in the program; see program_image
    std::uint16_t detail = 0;       ///< depends on the handler
    bool counted = true;            ///< represents an instruction; false: prepares the next one
    /// Only changes control flow and is not an instruction of its own: with timing, it is executed
    /// before the next instruction is fetched.
    bool moves_control = false;
};
static_assert(sizeof(operation) == 64);

}  // namespace simtlm::execution
