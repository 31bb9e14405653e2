// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::trace {

/// The code of a kernel that was recorded while it was executed: what an SM can fetch, function by
/// function, with all that it knows of an instruction. It stands in the header of the trace, so
/// that a replay fetches past branches as the execution did and needs no opcode table:
///
///     -execution = 1
///     -function 0 = COUNT
///     -instruction 0 = PC OPCODE class latency interval bytes width space use special cache
///                      barrier immediate uncollected n_dst [number…] n_src [number…]
///                      [barrier ID THREADS] [control BITS]
///
/// Classes, spaces and the like are numbers of their enumerators (modules/program/instruction.h);
/// `use` adds 1 for a load, 2 for a store, 4 for an atomic. BITS are the control bits of machine
/// code, hexadecimal.
class executed_code {
public:
    /// The header lines of functions, each a window from its first instruction to its end.
    static std::string text_of(const std::vector<program::instruction_window>& functions);

    /// Takes a header line. @param key  "function N" or "instruction N"
    /// @returns false when the line is not of the form above
    bool take(std::string_view key, std::string_view value);
    /// After the last line. @returns false when instructions are missing
    bool seal();

    /// The instruction at a program counter, or nullptr. @pre sealed
    const program::dynamic_instruction* find(std::uint64_t pc) const;
    /// An instruction, and those behind it to the end of its function. @pre one of this code's
    program::instruction_window window_from(const program::dynamic_instruction* first) const;
    bool is_memory(std::uint64_t pc) const;
    /// It is machine code, whose lines are those of a tracer. @pre sealed
    bool is_machine_code() const;
    /// Numbers of registers lie below this.
    std::uint32_t register_numbers() const { return register_numbers_; }

private:
    std::deque<std::string> opcodes_;
    std::deque<program::static_instruction> descriptor_;
    std::vector<program::dynamic_instruction> sequence_;  ///< ascending by program counter
    std::vector<std::uint32_t> end_of_function_;          ///< of each instruction
    std::vector<std::uint64_t> functions_;                ///< instructions of each
    std::uint32_t register_numbers_ = 256;
};

}  // namespace simtlm::trace
