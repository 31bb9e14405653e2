// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"

#include "modules/isa/opcode.h"
#include "modules/support/error.h"
#include "modules/support/text_file.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace simtlm::isa {

using program::memory_space;
using program::op_class;
using program::special_op;

namespace {

constexpr std::pair<std::string_view, op_class> class_names[] = {
    {"alu", op_class::alu},       {"sp", op_class::sp},
    {"int", op_class::integer},   {"dp", op_class::dp},
    {"sfu", op_class::sfu},       {"tensor", op_class::tensor},
    {"load", op_class::load},     {"store", op_class::store},
    {"branch", op_class::branch}, {"call", op_class::call},
    {"ret", op_class::ret},       {"barrier", op_class::barrier},
    {"exit", op_class::exit},     {"fence", op_class::memory_barrier},
    {"spec1", op_class::spec1},   {"spec2", op_class::spec2},
    {"spec3", op_class::spec3},   {"spec4", op_class::spec4},
    {"spec5", op_class::spec5},   {"spec6", op_class::spec6},
    {"spec7", op_class::spec7},   {"spec8", op_class::spec8},
};

constexpr std::pair<std::string_view, memory_space> space_names[] = {
    {"global", memory_space::global},   {"local", memory_space::local},
    {"shared", memory_space::shared},   {"constant", memory_space::constant},
    {"generic", memory_space::generic},
};

constexpr std::pair<std::string_view, special_op> special_names[] = {
    {"ldgsts", special_op::ldgsts},       {"ldgdepbar", special_op::ldgdepbar},
    {"depbar", special_op::depbar},       {"ldsm", special_op::ldsm},
    {"warp_sync", special_op::warp_sync},
};

template <typename Table, typename Value>
bool look_up(const Table& table, std::string_view name, Value& value) {
    for (const auto& row : table) {
        if (row.first == name) {
            value = row.second;
            return true;
        }
    }
    return false;
}

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Consumes the next word of a text; empty at its end. ':' '[' and ']' are words.
std::string_view take_word(std::string_view& text) {
    const auto is_mark = [](char c) { return c == ':' || c == '[' || c == ']'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    std::size_t n = 0;
    if (!text.empty() && is_mark(text.front())) {
        n = 1;
    } else {
        while (n < text.size() && !is_space(text[n]) && !is_mark(text[n])) ++n;
    }
    const std::string_view word = text.substr(0, n);
    text.remove_prefix(n);
    return word;
}

/// The built-in architectures: name, parent and versions, as in the heading of a section.
struct builtin_architecture {
    std::string_view heading;
};
constexpr builtin_architecture builtin_architectures[] = {
    {"common]"},  // what Maxwell, Pascal and everything from Volta on share
    {"kepler] 30 32 35 37"},
    {"pascal : common] 60 61 62"},
    {"maxwell : pascal] 50 52 53"},
    {"volta : common] 70 72"},
    {"turing : volta] 75"},
    {"ampere : turing] 80 86 87"},
    {"ada : ampere] 89"},
    {"hopper : ada] 90"},
    {"blackwell : hopper] 100 101 103 110 120 121"},
};

/// The class and attributes of an opcode in an architecture; empty: it does not define the opcode.
/// @param units  opcode_record::units
std::string_view unit_of(std::string_view units, std::string_view architecture) {
    while (!units.empty()) {
        std::string_view one = units.substr(0, units.find(';'));
        units.remove_prefix(std::min(units.size(), one.size() + 1));
        std::string_view names = take_word(one);
        while (!names.empty()) {
            const std::string_view name = names.substr(0, names.find(','));
            names.remove_prefix(std::min(names.size(), name.size() + 1));
            if (name == architecture) return one;
        }
    }
    return {};
}

}  // namespace

opcode_tables opcode_tables::builtin() {
    std::string text;
    for (const builtin_architecture& a : builtin_architectures) {
        text += "[" + std::string(a.heading) + "\n";
        const std::string_view name = a.heading.substr(0, a.heading.find_first_of(" ]"));
        for (std::size_t n = 1; n < opcode_count; ++n) {
            const opcode_record& record = record_of(static_cast<opcode>(n));
            const std::string_view unit = unit_of(record.units, name);
            if (!unit.empty()) text.append(unit).append(": ").append(record.name) += '\n';
        }
    }
    opcode_tables tables;
    tables.load_text(text, "built-in opcode tables");
    return tables;
}

void opcode_tables::load(const std::string& file) {
    load_text(support::read_text_file(file, "--opcode-table takes an opcode file"), file);
}

void opcode_tables::load_text(std::string_view text, const std::string& where) {
    int current = -1;
    unsigned line_number = 0;
    const auto fail = [&](const std::string& what, const std::string& remedy = {}) {
        throw support::user_error(where + ":" + std::to_string(line_number), what, remedy);
    };

    const auto open_section = [&](std::string_view line) {
        const std::string name{take_word(line)};
        if (name.empty() || name == ":" || name == "]") fail("a section without a name");
        std::string_view word = take_word(line);
        int parent = -1;
        if (word == ":") {
            const std::string_view parent_name = take_word(line);
            parent = index_of(parent_name);
            if (parent < 0) fail("unknown parent architecture '" + std::string{parent_name} + "'");
            word = take_word(line);
        }
        if (word != "]") fail("expected ']' after the architecture's name");
        current = index_of(name);
        if (current >= 0 && parent >= 0 && architectures_[current].parent != parent) {
            fail("architecture '" + name + "' already has another parent");
        }
        if (current < 0) {
            current = static_cast<int>(architectures_.size());
            architectures_.push_back({name, parent, {}});
        }
        for (word = take_word(line); !word.empty(); word = take_word(line)) {
            unsigned version = 0;
            for (char c : word) {
                if (c < '0' || c > '9' || version > 9999) {
                    fail("'" + std::string{word} + "' is no binary version",
                         "a number such as 80 for sm_80");
                }
                version = version * 10 + static_cast<unsigned>(c - '0');
            }
            by_version_[version] = current;
        }
    };

    const auto add_opcodes = [&](std::string_view line) {
        if (current < 0) fail("opcodes before the first [architecture]");
        opcode_entry entry;
        std::string_view word = take_word(line);
        if (!look_up(class_names, word, entry.cls)) {
            fail("unknown class '" + std::string{word} + "'",
                 "write 'class [attributes]: OPCODE ...', e.g. 'load global: LDG'");
        }
        for (word = take_word(line); word != ":"; word = take_word(line)) {
            if (word == "atomic") {
                entry.atomic = true;
            } else if (word == "half") {
                entry.half = true;
            } else if (word.empty()) {
                fail("no ':' between class and opcodes");
            } else if (!look_up(space_names, word, entry.space) &&
                       !look_up(special_names, word, entry.special)) {
                fail("unknown attribute '" + std::string{word} + "'");
            }
        }
        const bool memory = entry.cls == op_class::load || entry.cls == op_class::store;
        if (memory != (entry.space != memory_space::none)) {
            fail(memory ? "a load or store without a memory space"
                        : "a memory space on what neither loads nor stores");
        }
        word = take_word(line);
        if (word.empty()) fail("a class without opcodes");
        for (; !word.empty(); word = take_word(line)) {
            for (char c : word) {
                if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
                    fail("'" + std::string{word} + "' is no base opcode",
                         "the part before the first dot");
                }
            }
            architectures_[static_cast<std::size_t>(current)].opcodes[std::string{word}] = entry;
        }
    };

    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
        ++line_number;
        line = line.substr(0, line.find('#'));
        std::string_view rest = line;
        const std::string_view first = take_word(rest);
        if (first.empty()) continue;
        if (first == "[") {
            open_section(rest);
        } else {
            add_opcodes(line);
        }
    }
}

const opcode_entry* opcode_tables::find(unsigned binary_version,
                                        std::string_view base_opcode) const {
    const auto version = by_version_.find(binary_version);
    if (version == by_version_.end()) return nullptr;
    for (int a = version->second; a >= 0; a = architectures_[static_cast<std::size_t>(a)].parent) {
        const auto& opcodes = architectures_[static_cast<std::size_t>(a)].opcodes;
        const auto it = opcodes.find(base_opcode);
        if (it != opcodes.end()) return &it->second;
    }
    return nullptr;
}

bool opcode_tables::knows_version(unsigned binary_version) const {
    return by_version_.count(binary_version) != 0;
}

std::string opcode_tables::architecture_of(unsigned binary_version) const {
    const auto it = by_version_.find(binary_version);
    return it == by_version_.end() ? std::string{}
                                   : architectures_[static_cast<std::size_t>(it->second)].name;
}

std::string opcode_tables::versions() const {
    std::string all;
    for (const auto& row : by_version_) {
        if (!all.empty()) all += ' ';
        all += std::to_string(row.first);
    }
    return all;
}

std::vector<std::string> opcode_tables::architecture_names() const {
    std::vector<std::string> names;
    for (const auto& a : architectures_) names.push_back(a.name);
    return names;
}

int opcode_tables::index_of(std::string_view name) const {
    for (std::size_t i = 0; i < architectures_.size(); ++i) {
        if (architectures_[i].name == name) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace simtlm::isa
