// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode.h"

#include "modules/isa/decode.h"

#include <array>
#include <unordered_map>

namespace simtlm::isa {

namespace {

constexpr std::array<opcode_record, opcode_count> records = {{
    {"UNKNOWN", "", scheduling_rule::alu},
#define SIMTLM_OPCODE(name, units, scheduling, lowering) \
    {#name, units, scheduling_rule::scheduling},
#include "modules/isa/opcodes.def"
}};

}  // namespace

const opcode_record& record_of(opcode o) {
    return records[static_cast<std::size_t>(o)];
}

std::string_view name_of(opcode o) {
    return record_of(o).name;
}

opcode opcode_named(std::string_view name) {
    static const std::unordered_map<std::string_view, opcode> by_name = [] {
        std::unordered_map<std::string_view, opcode> m;
        for (std::size_t n = 1; n < opcode_count; ++n)
            m.emplace(records[n].name, static_cast<opcode>(n));
        return m;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? opcode::unknown : found->second;
}

program::scheduling_class scheduling_class_of(opcode o, std::string_view mnemonic) {
    using program::scheduling_class;
    const auto has = [mnemonic](std::string_view modifier) {
        return has_modifier(mnemonic, modifier);
    };
    switch (record_of(o).scheduling) {
        case scheduling_rule::alu:
            return scheduling_class::alu;
        case scheduling_rule::alu64:
            return scheduling_class::alu64;
        case scheduling_rule::fp32:
            return scheduling_class::fp32;
        case scheduling_rule::imad:
            return scheduling_class::imad;
        case scheduling_rule::imad_or_wide:
            return has("WIDE") || has("HI") ? scheduling_class::imad_wide : scheduling_class::imad;
        case scheduling_rule::half:
            return scheduling_class::half;
        case scheduling_rule::uniform:
            return scheduling_class::uniform;
        case scheduling_rule::fp64:
            return scheduling_class::fp64;
        case scheduling_rule::mma:
            return scheduling_class::mma;
        case scheduling_rule::xu:
            return scheduling_class::xu;
        case scheduling_rule::xu_or_xu64:
            return has("F64") || has("S64") || has("U64") ? scheduling_class::xu64
                                                          : scheduling_class::xu;
        case scheduling_rule::special:
            return scheduling_class::special;
        case scheduling_rule::branch:
            return scheduling_class::branch;
        case scheduling_rule::barrier:
            return scheduling_class::barrier;
        case scheduling_rule::memory:
            return scheduling_class::memory;
        case scheduling_rule::shuffle:
            return scheduling_class::shuffle;
    }
    return scheduling_class::alu;
}

}  // namespace simtlm::isa
