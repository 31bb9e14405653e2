// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <cstdint>

namespace simtlm::execution {

/// The handler of an instruction, and the register widths of its operands in bits; 1 is a
/// predicate. Lowering converts operands of other widths.
struct choice {
    static constexpr unsigned max_sources = 4;

    handler execute = nullptr;
    std::uint8_t result = 0;
    std::uint8_t source_count = 0;
    std::uint8_t sources[max_sources] = {};
    bool result_is_signed = false;  ///< sign-extended into a wider register
    std::uint16_t detail = 0;       ///< for operation::detail

    explicit operator bool() const { return execute != nullptr; }
};

/// Format of an element transferred between memory and a register.
struct element_format {
    unsigned memory_bytes = 4;    ///< 1, 2, 4 or 8
    unsigned register_bytes = 4;  ///< per lane: 4 or 8
    bool sign_extends = false;    ///< when loaded into a wider register
};

}  // namespace simtlm::execution
