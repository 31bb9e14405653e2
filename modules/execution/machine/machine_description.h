// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/sass/instruction.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::execution {

/// A function of machine code to be placed.
struct function_extent {
    bool is_kernel = false;
    std::uint64_t bytes = 0;
};

/// Program counters at which functions begin: kernels at 0, as in traces; the others, which kernels
/// call, one after the other after the longest kernel.
std::vector<std::uint64_t> place_functions(const std::vector<function_extent>& functions);

/// Whether an instruction fetches data of global memory into a cache: CCTL.PF1 (L1), .PF2 and .PML2
/// (L2). Its address is the last operand.
bool is_prefetch(const sass::instruction& i);

/// Describes instructions of machine code for the timing model, function by function, whether a
/// program executes them or a trace contains their words (see describe_machine_code).
class machine_describer {
public:
    /// @param architecture  80 for sm_80
    /// @param timing        only the part for machine code is used
    machine_describer(unsigned architecture, const instruction_timing& timing);

    /// Begins a function. @param base  program counter of its first instruction
    void begin(std::vector<sass::instruction_word> code, std::uint64_t base);
    /// Describes an instruction of the function. One that cannot be decoded is an integer
    /// instruction without operands.
    /// @param n       its index in the function
    /// @param opcode  its mnemonic with modifiers, which must outlive the result
    program::static_instruction describe(std::size_t n, const char* opcode,
                                         std::uint32_t source_line = 0) const;

private:
    unsigned architecture_;
    isa::decode_options options_;
    std::shared_ptr<const isa::opcode_tables> opcodes_;
    std::vector<sass::instruction_word> code_;
    std::uint64_t base_ = 0;
    int bulk_groups_ = -1;  ///< scoreboard released by groups of bulk copies; -1: none
};

}  // namespace simtlm::execution
