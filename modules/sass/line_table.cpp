// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/line_table.h"

#include "modules/sass/byte_reader.h"

#include <fmt/format.h>

#include <array>

namespace simtlm::sass {

namespace {

/// The evaluated opcodes of a line program (DWARF 2, section 6.2.5).
enum standard_opcode : std::uint8_t {
    extended = 0,
    copy = 1,
    advance_pc = 2,
    advance_line = 3,
    set_file = 4,
    set_column = 5,
    negate_statement = 6,
    set_basic_block = 7,
    const_add_pc = 8,
    fixed_advance_pc = 9,
};
enum extended_opcode : std::uint8_t { end_sequence = 1, set_address = 2 };

}  // namespace

line_table read_line_table(std::string_view section) {
    line_table table;
    byte_reader all(section);
    while (!all.done()) {
        const std::size_t unit_at = section.size() - all.left();
        const auto bytes = all.take<std::uint32_t>();
        const std::string_view unit = all.take_bytes(bytes);
        if (all.failed()) break;
        byte_reader r(unit);
        const auto version = r.take<std::uint16_t>();
        const auto header_bytes = r.take<std::uint32_t>();
        if (version < 2 || version > 3 || header_bytes > r.left()) continue;
        byte_reader program(unit.substr(6 + header_bytes));
        const std::size_t program_at = unit_at + 4 + 6 + header_bytes;
        const std::size_t program_bytes = program.left();
        const auto shortest = r.take<std::uint8_t>();
        r.skip(1);  // default_is_stmt
        const auto line_base = r.take<std::int8_t>();
        const auto line_range = r.take<std::uint8_t>();
        const auto opcode_base = r.take<std::uint8_t>();
        if (line_range == 0 || opcode_base == 0) continue;
        std::array<std::uint8_t, 256> lengths{};
        for (unsigned i = 1; i < opcode_base; ++i) lengths[i] = r.take<std::uint8_t>();
        std::vector<std::string> folders{""};
        for (std::string_view s = r.take_string(); !s.empty(); s = r.take_string())
            folders.emplace_back(s);
        const auto first_file = static_cast<std::uint32_t>(table.files.size());
        for (std::string_view s = r.take_string(); !s.empty(); s = r.take_string()) {
            const std::uint64_t folder = r.take_uleb128();
            r.take_uleb128();
            r.take_uleb128();
            const bool has_folder = folder < folders.size() && !folders[folder].empty();
            table.files.push_back(has_folder ? fmt::format("{}/{}", folders[folder], s)
                                             : std::string(s));
        }
        const auto files = static_cast<std::uint32_t>(table.files.size()) - first_file;
        std::uint64_t address = 0, file = 1;
        std::int64_t line = 1;
        bool placed = false;
        const auto emit = [&] {
            if (!placed || file == 0 || file > files || line <= 0 || line > 0x7fffffff) return;
            table.rows.push_back({static_cast<std::uint32_t>(table.set_address_offsets.size() - 1),
                                  address, first_file + static_cast<std::uint32_t>(file) - 1,
                                  static_cast<std::uint32_t>(line)});
        };
        while (!program.done()) {
            const auto op = program.take<std::uint8_t>();
            if (op >= opcode_base) {
                const unsigned n = op - opcode_base;
                address += std::uint64_t{n / line_range} * shortest;
                line += line_base + static_cast<int>(n % line_range);
                emit();
                continue;
            }
            switch (op) {
                case extended: {
                    const std::uint64_t n = program.take_uleb128();
                    if (n == 0 || n > program.left()) break;
                    const std::size_t at = program_at + program_bytes - program.left() + 1;
                    byte_reader body(program.take_bytes(static_cast<std::size_t>(n)));
                    switch (body.take<std::uint8_t>()) {
                        case end_sequence:
                            address = 0, file = 1, line = 1, placed = false;
                            break;
                        case set_address:
                            table.set_address_offsets.push_back(at);
                            address = 0;
                            placed = true;
                            break;
                        default:
                            break;
                    }
                    break;
                }
                case copy:
                    emit();
                    break;
                case advance_pc:
                    address += program.take_uleb128() * shortest;
                    break;
                case advance_line:
                    line += program.take_sleb128();
                    break;
                case set_file:
                    file = program.take_uleb128();
                    break;
                case const_add_pc:
                    address += std::uint64_t{(255u - opcode_base) / line_range} * shortest;
                    break;
                case fixed_advance_pc:
                    address += program.take<std::uint16_t>();
                    break;
                default:
                    for (unsigned i = 0; i < lengths[op]; ++i) program.take_uleb128();
                    break;
            }
        }
    }
    return table;
}

}  // namespace simtlm::sass
