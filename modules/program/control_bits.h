// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::program {

/// The 21 control bits of a machine instruction, with which a compiler specifies dependences to the
/// issue stage of Volta and later (field layout: Huerta et al., MICRO 2025, section 4; mesa's NAK
/// encoder). Hardware does not check register hazards; in the simulator a wrong field only affects
/// timing.
struct control_bits {
    static constexpr std::uint8_t no_barrier = 7;
    static constexpr unsigned barriers = 6;  ///< SB0 to SB5

    std::uint8_t stall = 1;                   ///< cycles until the warp's next issue, 0 to 15
    std::uint8_t write_barrier = no_barrier;  ///< counter decremented when results are written
    std::uint8_t read_barrier = no_barrier;   ///< counter decremented when operands have been read
    std::uint8_t wait_mask = 0;               ///< bit b: SBb must be 0 before issue
    std::uint8_t reuse = 0;                   ///< bit s: keeps operand slot s in the register cache
    bool yield = false;                       ///< another warp issues in the next cycle
    bool present = false;                     ///< set by the source or by a scheduler

    /// @param word  bits 125:105 of the instruction: stall 3:0, NOT yield 4, write barrier 7:5,
    ///              read barrier 10:8, wait mask 16:11, reuse 20:17
    static constexpr control_bits decode(std::uint32_t word) {
        control_bits c;
        c.stall = static_cast<std::uint8_t>(word & 15u);
        c.yield = (word >> 4 & 1u) == 0;
        c.write_barrier = static_cast<std::uint8_t>(word >> 5 & 7u);
        c.read_barrier = static_cast<std::uint8_t>(word >> 8 & 7u);
        c.wait_mask = static_cast<std::uint8_t>(word >> 11 & 63u);
        c.reuse = static_cast<std::uint8_t>(word >> 17 & 15u);
        c.present = true;
        return c;
    }
    /// Inverse of decode().
    constexpr std::uint32_t encode() const {
        return stall | (yield ? 0u : 16u) | static_cast<std::uint32_t>(write_barrier) << 5 |
               static_cast<std::uint32_t>(read_barrier) << 8 |
               static_cast<std::uint32_t>(wait_mask) << 11 |
               static_cast<std::uint32_t>(reuse) << 17;
    }
};

}  // namespace simtlm::program
