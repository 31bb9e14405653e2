// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode_tables.h"
#include "modules/program/kernel_source.h"
#include "modules/trace_import/static_code.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simtlm::trace_import {

/// A function with the static properties of its instructions for the timing model.
struct described_function {
    const static_function* source = nullptr;
    bool is_kernel = false;
    std::vector<program::static_instruction> instructions;
    std::vector<program::dynamic_instruction> sequence;  ///< one per instruction
    std::vector<bool> is_known;       ///< by instruction: its word or its opcode is known
    std::vector<bool> has_registers;  ///< by instruction: some operand is a register
};

/// The functions of a protobuf trace. Those with machine code are decoded and described like
/// executed machine code; the latencies are left to the configuration of a replay
/// (executed_code.h). Of the others, opcodes and registers are taken from the text, as Accel-Sim's
/// tracer writes them. Functions have disjoint program counters, except kernels, which begin at 0.
class described_code {
public:
    /// @param kernels  functions that are launched
    /// @throws support::user_error  for an architecture that is not supported
    described_code(const static_code& code, std::shared_ptr<const isa::opcode_tables> opcodes,
                   const std::set<int>& kernels);

    const static_code& source() const { return code_; }
    /// A function of source(). @pre it exists
    const described_function& of(int id) const { return functions_.at(id); }
    /// The code that a kernel can fetch, of the functions that have machine code.
    /// @pre the kernel has
    std::vector<program::instruction_window> code_of(const described_function& kernel) const;
    /// Header lines with the control bits of all instructions that a kernel can execute and that
    /// have machine code: `-control PC = BITS`.
    std::string control_lines(const described_function& kernel) const;
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    void describe_words(described_function& f, std::uint64_t base);
    void describe_text(described_function& f, std::uint64_t base);
    /// Whether a kernel may call a function: there is no list of its callees.
    static bool may_call(const described_function& kernel, const described_function& f) {
        return &f == &kernel ||
               (!f.is_kernel && f.source->architecture == kernel.source->architecture);
    }

    const static_code& code_;
    std::shared_ptr<const isa::opcode_tables> opcodes_;
    std::map<int, described_function> functions_;
    std::deque<std::string> names_;  ///< opcodes
    std::vector<std::string> warnings_;
};

}  // namespace simtlm::trace_import
