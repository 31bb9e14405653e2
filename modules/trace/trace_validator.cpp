// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/trace_validator.h"

#include "modules/support/error.h"
#include "modules/trace/append_text.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace simtlm::trace {

namespace {

constexpr std::uint64_t pc_alignment = 8;  // Fermi to Pascal; 16 bytes since Volta
constexpr unsigned zero_register = 255;    // RZ, written as a number by older tracers
/// Registers are allocated in units of 8 per thread; trace generators round differently.
constexpr unsigned register_slack = 8;
constexpr std::uint32_t full_mask = 0xffffffff;

[[noreturn]] void fail(const place& where, const std::string& what) {
    throw support::user_error(where.where(), what + ", which no GPU executes",
                              "record or fetch the trace again, or replay it as it is with "
                              "--no-validate");
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::string_view (&list)[n]) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool leaves_the_kernel(const program::static_instruction& info) {
    if (info.cls == program::op_class::exit) return true;
    const std::string_view base =
        std::string_view(info.opcode).substr(0, std::strcspn(info.opcode, "."));
    static constexpr std::string_view endings[] = {"EXIT", "KILL", "BPT"};
    return is_one_of(base, endings);
}

void check_registers(const operand_list& list, std::uint32_t limit, std::uint32_t declared,
                     const place& where) {
    for (unsigned i = 0; i < list.count; ++i) {
        const unsigned r = list.registers[i];
        if (r != zero_register && r >= limit)
            fail(where, "register R" + std::to_string(r) + " in a kernel of " +
                            std::to_string(declared) + " registers (-nregs)");
    }
}

}  // namespace

opcode_rules rules_of(std::string_view opcode) {
    static constexpr std::string_view accesses[] = {"LD",  "LDG", "LDS",  "LDL",   "ST",    "STG",
                                                    "STS", "STL", "ATOM", "ATOMG", "ATOMS", "RED"};
    static constexpr std::string_view jumps[] = {"CALL", "CAL", "JCAL", "RET", "BRX",
                                                 "JMX",  "JMP", "BRXU", "PRET"};
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    return {is_one_of(base, accesses), is_one_of(base, jumps)};
}

void validate_instruction(const kernel_header& header, std::uint64_t pc,
                          const line_operands& operands, bool calls_seen, const place& where) {
    if (pc % pc_alignment != 0)
        fail(where,
             "program counter " + hex(pc) + " is no multiple of " + std::to_string(pc_alignment));
    if (calls_seen || header.registers == kernel_header::unspecified) return;
    const std::uint32_t limit = header.registers + register_slack;
    check_registers(operands.dst, limit, header.registers, where);
    check_registers(operands.src, limit, header.registers, where);
}

void validate_same_opcode(std::string_view known, std::string_view fresh, std::uint64_t pc,
                          const place& where) {
    const auto is_exit = [](std::string_view opcode) {
        return opcode.substr(0, opcode.find('.')) == "EXIT";
    };
    if (known == fresh || is_exit(known) || is_exit(fresh)) return;
    fail(where, std::string(known) + " and " + std::string(fresh) + " at program counter " +
                    hex(pc) + " of a kernel without calls");
}

void validate_width(std::uint64_t width, const place& where) {
    if ((width & (width - 1)) != 0)
        fail(where, "a memory access of " + std::to_string(width) + " bytes by each lane");
}

void validate_addresses(recorded_mode mode, std::uint32_t mask, std::uint64_t width,
                        const std::uint64_t* values, std::size_t count, const place& where) {
    if (count == 0 || mask == 0) return;
    const auto lanes = static_cast<std::uint64_t>(__builtin_popcount(mask));
    std::uint64_t all = 0;
    if (mode == recorded_mode::base_stride) {
        if (lanes > 1) {
            all = values[1];
            const __int128 last = static_cast<__int128>(values[0]) +
                                  static_cast<__int128>(static_cast<std::int64_t>(values[1])) *
                                      static_cast<__int128>(lanes - 1);
            if (last < 0 || (last >> 64) != 0)
                fail(where, "addresses that wrap: a base of " + hex(values[0]) +
                                " and a stride of " +
                                std::to_string(static_cast<std::int64_t>(values[1])));
        }
        all |= values[0];
    } else {
        std::uint64_t common = values[0];
        for (std::size_t i = 0; i < count; ++i) {
            all |= values[i];
            common &= values[i];
        }
        if (mode == recorded_mode::base_deltas && ((all ^ common) >> 63) != 0)
            fail(where, "addresses that wrap, from a base of " + hex(values[0]));
    }
    if ((all & (width - 1)) != 0)
        fail(where, "a misaligned access of " + std::to_string(width) + " bytes by each lane");
}

void validate_warp(const kernel_header& header, unsigned warp,
                   const program::dynamic_instruction* first, std::size_t count,
                   const place& where) {
    const auto name = [&] { return "warp " + std::to_string(warp); };
    if (!leaves_the_kernel(*first[count - 1].info))
        fail(where, name() + " ends with " + first[count - 1].info->opcode + " and without EXIT");
    const std::uint64_t threads = header.threads_per_block();
    const std::uint64_t before = std::uint64_t{32} * warp;
    if (threads >= before + 32) return;
    const std::uint32_t lanes = (std::uint32_t{1} << (threads - before)) - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t mask = first[i].active_mask;
        if ((mask & ~lanes) != 0 && mask != full_mask)
            fail(where, name() + " has the active mask " + hex(mask) + " at program counter " +
                            hex(first[i].info->pc) + " and " + std::to_string(threads - before) +
                            " threads");
    }
}

}  // namespace simtlm::trace
