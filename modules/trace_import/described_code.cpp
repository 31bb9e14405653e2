// SPDX-License-Identifier: Apache-2.0
#include "modules/trace_import/described_code.h"

#include "modules/execution/machine/machine_description.h"
#include "modules/isa/decode.h"
#include "modules/sass/decoder.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace simtlm::trace_import {

namespace {

constexpr unsigned first_decodable = 70, last_decodable = 90;

/// Latencies of the configuration of the replay, see executed_code.h.
program::latency_table latencies_of_replay() {
    program::latency_table table;
    table.of.fill({0, 2});
    return table;
}

/// The general registers that an operand names, in order: R4 of "desc[UR6][R4.64+0x10]".
std::vector<std::uint8_t> registers_of(std::string_view operand) {
    std::vector<std::uint8_t> list;
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (std::size_t n = 0; n + 1 < operand.size(); ++n) {
        if (operand[n] != 'R' || (n > 0 && is_word(operand[n - 1]))) continue;
        const char* const first = operand.data() + n + 1;
        unsigned index = 0;
        if (*first == 'Z')
            list.push_back(isa::recorded_zero);
        else if (const auto [end, error] =
                     std::from_chars(first, operand.data() + operand.size(), index);
                 error == std::errc() && index < isa::recorded_zero)
            list.push_back(static_cast<std::uint8_t>(index));
    }
    return list;
}

/// Whether an operand is a register and not an address with one.
bool is_register(std::string_view operand) {
    const std::size_t first = operand.find_first_not_of("-|~!");
    return first != std::string_view::npos && operand[first] == 'R';
}

/// Parses an integer immediate, "0x10" or "-4".
bool read_immediate(std::string_view text, std::int64_t& to) {
    const bool negative = text.substr(0, 1) == "-";
    if (negative) text.remove_prefix(1);
    const bool hexadecimal = text.substr(0, 2) == "0x";
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t v = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), v, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    to = static_cast<std::int64_t>(negative ? 0 - v : v);
    return true;
}

/// The part of an instruction that Accel-Sim's tracer records: registers and the last immediate.
isa::instruction_text text_of_operands(const static_line& line) {
    isa::instruction_text t;
    for (std::size_t n = 0; n < line.operands.size(); ++n) {
        const std::string& o = line.operands[n];
        std::int64_t immediate = 0;
        if (read_immediate(o, immediate)) {
            t.n_immediates = 1;
            t.immediates[0] = immediate;
        }
        const bool is_result = n == 0 && line.has_result && is_register(o);
        for (const std::uint8_t r : registers_of(o)) {
            if (is_result)
                t.dst[0] = r, t.n_dst = 1;
            else if (t.n_src < isa::max_sources)
                t.src[t.n_src++] = r;
        }
    }
    return t;
}

}  // namespace

described_code::described_code(const static_code& code,
                               std::shared_ptr<const isa::opcode_tables> opcodes,
                               const std::set<int>& kernels)
    : code_(code), opcodes_(std::move(opcodes)) {
    std::vector<execution::function_extent> extents;
    for (const auto& [id, f] : code.functions())
        extents.push_back({kernels.count(id) != 0, f.lines.size() * sass::instruction_bytes});
    const std::vector<std::uint64_t> base = execution::place_functions(extents);
    std::size_t n = 0;
    for (const auto& [id, source] : code.functions()) {
        described_function& f = functions_[id];
        f.source = &source;
        f.is_kernel = extents[n].is_kernel;
        const unsigned version = source.architecture;
        if (source.has_words && (version < first_decodable || version > last_decodable))
            throw support::user_error(
                code.file(),
                fmt::format("function {} is machine code of sm_{}", source.name, version),
                fmt::format("that of sm_{} to sm_{} can be imported", first_decodable,
                            last_decodable));
        if (!opcodes_->knows_version(version))
            throw support::user_error(
                code.file(),
                fmt::format("function {}: unknown binary version {}", source.name, version),
                "known are " + opcodes_->versions() + "; --opcode-table can add it");
        source.has_words ? describe_words(f, base[n]) : describe_text(f, base[n]);
        for (program::static_instruction& s : f.instructions) {
            program::dynamic_instruction d;
            d.info = &s;
            d.space = s.space;
            f.sequence.push_back(d);
        }
        for (const static_line& line : source.lines)
            f.has_registers.push_back(
                std::any_of(line.operands.begin(), line.operands.end(),
                            [](const std::string& o) { return !registers_of(o).empty(); }));
        ++n;
    }
}

void described_code::describe_words(described_function& f, std::uint64_t base) {
    execution::instruction_timing timing;
    timing.machine_code.latencies = latencies_of_replay();
    timing.opcodes = opcodes_;
    execution::machine_describer describer(f.source->architecture, timing);
    std::vector<sass::instruction_word> words;
    for (const static_line& line : f.source->lines) words.push_back(*line.word);
    describer.begin(words, base);
    std::size_t different = 0;
    std::string first;
    for (std::size_t n = 0; n < words.size(); ++n) {
        const std::string& named = f.source->lines[n].opcode;
        sass::instruction i;
        f.is_known.push_back(
            sass::decode(words[n], f.source->architecture, n * sass::instruction_bytes, i));
        names_.push_back(f.is_known.back() ? sass::full_opcode(i) : named);
        f.instructions.push_back(describer.describe(n, names_.back().c_str()));
        if (isa::base_opcode(names_.back()) == isa::base_opcode(named)) continue;
        if (different++ == 0)
            first = fmt::format("at {:#x} {} instead of {}", n * sass::instruction_bytes,
                                names_.back(), named);
    }
    if (different != 0)
        warnings_.push_back(
            fmt::format("{}: function {}: {} instructions have other opcodes than their text says, "
                        "the first {}",
                        code_.file(), f.source->name, different, first));
}

void described_code::describe_text(described_function& f, std::uint64_t base) {
    isa::decode_options options;
    options.latencies = latencies_of_replay();
    for (std::size_t n = 0; n < f.source->lines.size(); ++n) {
        const static_line& line = f.source->lines[n];
        isa::instruction_text text = text_of_operands(line);
        text.pc = base + n * sass::instruction_bytes;
        text.opcode = line.opcode.c_str();
        const isa::opcode_entry* const known =
            opcodes_->find(f.source->architecture, isa::base_opcode(line.opcode));
        f.is_known.push_back(known != nullptr);
        f.instructions.push_back(
            isa::decode(known != nullptr ? *known : isa::opcode_entry{}, text, options));
        if (!line.word) continue;
        f.instructions.back().control = program::control_bits::decode(line.word->control_field());
    }
}

std::vector<program::instruction_window> described_code::code_of(
    const described_function& kernel) const {
    std::vector<program::instruction_window> code;
    const auto add = [&](const described_function& f) {
        if (f.sequence.empty()) return;
        code.push_back({f.sequence.data(), f.sequence.data() + f.sequence.size()});
    };
    add(kernel);
    for (const auto& [id, f] : functions_)
        if (&f != &kernel && may_call(kernel, f) && f.source->has_words) add(f);
    return code;
}

std::string described_code::control_lines(const described_function& kernel) const {
    std::string text;
    for (const auto& [id, f] : functions_) {
        if (!may_call(kernel, f)) continue;
        for (const program::static_instruction& s : f.instructions)
            if (s.control.present)
                text += fmt::format("-control {:x} = {:x}\n", s.pc, s.control.encode());
    }
    return text;
}

}  // namespace simtlm::trace_import
