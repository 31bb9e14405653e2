// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::platform::study {

/// The memory that an instruction accesses.
enum class memory_space { none, global, local, shared, constant, texture };

/// Kinds of floating-point operations with peaks of their own.
enum class flop_kind { none, fp64, fp32, fp16, tensor };

/// What the opcode of an instruction in a profile says about it: machine code ("LDG.E.128.SYS",
/// "FFMA") or PTX ("ld.global.v4.f32", "fma.rn.f32").
struct instruction_traits {
    memory_space space = memory_space::none;
    bool store = false;
    double lane_bytes = 0;  ///< that each lane accesses
    std::string pipeline;   ///< readable name of the unit that executes it
    flop_kind flops_of = flop_kind::none;
    double flops_per_lane = 0;  ///< for tensor: per warp instruction

    static instruction_traits of(const std::string& opcode);

    /// Global or local memory, where 32-byte sectors count.
    bool is_coalesced() const {
        return space == memory_space::global || space == memory_space::local;
    }
    /// Sectors that `lanes` lanes need if their addresses are adjacent.
    double ideal_sectors(double lanes) const;
    /// Cycles for which `lanes` lanes occupy shared memory if no two need the same bank.
    double ideal_shared_cycles(double lanes) const;
};

const char* name_of(flop_kind kind);

}  // namespace simtlm::platform::study
