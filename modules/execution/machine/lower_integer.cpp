// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"

#include <string_view>
#include <utility>

namespace simtlm::execution {

using sass::operand_kind;

bool machine_lowering::lower_integer() {
    const std::string_view name = uniform_ ? now_.opcode.substr(1) : now_.opcode;
    const bool x = now_.has("X");
    if (name == "IADD3" || name == "VIADD") {
        if (now_.has("16x2")) return false;
        if (now_.has("64")) return lower_wide_add();
        // Operands: Rd, carries, A, B, C, carries of .X
        machine_details& d = details();
        unsigned n = 1;
        const auto is_predicate = [&](unsigned i) {
            return at(i).kind == operand_kind::predicate ||
                   at(i).kind == operand_kind::uniform_predicate;
        };
        for (unsigned r = 0; is_predicate(n); ++n, ++r) result_predicate(d, r, at(n));
        slot sources[3];
        for (unsigned i = 0; i < 3; ++i) {
            if (name == "VIADD" && i == 2) {
                sources[i] = machine_frame::zero;
                break;
            }
            modifiers(d, i, at(n), false);
            sources[i] = low_word(at(n++));
        }
        d.extended = x;
        if (x) {
            source_predicate(d, 0, at(n));
            source_predicate(d, 1, at(n + 1));
        }
        operation& op = emit(lanes_.add3, &d);
        op.destination = result_row(at(0));
        std::copy(sources, sources + 3, op.source);
        return true;
    }
    if (name == "IMAD" && now_.has("MOV")) {
        // Printed for both a product with zero plus C, and a product of A and 1 plus zero.
        const auto is_zero = [](const operand& o) {
            return (o.kind == operand_kind::reg && o.index == sass::register_rz) ||
                   (o.kind == operand_kind::integer && static_cast<std::uint32_t>(o.value) == 0);
        };
        const operand& moved = is_zero(at(1)) || is_zero(at(2)) ? at(3) : at(1);
        const slot from = low_word(moved);
        if (!moved.negate && !moved.invert) {
            emit_copy(result_row(at(0)), from);
            return true;
        }
        machine_details& d = details();
        modifiers(d, 0, moved, false);
        operation& op = emit(lanes_.modify, &d);
        op.source[0] = from;
        op.destination = result_row(at(0));
        return true;
    }
    if (name == "IMAD") {
        machine_details& d = details();
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        d.is_signed = !now_.has("U32");
        d.extended = x;
        modifiers(d, 2, at(n + 2), false);
        if (x) source_predicate(d, 0, at(n + 3));
        // With .HI, too, the third source is a pair; the low word of the sum is discarded.
        const bool wide = now_.has("WIDE"), high = now_.has("HI");
        const slot a = low_word(at(n)), b = low_word(at(n + 1)), c = low_word(at(n + 2));
        const slot c_high = wide || high ? high_word(at(n + 2)) : no_slot;
        operation& op =
            emit_words(wide || high ? lanes_.multiply_add_wide : lanes_.multiply_add, &d,
                       high ? machine_frame::discard : result_row(at(0)), {a, b, c, c_high});
        if (wide) op.destination2 = result_row(at(0), 1);
        if (high) op.destination2 = result_row(at(0));
        return true;
    }
    if (name == "LEA") {
        machine_details& d = details();
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        d.high = now_.has("HI");
        d.is_signed = now_.has("SX32");
        d.extended = x;
        modifiers(d, 0, at(n), false);
        modifiers(d, 1, at(n + 1), false);
        const slot a = low_word(at(n)), b = low_word(at(n + 1));
        n += 2;
        slot c = machine_frame::zero;
        if (d.high && !d.is_signed) c = low_word(at(n++));
        d.number = static_cast<std::uint32_t>(at(n++).value);
        if (x) source_predicate(d, 0, at(n));
        emit_words(lanes_.shift_add, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "IMNMX" || name == "VIMNMX") {
        if (now_.has("RELU") || now_.has("S16x2") || now_.has("U16x2")) return false;
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        source_predicate(d, 0, at(3));
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(lanes_.minmax, &d, result_row(at(0)), {a, b});
        return true;
    }
    if (name == "VIADDMNMX") {
        if (now_.has("RELU") || now_.has("S16x2") || now_.has("U16x2")) return false;
        machine_details& sum = details();
        modifiers(sum, 0, at(1), false);
        modifiers(sum, 1, at(2), false);
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3)), to = scratch();
        emit_words(lanes_.add3, &sum, to, {a, b, machine_frame::zero}, false);
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        source_predicate(d, 0, at(4));
        emit_words(lanes_.minmax, &d, result_row(at(0)), {to, c});
        return true;
    }
    if (name == "ISETP") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        source_predicate(d, 0, at(4));
        d.extended = now_.has("EX");
        if (d.extended) source_predicate(d, 1, at(5));
        d.is_signed = !now_.has("U32");
        constexpr std::pair<std::string_view, unsigned> orders[] = {
            {"F", 0}, {"LT", 1}, {"EQ", 2}, {"LE", 3}, {"GT", 4}, {"NE", 5}, {"GE", 6}, {"T", 7}};
        for (const auto& o : orders)
            if (now_.modifiers[0] == o.first) d.comparison = o.second;
        d.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        const slot a = low_word(at(2)), b = low_word(at(3));
        operation& op = emit(lanes_.compare, &d);
        op.source[0] = a;
        op.source[1] = b;
        return true;
    }
    if (name == "I2I") {
        // Saturated to the range of a byte or a half word.
        const bool byte = now_.has("U8") || now_.has("S8");
        const bool is_signed = now_.has("S8") || now_.has("S16");
        const std::uint32_t values = byte ? 256 : 65536;
        const std::uint32_t most = is_signed ? values / 2 - 1 : values - 1;
        const std::uint32_t least = is_signed ? 0 - values / 2 : 0;
        machine_details& below = details();
        below.is_signed = true;
        machine_details& above = details();
        above.is_signed = true;
        above.predicate_flip[0] = all_lanes;
        const slot a = low_word(at(1)), clamped = scratch();
        emit_words(lanes_.minmax, &below, clamped, {a, number(most)}, false);
        emit_words(lanes_.minmax, &above, result_row(at(0)), {clamped, number(least)});
        return true;
    }
    const auto one = [&](handler h) {
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        d.high = now_.has("SH");
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        modifiers(d, 0, at(n), false);
        const slot a = low_word(at(n));
        operation& op = emit(h, &d);
        op.source[0] = a;
        op.destination = result_row(at(0));
        return true;
    };
    if (name == "IABS") return one(lanes_.absolute);
    if (name == "POPC") return one(lanes_.count);
    if (name == "FLO") return one(lanes_.find);
    if (name == "BREV") return one(lanes_.reverse);
    if (name == "SGXT" || name == "BMSK") {
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        d.wraps = now_.has("W");
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(name == "SGXT" ? lanes_.extend : lanes_.field_mask, &d, result_row(at(0)),
                   {a, b});
        return true;
    }
    return false;
}

bool machine_lowering::lower_logic() {
    const std::string_view name = uniform_ ? now_.opcode.substr(1) : now_.opcode;
    if (name == "LOP3") {
        machine_details& d = details();
        unsigned n = 0;
        if (at(0).kind == operand_kind::predicate || at(0).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        const operand& to = at(n++);
        const slot a = low_word(at(n)), b = low_word(at(n + 1)), c = low_word(at(n + 2));
        d.number = static_cast<std::uint32_t>(at(n + 3).value);
        source_predicate(d, 0, at(n + 4));
        d.combination = now_.has("PAND") ? 0 : 1;
        emit_words(lanes_.logic, &d, result_row(to), {a, b, c});
        return true;
    }
    if (name == "PLOP3" && at(2).kind == operand_kind::reg) {
        // Operates on the sign bits of registers: that of LOP3's result.
        const slot a = low_word(at(2)), b = low_word(at(3)), c = low_word(at(4));
        for (unsigned n = 0; n < 2; ++n) {
            if (n == 1 && at(n).index == sass::predicate_true) break;
            machine_details& table = details();
            table.number = static_cast<std::uint32_t>(at(5 + n).value);
            const slot bits = scratch();
            emit_words(lanes_.logic, &table, bits, {a, b, c}, false);
            machine_details& negative = details();
            result_predicate(negative, 0, at(n));
            negative.is_signed = true;
            negative.comparison = 1;  // less
            operation& sign = emit(lanes_.compare, &negative);
            sign.source[0] = bits;
            sign.source[1] = machine_frame::zero;
        }
        return true;
    }
    if (name == "PLOP3") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        for (unsigned i = 0; i < 3; ++i) source_predicate(d, i, at(2 + i));
        d.number = static_cast<std::uint32_t>(at(5).value);
        d.number2 = static_cast<std::uint32_t>(at(6).value);
        emit(machine_logic_predicates, &d);
        return true;
    }
    if (name == "SHF" || name == "PRMT") {
        machine_details& d = details();
        constexpr std::string_view modes[] = {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
        if (name == "PRMT")
            for (unsigned i = 0; i < std::size(modes); ++i)
                if (now_.has(modes[i])) d.combination = i + 1;
        d.left = now_.has("L");
        d.wraps = now_.has("W");
        d.high = now_.has("HI");
        d.is_signed = now_.has("S32") || now_.has("S64");
        d.width = now_.has("U64") || now_.has("S64") ? 64 : 32;
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
        emit_words(name == "SHF" ? lanes_.shift : lanes_.permute, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "SEL" || name == "FSEL") {
        if (now_.has("FTZ")) return false;
        machine_details& d = details();
        modifiers(d, 0, at(1), name == "FSEL");
        modifiers(d, 1, at(2), name == "FSEL");
        source_predicate(d, 0, at(3));
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(lanes_.select, &d, result_row(at(0)), {a, b});
        return true;
    }
    return false;
}

}  // namespace simtlm::execution
