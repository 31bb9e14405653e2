// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::trace {

/// The code of a kernel that was recorded during execution: the instructions that an SM can fetch,
/// by function, with all their static properties. It is part of the trace header, so that a replay
/// fetches past branches as the execution did and needs no opcode table:
///
///     -execution = 1
///     -function 0 = COUNT
///     -instruction 0 = PC OPCODE class latency interval bytes width space use special cache
///                      barrier immediate uncollected n_dst [number…] n_src [number…]
///                      [barrier ID THREADS] [l2_block BYTES] [control BITS]
///
/// Classes, spaces etc. are values of the enumerators (modules/program/instruction.h); `use` is the
/// sum of 1 for a load, 2 for a store, 4 for an atomic. BITS are the control bits of machine code,
/// in hexadecimal. An instruction of latency 0 has the latency and the interval of its class in the
/// configuration of the replay; its interval is then 2, or 1 for half the interval of the class.
class executed_code {
public:
    /// The header lines of functions, each a window from its first instruction to its end.
    static std::string text_of(const std::vector<program::instruction_window>& functions);

    /// Parses a header line. @param key  "function N" or "instruction N"
    /// @returns false if the line does not have the form above
    bool take(std::string_view key, std::string_view value);
    /// Call after the last line. @returns false if instructions are missing
    bool seal();
    /// Sets the latencies that are those of the configuration.
    void set_latencies(const program::latency_table& latencies);

    /// The instruction at a program counter, or nullptr. @pre sealed
    const program::dynamic_instruction* find(std::uint64_t pc) const;
    /// The window from an instruction to the end of its function. @pre one of this code's
    /// instructions
    program::instruction_window window_from(const program::dynamic_instruction* first) const;
    /// Whether the instruction at a program counter accesses memory.
    bool is_memory(std::uint64_t pc) const;
    /// Whether the code is machine code, whose lines are those of a tracer. @pre sealed
    bool is_machine_code() const;
    /// Whether warps may sleep (nanosleep), for which any line may have details.
    bool may_sleep() const { return may_sleep_; }
    /// Upper bound of the register numbers, exclusive.
    std::uint32_t register_numbers() const { return register_numbers_; }

private:
    std::deque<std::string> opcodes_;
    std::deque<program::static_instruction> descriptor_;
    std::vector<program::dynamic_instruction> sequence_;  ///< ascending by program counter
    std::vector<std::uint32_t> end_of_function_;          ///< by instruction
    std::vector<std::uint64_t> functions_;                ///< number of instructions, by function
    std::uint32_t register_numbers_ = 256;
    bool may_sleep_ = false;
};

}  // namespace simtlm::trace
