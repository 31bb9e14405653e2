// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::trace_import {

/// A static instruction of a protobuf trace.
struct static_line {
    std::string opcode;  ///< mnemonic with modifiers, without guard
    /// The machine code; nothing if the tracer did not find the function in the program.
    std::optional<sass::instruction_word> word;
    std::vector<std::string> operands;  ///< as text: "R2", "desc[UR4][R2.64+0x10]"
    bool has_result = false;            ///< the first operand is written
};

/// A function of a protobuf trace: a kernel, or a function that kernels call.
struct static_function {
    std::string name;  ///< mangled, followed by ___ and the number of the variant
    int id = 0;
    unsigned architecture = 0;       ///< 80 for sm_80
    bool has_words = false;          ///< all instructions have words
    std::vector<static_line> lines;  ///< by program counter, 16 bytes each
};

/// The static instructions of a protobuf trace, from its enhanced_execution_info.json.
class static_code {
public:
    /// @throws support::user_error  if the file is missing, is damaged or lacks values
    explicit static_code(const std::string& file);

    const std::string& file() const { return file_; }
    /// By identification.
    const std::map<int, static_function>& functions() const { return functions_; }
    /// A function, or the one with that name, as the tracer describes equal functions only once;
    /// nullptr if there is neither. @param name  empty: none
    const static_function* find(int id, const std::string& name = {}) const;

private:
    std::string file_;
    std::map<int, static_function> functions_;
};

}  // namespace simtlm::trace_import
