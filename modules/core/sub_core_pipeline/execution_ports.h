// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/tensor_timing.h"
#include "modules/program/instruction.h"

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// Execution units of a sub-core, each with an input latch.
enum class unit : std::uint8_t {
    fma,       ///< FP32 and integer multiply-add: the first pipe
    fma_lite,  ///< FP32 only: the second pipe, if present
    alu,       ///< integer, logic, compare, move
    half,
    xu,    ///< special functions, conversions
    fp64,  ///< of the sub-core, or its port to the unit shared by the sub-cores
    tensor,
    uniform,
    branch,
    predicate,
    memory,
};
inline constexpr unsigned unit_count_of_sub_cores = 11;
/// Name for reports, e.g. "fma".
const char* unit_name(unit u);

/// Timing of a class of instructions in a sub-core, in core cycles.
struct class_timing {
    /// Fixed latency: from issue to the issue of a dependent instruction. Variable latency: from
    /// issue to the decrement of the instruction's dependence counter.
    std::uint16_t latency = 4;
    std::uint16_t initiation = 1;  ///< time for which the unit's input latch is occupied
};

/// The execution units of a sub-core, by class of instruction.
struct execution_config {
    std::array<class_timing, program::scheduling_classes> of{};
    bool second_fp32_pipe = false;    ///< FP32 also issues to fma_lite
    unsigned wide_multiply_hold = 1;  ///< additional cycles for which IMAD.WIDE holds the issue
                                      ///< port
    tensor_config tensor;

    class_timing& operator[](program::scheduling_class c) { return of[static_cast<unsigned>(c)]; }
    const class_timing& operator[](program::scheduling_class c) const {
        return of[static_cast<unsigned>(c)];
    }
};

/// Parameters of GA102 (RTX A6000): configurations and table of dependent latencies of Huerta et
/// al.
execution_config ampere_execution();

/// The input latches of a sub-core's units: an instruction issues when the latch of its unit is
/// free, and occupies it for its initiation interval (2 cycles in units of half a warp's width, 1
/// in full-width units).
class execution_ports {
public:
    explicit execution_ports(const execution_config& config) : config_(config) {}

    static unit unit_of(program::scheduling_class c);
    /// Whether an instruction of a class may issue in a cycle.
    bool free(program::scheduling_class c, std::uint64_t now) const {
        return now >= free_at_[static_cast<unsigned>(port_for(c))];
    }
    /// Occupies the latch for an instruction that issues. @param initiation  cycles @pre free()
    void take(program::scheduling_class c, unsigned initiation, std::uint64_t now) {
        free_at_[static_cast<unsigned>(port_for(c))] = now + initiation;
    }
    std::uint64_t free_at(program::scheduling_class c) const {
        return free_at_[static_cast<unsigned>(port_for(c))];
    }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(free_at_);
    }

private:
    /// FP32 instructions use the pipe whose latch is free first, preferring the one without integer
    /// multiply-add.
    unit port_for(program::scheduling_class c) const {
        const unit u = unit_of(c);
        if (c != program::scheduling_class::fp32 || !config_.second_fp32_pipe) return u;
        return free_at_[static_cast<unsigned>(unit::fma_lite)] <=
                       free_at_[static_cast<unsigned>(unit::fma)]
                   ? unit::fma_lite
                   : unit::fma;
    }

    const execution_config& config_;
    std::array<std::uint64_t, unit_count_of_sub_cores> free_at_{};
};

}  // namespace simtlm::core::sub_core_pipeline
