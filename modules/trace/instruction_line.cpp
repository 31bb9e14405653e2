// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/instruction_line.h"

#include "modules/support/error.h"

#include <string>

namespace simtlm::trace {

namespace {

constexpr std::size_t longest_opcode = 128;    // the longest known opcode has about 40 characters
constexpr std::uint64_t widest_access = 1024;  // a generous limit: the largest known width is 16
constexpr unsigned max_operands = 16;          // per line, including operands without dependences

[[noreturn]] void fail(const place& where, const std::string& what) {
    throw support::user_error(where.where(), what);
}

/// Uniform registers, predicates and barriers: operands without dependences.
bool is_other_operand(std::string_view word) {
    if (!word.empty() && word.front() == '!') word.remove_prefix(1);
    if (word.substr(0, 2) == "UR" || word.substr(0, 2) == "UP") return true;
    if (word.substr(0, 2) == "SB" || word.substr(0, 2) == "SR") return true;
    return !word.empty() && (word.front() == 'P' || word.front() == 'B');
}

/// Parses "R12" or "RZ".
bool parse_register(std::string_view word, unsigned& number) {
    if (word == "RZ") {
        number = isa::recorded_zero;
        return true;
    }
    if (word.size() < 2 || word.size() > 4 || word.front() != 'R') return false;
    number = 0;
    for (char c : word.substr(1)) {
        if (c < '0' || c > '9') return false;
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number <= 255;
}

void scan_registers(scanner& in, unsigned capacity, operand_list& list, const char* role,
                    const place& where) {
    std::uint64_t count = 0;
    if (!in.take_decimal(count)) fail(where, std::string{"the number of "} + role + " registers");
    if (count > max_operands) fail(where, std::string{"too many "} + role + " registers");
    for (; count > 0; --count) {
        const std::string_view word = in.take_word();
        unsigned number = 0;
        if (parse_register(word, number)) {
            if (list.count == capacity) {
                fail(where, std::string{"too many "} + role + " registers");
            }
            list.registers[list.count++] = static_cast<std::uint8_t>(number);
        } else if (!is_other_operand(word)) {
            fail(where, "'" + std::string{word.substr(0, 20)} + "' is no register");
        }
    }
}

}  // namespace

line_head scan_head(scanner& in, const kernel_header& header, const place& where) {
    line_head head;
    std::uint64_t number = 0;
    if (header.tracer_version < 3) {
        for (int i = 0; i < 4; ++i) {
            if (!in.take_decimal(number)) {
                fail(where, "block and warp in front of the instruction");
            }
        }
    }
    if (header.line_info) {
        if (!in.take_decimal(number) || number > UINT32_MAX) {
            fail(where, "the source line is no number");
        }
        head.source_line = static_cast<std::uint32_t>(number);
    }
    if (!in.take_hexadecimal(head.pc)) {
        fail(where, "the program counter is no hexadecimal number");
    }
    if (!in.take_hexadecimal(number) || number > UINT32_MAX) {
        fail(where, "the active mask is no hexadecimal number of 32 bits");
    }
    head.mask = static_cast<std::uint32_t>(number);
    in.skip_blanks();
    return head;
}

line_operands scan_operands(scanner& in, const place& where) {
    line_operands operands;
    const char* begin = in.position();
    scan_registers(in, isa::max_destinations, operands.dst, "destination", where);
    operands.opcode = in.take_word();
    if (operands.opcode.empty()) fail(where, "no opcode");
    if (operands.opcode.size() > longest_opcode) {
        fail(where, "an opcode of more than 128 characters");
    }
    scan_registers(in, isa::max_sources, operands.src, "source", where);
    operands.text = {begin, static_cast<std::size_t>(in.position() - begin)};
    return operands;
}

void check_width(std::uint64_t width, const place& where) {
    if (width > widest_access) {
        fail(where, "a memory access of " + std::to_string(width) + " bytes by each lane");
    }
}

recorded_mode scan_addresses(scanner& in, std::uint32_t mask, std::vector<std::uint64_t>& values,
                             const place& where) {
    const unsigned lanes = static_cast<unsigned>(__builtin_popcount(mask));
    const std::size_t offset = values.size();
    std::uint64_t mode = 0;
    if (!in.take_decimal(mode) || mode > 2) fail(where, "the address mode is none of 0, 1 and 2");
    scanner here = in;  // a local copy, so that it stays in registers
    std::uint64_t base = 0;
    const auto read_base = [&] {
        if (!in.take_hexadecimal(base)) fail(where, "the base address is no hexadecimal number");
    };
    switch (mode) {
        case 0:
            values.resize(offset + lanes);
            for (unsigned i = 0; i < lanes; ++i) {
                if (!here.take_hexadecimal(values[offset + i])) {
                    fail(where, "address " + std::to_string(i + 1) + " of " +
                                    std::to_string(lanes) + " is missing or no hexadecimal number");
                }
            }
            in = here;
            return recorded_mode::list;
        case 1: {
            std::int64_t stride = 0;
            read_base();
            if (!in.take_signed(stride)) fail(where, "the stride is missing or no number");
            values.push_back(base);
            values.push_back(static_cast<std::uint64_t>(stride));
            return recorded_mode::base_stride;
        }
        default:
            read_base();
            here = in;
            values.resize(offset + lanes);
            if (lanes > 0) values[offset] = base;
            for (unsigned i = 1; i < lanes; ++i) {
                std::int64_t delta = 0;
                if (!here.take_signed(delta)) {
                    fail(where, "delta " + std::to_string(i) + " of " + std::to_string(lanes - 1) +
                                    " is missing or no number");
                }
                base += static_cast<std::uint64_t>(delta);
                values[offset + i] = base;
            }
            in = here;
            return recorded_mode::base_deltas;
    }
}

}  // namespace simtlm::trace
