// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"

#include <string_view>
#include <utility>

namespace simtlm::execution {

using sass::operand_kind;

namespace {

ptx::rounding rounding_of(const sass::instruction& i) {
    return i.has("RM")   ? ptx::rounding::rm
           : i.has("RP") ? ptx::rounding::rp
           : i.has("RZ") ? ptx::rounding::rz
                         : ptx::rounding::rn;
}
constexpr std::pair<std::string_view, ptx::comparison> float_comparisons[] = {
    {"LT", ptx::comparison::lt},   {"EQ", ptx::comparison::eq},   {"LE", ptx::comparison::le},
    {"GT", ptx::comparison::gt},   {"NE", ptx::comparison::ne},   {"GE", ptx::comparison::ge},
    {"NUM", ptx::comparison::num}, {"NAN", ptx::comparison::nan}, {"LTU", ptx::comparison::ltu},
    {"EQU", ptx::comparison::equ}, {"LEU", ptx::comparison::leu}, {"GTU", ptx::comparison::gtu},
    {"NEU", ptx::comparison::neu}, {"GEU", ptx::comparison::geu}};

}  // namespace

bool machine_lowering::lower_float() {
    using ptx::opcode;
    using ptx::type;
    const std::string_view name = now_.opcode;
    const auto with_flags = [&](opcode code) {
        ptx::operation o = value_operation(code, type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        if (now_.has("SAT")) set(o, ptx::flag::sat);
        if (now_.has("NAN")) set(o, ptx::flag::nan);
        return o;
    };
    if (name == "FADD" || name == "FMUL" || name == "FFMA") {
        if (now_.has("FMZ")) return false;
        // The product is scaled by a power of two. Here the first factor is scaled, which is
        // equivalent except for subnormals and infinity.
        constexpr std::pair<std::string_view, std::uint32_t> scales[] = {
            {"D2", 0x3f000000}, {"D4", 0x3e800000}, {"D8", 0x3e000000},
            {"M2", 0x40000000}, {"M4", 0x40800000}, {"M8", 0x41000000}};
        slot scaled = no_slot;
        for (const auto& scale : scales)
            if (now_.has(scale.first)) {
                ptx::operation by = value_operation(opcode::mul, type::f32);
                by.round = ptx::rounding::rn;
                const slot factor = float_source(at(1));
                scaled = scratch();
                if (!emit_values(by, scaled, {factor, number(scale.second)}, false)) return false;
            }
        ptx::operation o = with_flags(name == "FADD"   ? opcode::add
                                      : name == "FMUL" ? opcode::mul
                                                       : opcode::fma);
        o.round = rounding_of(now_);
        const slot a = scaled != no_slot ? scaled : float_source(at(1));
        const slot b = float_source(at(2));
        if (name != "FFMA") return emit_values(o, result_row(at(0)), {a, b});
        const slot c = float_source(at(3));
        return emit_values(o, result_row(at(0)), {a, b, c});
    }
    if (name == "FMNMX") {
        const operand& p = at(3);
        if (now_.has("XORSIGN")) {
            // The operand of lesser or greater magnitude, with the sign of the product.
            if (!at(1).absolute || !at(2).absolute || at(1).negate || at(2).negate ||
                p.index != sass::predicate_true)
                return false;
            ptx::operation o = with_flags(p.negate_predicate ? opcode::max : opcode::min);
            set(o, ptx::flag::xorsign_abs);
            const slot a = low_word(at(1)), b = low_word(at(2));
            return emit_values(o, result_row(at(0)), {a, b});
        }
        const slot a = float_source(at(1)), b = float_source(at(2));
        if (p.index == sass::predicate_true) {
            const ptx::operation o = with_flags(p.negate_predicate ? opcode::max : opcode::min);
            return emit_values(o, result_row(at(0)), {a, b});
        }
        const slot smaller = scratch(), larger = scratch();
        if (!emit_values(with_flags(opcode::min), smaller, {a, b}, false) ||
            !emit_values(with_flags(opcode::max), larger, {a, b}, false))
            return false;
        machine_details& d = details();
        source_predicate(d, 0, p);
        emit_words(lanes_.select, &d, result_row(at(0)), {smaller, larger});
        return true;
    }
    if (name == "FSETP" || name == "DSETP") {
        const bool wide = name == "DSETP";
        ptx::operation o = value_operation(opcode::setp, wide ? type::f64 : type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        for (const auto& c : float_comparisons)
            if (now_.modifiers[0] == c.first) o.compare = c.second;
        if (wide && (now_.has("MIN") || now_.has("MAX"))) {
            if (at(4).index != sass::predicate_true || at(4).negate_predicate || !now_.has("AND"))
                return false;
            const slot x = double_source(at(2)), y = double_source(at(3));
            machine_details& d = details();
            d.left = now_.has("MIN");
            result_predicate(d, 0, at(0));
            result_predicate(d, 1, at(1));
            operation& op = emit(machine_double_extremum, &d);
            op.source[0] = x;
            op.source[1] = y;
            return true;
        }
        if (o.compare == ptx::comparison::none) return false;
        const slot a = wide ? double_source(at(2)) : float_source(at(2));
        const slot b = wide ? double_source(at(3)) : float_source(at(3));
        const bool is_and = !now_.has("OR") && !now_.has("XOR");
        if (is_and && at(4).index == sass::predicate_true && !at(4).negate_predicate) {
            const slot first = predicate_slot(at(0)), second = predicate_slot(at(1));
            if (!emit_values(o, first == 0 ? machine_frame::no_predicate : first, {a, b}))
                return false;
            if (second != 0) image_.code_.back().destination2 = second;
            return true;
        }
        if (!emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
        machine_details& d = details();
        d.predicate[0] = machine_frame::scratch_mask;
        source_predicate(d, 1, at(4));
        d.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        emit(machine_combine, &d);
        return true;
    }
    if (name == "FSWZADD") {
        if (rounding_of(now_) != ptx::rounding::rn) return false;
        machine_details& d = details();
        modifiers(d, 0, at(1), true);
        modifiers(d, 1, at(2), true);
        d.number = static_cast<std::uint32_t>(at(3).value);
        d.wraps = now_.has("FTZ");
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(machine_add_in_quads, &d, result_row(at(0)), {a, b});
        return true;
    }
    if (name == "FSET") {
        ptx::operation o = value_operation(opcode::setp, type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        for (const auto& c : float_comparisons)
            if (now_.has(c.first)) o.compare = c.second;
        if (o.compare == ptx::comparison::none) return false;
        const slot a = float_source(at(1)), b = float_source(at(2));
        if (!emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
        machine_details& combined = details();
        combined.predicate[0] = machine_frame::scratch_mask;
        source_predicate(combined, 1, at(3));
        combined.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        combined.result[0] = machine_frame::scratch_mask2;
        emit(machine_combine, &combined, false);
        machine_details& d = details();
        d.predicate[0] = machine_frame::scratch_mask2;
        constexpr std::uint32_t one = 0x3f800000;
        emit_words(lanes_.select, &d, result_row(at(0)),
                   {number(now_.has("BF") ? one : ~0u), machine_frame::zero});
        return true;
    }
    if (name == "FCHK") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        modifiers(d, 0, at(1), true);
        modifiers(d, 1, at(2), true);
        const slot a = low_word(at(1)), b = low_word(at(2));
        operation& op = emit(machine_reciprocal_check, &d);
        op.source[0] = a;
        op.source[1] = b;
        return true;
    }
    if (name == "MUFU") {
        const std::string_view f = now_.modifiers[0];
        if (now_.has("F16") || now_.has("BF16")) {
            if (f != "EX2" && f != "TANH") return false;
            const bool bfloat = now_.has("BF16");
            ptx::operation o = value_operation(f == "EX2" ? opcode::ex2 : opcode::tanh,
                                               bfloat ? type::bf16 : type::f16);
            set(o, ptx::flag::approx);
            if (bfloat && f == "EX2") set(o, ptx::flag::ftz);
            const slot a = half_source(at(1));
            return emit_values(o, result_row(at(0)), {a});
        }
        const auto own = [&](handler h) {
            machine_details& d = details();
            modifiers(d, 0, at(1), true);
            const slot a = at(1).kind == operand_kind::float64
                               ? number(static_cast<std::uint32_t>(at(1).value))
                               : low_word(at(1));
            operation& op = emit(h, &d);
            op.source[0] = a;
            op.destination = result_row(at(0));
            return true;
        };
        if (f == "SIN") return own(machine_sine);
        if (f == "COS") return own(machine_cosine);
        if (f == "RCP64H") return own(machine_reciprocal_high);
        if (f == "RSQ64H") return own(machine_root_high);
        ptx::operation o = value_operation(f == "EX2"    ? opcode::ex2
                                           : f == "LG2"  ? opcode::lg2
                                           : f == "RCP"  ? opcode::rcp
                                           : f == "RSQ"  ? opcode::rsqrt
                                           : f == "SQRT" ? opcode::sqrt
                                                         : opcode::tanh,
                                           type::f32);
        set(o, ptx::flag::approx);
        if (o.op != opcode::tanh) set(o, ptx::flag::ftz);
        const slot a = float_source(at(1));
        return emit_values(o, result_row(at(0)), {a});
    }
    return false;
}

bool machine_lowering::lower_double() {
    using ptx::opcode;
    const std::string_view name = now_.opcode;
    if (name != "DADD" && name != "DMUL" && name != "DFMA") return false;
    ptx::operation o = value_operation(name == "DADD"   ? opcode::add
                                       : name == "DMUL" ? opcode::mul
                                                        : opcode::fma,
                                       ptx::type::f64);
    o.round = rounding_of(now_);
    if (o.round == ptx::rounding::rn) {
        machine_details& d = details();
        std::vector<slot> sources;
        for (unsigned n = 0; n < (name == "DFMA" ? 3 : 2); ++n) {
            modifiers(d, n, at(n + 1), true);
            sources.push_back(low_word(at(n + 1)));
            sources.push_back(high_word(at(n + 1)));
        }
        operation& op = emit(name == "DADD"   ? lanes_.double_add
                             : name == "DMUL" ? lanes_.double_multiply
                                              : lanes_.double_multiply_add,
                             &d);
        op.list = list_of(sources);
        op.destination = result_row(at(0));
        op.destination2 = result_row(at(0), 1);
        return true;
    }
    const slot a = double_source(at(1)), b = double_source(at(2));
    const slot c = name == "DFMA" ? double_source(at(3)) : no_slot;
    const slot to = scratch();
    if (!emit_values(o, to, {a, b, c}, false)) return false;
    to_pair(at(0), to);
    return true;
}

bool machine_lowering::lower_conversion() {
    using ptx::opcode;
    using ptx::type;
    const std::string_view name = now_.opcode;
    if (name != "F2I" && name != "I2F" && name != "FRND" && name != "F2F" && name != "I2FP")
        return false;
    const operand& from = at(1);
    // The half or byte of an integer to be converted.
    const bool bfloat = now_.has("BF16");
    const type narrow = bfloat ? type::bf16 : type::f16;
    const bool has_narrow = bfloat || now_.has("F16");
    const bool of_half = has_narrow && (name == "F2I" || name == "FRND");
    const unsigned shift = of_half                                        ? 0
                           : from.suffix == ".H1" || from.suffix == ".B2" ? 16
                           : from.suffix == ".B1"                         ? 8
                           : from.suffix == ".B3"                         ? 24
                                                                          : 0;
    if (!of_half && !from.suffix.empty() && (shift == 0 || from.negate || from.absolute))
        return false;
    const auto has = [&](const char* m) { return now_.has(m); };
    const auto integer_type = [&](bool of_i2f) {
        static_cast<void>(of_i2f);
        return has("U8")    ? type::u8
               : has("S8")  ? type::s8
               : has("U16") ? type::u16
               : has("S16") ? type::s16
               : has("U64") ? type::u64
               : has("S64") ? type::s64
               : has("U32") ? type::u32
                            : type::s32;
    };
    ptx::operation o = value_operation(opcode::cvt, type::none);
    o.type_count = 2;
    if (has("FTZ")) set(o, ptx::flag::ftz);
    if (name == "F2F") {
        // Result type first, then source type.
        const auto type_of = [](std::string_view m) {
            return m == "F16"    ? type::f16
                   : m == "BF16" ? type::bf16
                   : m == "F32"  ? type::f32
                   : m == "F64"  ? type::f64
                                 : type::none;
        };
        unsigned n = now_.modifiers[0] == "FTZ" ? 1 : 0;
        o.types[0] = type_of(now_.modifiers[n]);
        o.types[1] = type_of(now_.modifiers[n + 1]);
        if (o.types[0] == type::none || o.types[1] == type::none) return false;
        const bool between_halves =
            ptx::width_of(o.types[0]) == 16 && ptx::width_of(o.types[1]) == 16;
        if (between_halves || ptx::width_of(o.types[0]) < ptx::width_of(o.types[1]))
            o.round = rounding_of(now_);
    } else if (name == "F2I") {
        o.types[0] = integer_type(false);
        o.types[1] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.round = has("FLOOR")   ? ptx::rounding::rmi
                  : has("CEIL")  ? ptx::rounding::rpi
                  : has("TRUNC") ? ptx::rounding::rzi
                                 : ptx::rounding::rni;
    } else if (name == "FRND") {
        o.types[0] = o.types[1] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.round = has("FLOOR")   ? ptx::rounding::rmi
                  : has("CEIL")  ? ptx::rounding::rpi
                  : has("TRUNC") ? ptx::rounding::rzi
                                 : ptx::rounding::rni;
    } else {
        o.types[0] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.types[1] = integer_type(true);
        o.round = rounding_of(now_);
        if (o.types[0] == type::f64 && ptx::width_of(o.types[1]) < 64) o.round = ptx::rounding::rn;
    }
    const choice c = handlers_.elementwise(o);
    if (!c) return false;
    slot a = no_slot;
    if (shift != 0) {
        machine_details& d = details();
        d.width = 32;
        a = scratch();
        const slot whole = low_word(from);
        emit_words(lanes_.shift, &d, a, {whole, number(shift), machine_frame::zero}, false);
    } else if (o.types[1] == type::f16 || (bfloat && o.types[1] == type::bf16)) {
        a = half_source(from);
    } else {
        a = c.sources[0] == 64 ? double_source(from) : float_source(from);
    }
    const bool wide = c.result == 64;
    const slot to = wide ? scratch() : result_row(at(0));
    if (!emit_values(o, to, {a}, !wide)) return false;
    if (wide) to_pair(at(0), to);
    return true;
}

}  // namespace simtlm::execution
