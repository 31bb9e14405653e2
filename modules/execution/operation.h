// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::execution {

struct warp;
struct operation;

/// One bit per lane of a warp; lane 0 lowest.
using lane_mask = std::uint32_t;
constexpr unsigned warp_size = 32;
constexpr lane_mask all_lanes = ~lane_mask{0};

/// Executes an operation on the lanes of a warp. @return what the warp executes next, or nullptr
/// when it stops here for a while or for good (warp::status tells)
using handler = const operation* (*)(warp&, const operation*);

/// The memories that operands lie in. Lanes are contiguous: a 32-bit value takes 32 words, a 64-bit
/// value 32 double words, a predicate one lane_mask. Narrower values take a word, of which only
/// their own bits mean something; a 128-bit value takes two 64-bit ones, the low halves first.
enum class bank : std::uint32_t {
    frame,      ///< registers of the function that is executed
    constants,  ///< of the program, or of the launch
    thread,     ///< what differs between warps of a CTA: %tid, %warpid
    block,      ///< what differs between CTAs: %ctaid; and what a launch fixes: %ntid
};

/// An operand: a bank and an offset in it, in bytes.
using slot = std::uint32_t;
constexpr slot no_slot = ~slot{0};
constexpr unsigned bank_shift = 30;
constexpr slot slot_in(bank b, std::uint32_t offset) {
    return static_cast<std::uint32_t>(b) << bank_shift | offset;
}
constexpr std::uint32_t offset_of(slot s) {
    return s & ((1u << bank_shift) - 1);
}
constexpr bank bank_of(slot s) {
    return static_cast<bank>(s >> bank_shift);
}

/// Masks that lie at fixed places of every frame.
struct frame_layout {
    static constexpr slot always = 0;  ///< a guard that all lanes pass
    static constexpr slot carry = 4;   ///< CC.CF
    static constexpr std::uint32_t first_predicate = 8;
};

/// The internal form: one operation on the 32 lanes of a warp. An instruction of the program is one
/// of them, sometimes a few: conversions of operands are operations of their own.
struct operation {
    handler execute = nullptr;
    const slot* list = nullptr;  ///< operands beyond those below: elements of vectors
    std::int64_t immediate = 0;  ///< what the handler says; at memory accesses the offset
    std::uint32_t guard = frame_layout::always;  ///< of the frame; a mask
    lane_mask guard_flip = 0;                    ///< all_lanes: the guard is negated
    slot destination = no_slot;
    slot destination2 = no_slot;
    slot source[4] = {no_slot, no_slot, no_slot, no_slot};
    std::uint32_t instruction = 0;  ///< of the program; see program_image
    std::uint16_t detail = 0;       ///< what the handler says
    bool counted = true;            ///< stands for an instruction; false: helps the next one
    /// Only moves control and takes no instruction of its own: in timing mode it is done before the
    /// next instruction is fetched.
    bool moves_control = false;
};
static_assert(sizeof(operation) == 64);

}  // namespace simtlm::execution
