// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/place.h"
#include "modules/trace/scanner.h"

#include <cstdint>
#include <string_view>
#include <vector>

// The parts of an instruction line, in their order. What an opcode means is not looked at.
namespace simtlm::trace {

struct line_head {
    std::uint64_t pc = 0;
    std::uint32_t mask = 0;
    std::uint32_t source_line = 0;
};

struct operand_list {
    unsigned count = 0;
    std::uint8_t registers[isa::max_sources] = {};
};

/// Opcode and registers; the views point into the line.
struct line_operands {
    std::string_view text;  ///< from the destination count to the last source register
    std::string_view opcode;
    operand_list dst;
    operand_list src;
};

/// How addresses are written.
enum class recorded_mode : std::uint8_t { list, base_stride, base_deltas, none };

/// Every function throws kernel::user_error.
line_head scan_head(scanner& in, const kernel_header& header, const place& where);
line_operands scan_operands(scanner& in, const place& where);

/// Reads mode and addresses. Appends one address per active lane, or base and stride (as two's
/// complement); deltas have been added up. Without active lanes, deltas leave nothing.
recorded_mode scan_addresses(scanner& in, std::uint32_t mask, std::vector<std::uint64_t>& values,
                             const place& where);

/// Bytes that a lane accesses, as a line tells them. @throws kernel::user_error when that many are
/// impossible
void check_width(std::uint64_t width, const place& where);

}  // namespace simtlm::trace
