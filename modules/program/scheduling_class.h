// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstdint>
#include <string_view>

namespace simtlm::program {

/// Classes of instructions by which a compiler of Volta and later schedules (after the classes of
/// mesa's NAK, sm75_instr_latencies.rs and sm80_instr_latencies.rs). All up to `half`, and
/// `uniform`, have a fixed latency; the others need a dependence counter.
enum class scheduling_class : std::uint8_t {
    alu,        ///< integer, logic, compare, select, move
    alu64,      ///< CS2R.64, NOP
    fp32,       ///< FADD FMUL FFMA
    imad,       ///< integer multiply-add and dot product
    imad_wide,  ///< IMAD.WIDE
    half,       ///< HADD2 HFMA2
    uniform,    ///< uniform datapath
    fp64,
    mma,      ///< matrix
    xu,       ///< special functions, conversions, population count
    special,  ///< S2R and other reads of special registers, votes
    branch,   ///< control flow
    barrier,  ///< BAR, fences
    memory,   ///< with an address: loads, stores, atomics
    shuffle,
};
inline constexpr unsigned scheduling_classes = 15;

constexpr bool has_fixed_latency(scheduling_class c) {
    return c <= scheduling_class::uniform;
}

/// The class of an instruction, by its opcode as machine code or PTX writes it, and where the
/// opcode tells nothing, by its class in the simulator.
scheduling_class scheduling_class_of(const static_instruction& inst);

/// The same of an opcode alone. @param otherwise  of opcodes that are not known
scheduling_class scheduling_class_of(std::string_view opcode, scheduling_class otherwise);

}  // namespace simtlm::program
