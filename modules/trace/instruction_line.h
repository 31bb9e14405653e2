// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/place.h"
#include "modules/trace/scanner.h"

#include <cstdint>
#include <string_view>
#include <vector>

// Parsers of the parts of an instruction line, in order. The meaning of opcodes is not considered.
namespace simtlm::trace {

/// The first fields of a line.
struct line_head {
    std::uint64_t pc = 0;
    std::uint32_t mask = 0;
    std::uint32_t source_line = 0;
};

/// Register numbers of the destinations, or of the sources.
struct operand_list {
    unsigned count = 0;
    std::uint8_t registers[isa::max_sources] = {};
};

/// Opcode and registers; the views refer to the line.
struct line_operands {
    std::string_view text;  ///< from the number of destinations to the last source register
    std::string_view opcode;
    operand_list dst;
    operand_list src;
};

/// Format of addresses.
enum class recorded_mode : std::uint8_t { list, base_stride, base_deltas, none };

/// All functions throw support::user_error.
line_head scan_head(scanner& in, const kernel_header& header, const place& where);
/// Parses opcode and registers.
line_operands scan_operands(scanner& in, const place& where);

/// Parses mode and addresses. Appends one address per active lane, or base and stride (in two's
/// complement); deltas are accumulated. Without active lanes, deltas append nothing.
recorded_mode scan_addresses(scanner& in, std::uint32_t mask, std::vector<std::uint64_t>& values,
                             const place& where);

/// Checks the access width in bytes per lane. @throws support::user_error if it is not possible
void check_width(std::uint64_t width, const place& where);

}  // namespace simtlm::trace
