// SPDX-License-Identifier: Apache-2.0
// Lowering of conversions between numbers of all types, and of packing conversions.
#include "modules/execution/machine/float_modifiers.h"
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"

#include <optional>
#include <string_view>
#include <utility>

namespace simtlm::execution {

using ptx::opcode;
using ptx::type;
using sass::modifier;
using sass::operand_kind;

namespace {

ptx::operation conversion(type to, type from) {
    ptx::operation o = value_operation(opcode::cvt, to);
    o.types[1] = from;
    o.type_count = 2;
    return o;
}

type integer_type_of(const machine_lowering& l) {
    return l.has(modifier::U8)    ? type::u8
           : l.has(modifier::S8)  ? type::s8
           : l.has(modifier::U16) ? type::u16
           : l.has(modifier::S16) ? type::s16
           : l.has(modifier::U64) ? type::u64
           : l.has(modifier::S64) ? type::s64
           : l.has(modifier::U32) ? type::u32
                                  : type::s32;
}

type float_type_of(const machine_lowering& l) {
    l.ignore(modifier::F32);  // the default
    return l.has(modifier::F64)    ? type::f64
           : l.has(modifier::BF16) ? type::bf16
           : l.has(modifier::F16)  ? type::f16
                                   : type::f32;
}

/// RZ or URZ.
bool is_zero(const sass::operand& o) {
    return (o.kind == operand_kind::reg && o.index == sass::register_rz) ||
           (o.kind == operand_kind::uniform_reg && o.index == sass::uniform_urz);
}

/// First bit of the part of a source that an integer conversion selects.
unsigned first_bit_of(const machine_lowering& l, const sass::operand& from) {
    return l.suffix_of(from) == ".H1" || l.suffix_of(from) == ".B2" ? 16
           : l.suffix_of(from) == ".B1"                             ? 8
           : l.suffix_of(from) == ".B3"                             ? 24
                                                                    : 0;
}

/// Emits a conversion. Its source is a half if that is its type, otherwise possibly a part of a
/// word.
bool lower_conversion(machine_lowering& l, ptx::operation o) {
    if (l.has(modifier::FTZ)) set(o, ptx::flag::ftz);
    const sass::operand& from = l.at(1);
    const type source = o.types[1];
    const bool of_half = source == type::f16 || source == type::bf16;
    const unsigned shift = of_half ? 0 : first_bit_of(l, from);
    if (!of_half && !l.suffix_of(from).empty() && (shift == 0 || from.negate || from.absolute))
        return false;
    const choice c = l.handlers().elementwise(o);
    if (!c) return false;
    operand_ref a = no_operand;
    if (shift != 0) {
        a = l.scratch();
        const operand_ref whole = l.low_word(from);
        l.emit_words(l.lanes().shift, {}, a, {whole, l.number(shift), machine_frame::zero}, false);
    } else if (of_half) {
        a = l.half_source(from);
    } else if (c.sources[0] == 64 && from.kind == sass::operand_kind::integer) {
        // An immediate is the high word.
        a = l.scratch();
        const operand_ref high = l.number(static_cast<std::uint32_t>(from.value));
        l.emit_words(l.lanes().pack, {}, a, {machine_frame::zero, high}, false);
    } else {
        a = c.sources[0] == 64 ? l.double_source(from) : l.float_source(from);
    }
    const bool wide = c.result == 64;
    const operand_ref to = wide ? l.scratch() : l.result_row(l.at(0));
    if (!l.emit_values(o, to, {a}, !wide)) return false;
    if (wide) l.to_pair(l.at(0), to);
    return true;
}

}  // namespace

// ---- conversions of one number ----

bool lower_float_to_integer(machine_lowering& l) {
    ptx::operation o = conversion(integer_type_of(l), float_type_of(l));
    o.round = integer_rounding_of(l);
    // The conversion of PTX gives zero for NaN if neither type has 64 bits, otherwise the number
    // with only the highest bit set.
    const bool nan_to_zero = ptx::width_of(o.types[0]) < 64 && o.types[1] != type::f64;
    if (l.has(modifier::NTZ) != nan_to_zero)
        return l.refuse(nan_to_zero ? "it has not .NTZ" : "the modifier .NTZ");
    return lower_conversion(l, o);
}

/// I2F, I2FP.
bool lower_integer_to_float(machine_lowering& l) {
    ptx::operation o = conversion(float_type_of(l), integer_type_of(l));
    const bool exact = o.types[0] == type::f64 && ptx::width_of(o.types[1]) < 64;
    const ptx::rounding round = rounding_of(l);
    o.round = exact ? ptx::rounding::rn : round;
    return lower_conversion(l, o);
}

/// UF2I.
bool lower_uniform_float_to_integer(machine_lowering& l) {
    return lower_float_to_integer(l) && l.make_uniform();
}
/// UI2F, UI2FP.
bool lower_uniform_integer_to_float(machine_lowering& l) {
    return lower_integer_to_float(l) && l.make_uniform();
}

bool lower_float_round(machine_lowering& l) {
    ptx::operation o = conversion(float_type_of(l), float_type_of(l));
    o.round = integer_rounding_of(l);
    return lower_conversion(l, o);
}
/// UFRND.
bool lower_uniform_float_round(machine_lowering& l) {
    return lower_float_round(l) && l.make_uniform();
}

/// F2F. The type of the result precedes that of the source.
bool lower_float_to_float(machine_lowering& l) {
    const auto type_of = [](modifier m) {
        return m == modifier::F16    ? type::f16
               : m == modifier::BF16 ? type::bf16
               : m == modifier::F32  ? type::f32
               : m == modifier::F64  ? type::f64
                                     : type::none;
    };
    const unsigned n = l.modifier_at(0) == modifier::FTZ ? 1 : 0;
    ptx::operation o = conversion(type_of(l.modifier_at(n).id), type_of(l.modifier_at(n + 1).id));
    if (o.types[0] == type::none || o.types[1] == type::none) return false;
    const unsigned to = ptx::width_of(o.types[0]), from = ptx::width_of(o.types[1]);
    const ptx::rounding round = rounding_of(l);
    if ((to == 16 && from == 16) || to < from) o.round = round;
    return lower_conversion(l, o);
}
/// UF2F.
bool lower_uniform_float_to_float(machine_lowering& l) {
    return lower_float_to_float(l) && l.make_uniform();
}

// ---- F2FP: conversion of two numbers to a packed register ----

namespace {

/// Sets the rounding and saturation of F2FP. @return false if they are not supported
bool set_packing_flags(const machine_lowering& l, ptx::operation& o) {
    if (l.has(modifier::RM) || l.has(modifier::RP)) return false;
    o.round = l.has(modifier::RZ) ? ptx::rounding::rz : ptx::rounding::rn;
    if (l.has(modifier::RELU)) set(o, ptx::flag::relu);
    if (l.has(modifier::SATFINITE)) set(o, ptx::flag::satfinite);
    return true;
}

/// The type of two floats of 8 or fewer bits; nullopt: the instruction has none.
std::optional<type> narrow_float_of(const machine_lowering& l) {
    constexpr std::pair<modifier, type> types[] = {
        {modifier::E4M3, type::e4m3x2}, {modifier::E5M2, type::e5m2x2},
        {modifier::E2M1, type::e2m1x2}, {modifier::E2M3, type::e2m3x2},
        {modifier::E3M2, type::e3m2x2}, {modifier::UE8M0, type::ue8m0x2}};
    for (const auto& t : types)
        if (l.has(t.first)) return t.second;
    return std::nullopt;
}

/// .UNPACK_B: two narrow floats to two halves.
bool lower_unpacking(machine_lowering& l, type narrow) {
    if (!l.has(modifier::UNPACK_B) || l.has(modifier::SATFINITE)) return false;
    const bool scales = narrow == type::ue8m0x2;
    if (scales != l.has(modifier::BF16)) return false;
    ptx::operation o = conversion(scales ? type::bf16x2 : type::f16x2, narrow);
    o.round = ptx::rounding::rn;
    if (l.has(modifier::RELU)) set(o, ptx::flag::relu);
    operand_ref from = l.low_word(l.at(1));
    if (const unsigned first = first_bit_of(l, l.at(1)); first != 0) {
        const operand_ref whole = from;
        from = l.scratch();
        l.emit_words(l.lanes().shift, {}, from, {whole, l.number(first), machine_frame::zero},
                     false);
    }
    return l.emit_values(o, l.result_row(l.at(0)), {from});
}

/// The type of cvt.rs for two pairs of narrow floats, of which F2FP.RS converts one.
type four_of(type pair) {
    switch (pair) {
        case type::e4m3x2:
            return type::e4m3x4;
        case type::e5m2x2:
            return type::e5m2x4;
        case type::e2m3x2:
            return type::e2m3x4;
        case type::e3m2x2:
            return type::e3m2x4;
        case type::e2m1x2:
            return type::e2m1x4;
        default:
            return type::none;
    }
}

/// F2FP.RS: C has random bits, and what follows a pair of narrow floats.
bool lower_stochastic(machine_lowering& l, type to) {
    const bool merges = l.has(modifier::PACK_AB_MERGE_C);
    if (merges == (to == type::f16x2 || to == type::bf16x2)) return false;
    if (!merges && !l.has(modifier::PACK_AB)) return false;
    ptx::operation o = conversion(to, type::f32);
    o.round = ptx::rounding::rs;
    if (l.has(modifier::RELU)) set(o, ptx::flag::relu);
    if (l.has(modifier::SATFINITE)) set(o, ptx::flag::satfinite);
    const operand_ref a = l.float_source(l.at(1)), b = l.float_source(l.at(2));
    const operand_ref random = l.low_word(l.at(3));
    return l.emit_values(o, l.result_row(l.at(0)), {a, b, random});
}

/// A pair of 8-bit floats, followed by a half of C if they are converted from other formats, or of
/// 4-bit floats, followed by three bytes of C (as ptxas makes words of four pairs).
bool lower_narrow_floats(machine_lowering& l, type narrow) {
    if (l.has(modifier::RS)) return lower_stochastic(l, four_of(narrow));
    const bool packs = l.has(modifier::PACK_AB_MERGE_C), merges = l.has(modifier::UNPACK_B_MERGE_C);
    const bool rounds_up = l.has(modifier::RP), truncates = l.has(modifier::RZ);
    const bool scales = narrow == type::ue8m0x2;
    if (l.has(modifier::RM)) return false;
    if (!packs && !merges) return !rounds_up && !truncates && lower_unpacking(l, narrow);
    if (!l.has(modifier::SATFINITE) || scales != (rounds_up || truncates)) return false;
    if (!packs && scales != l.has(modifier::BF16)) return false;
    ptx::operation o = conversion(narrow, packs ? type::f32 : scales ? type::bf16x2 : type::f16x2);
    o.round = rounds_up ? ptx::rounding::rp : truncates ? ptx::rounding::rz : ptx::rounding::rn;
    if (l.has(modifier::RELU)) set(o, ptx::flag::relu);
    set(o, ptx::flag::satfinite);
    const operand_ref pair = l.scratch();
    if (packs) {
        const operand_ref a = l.float_source(l.at(1)), b = l.float_source(l.at(2));
        if (!l.emit_values(o, pair, {a, b}, false)) return false;
    } else if (!l.emit_values(o, pair, {l.low_word(l.at(1))}, false)) {
        return false;
    }
    // Bytes 0 to 3 are those of the pair, 4 to 7 those of C.
    constexpr std::uint32_t low_halves = 0x5410, byte_and_low_bytes = 0x6540;
    const std::uint32_t selected = narrow == type::e2m1x2 ? byte_and_low_bytes : low_halves;
    const operand_ref c = l.low_word(l.at(packs ? 3 : 2));
    l.emit_words(l.lanes().permute, {}, l.result_row(l.at(0)), {pair, l.number(selected), c});
    return true;
}

}  // namespace

bool lower_pack_floats(machine_lowering& l) {
    if (const auto narrow = narrow_float_of(l)) return lower_narrow_floats(l, *narrow);
    if (l.has(modifier::RS))
        return lower_stochastic(l, l.has(modifier::BF16) ? type::bf16x2 : type::f16x2);
    if (l.has(modifier::TF32)) {
        ptx::operation o = conversion(type::tf32, type::f32);
        return set_packing_flags(l, o) &&
               l.emit_values(o, l.result_row(l.at(0)), {l.float_source(l.at(1))});
    }
    // With .MERGE_C the high half is that of C.
    const bool merges = l.has(modifier::MERGE_C);
    if (!l.has(modifier::PACK_AB) && !merges) return false;
    if (merges && !is_zero(l.at(2))) return false;
    ptx::operation o = conversion(l.has(modifier::BF16) ? type::bf16x2 : type::f16x2, type::f32);
    if (!set_packing_flags(l, o)) return false;
    const operand_ref a = merges ? operand_ref{machine_frame::zero} : l.float_source(l.at(1));
    const operand_ref b = l.float_source(l.at(merges ? 1 : 2));
    return l.emit_values(o, l.result_row(l.at(0)), {a, b});
}

/// UF2FP.
bool lower_uniform_pack_floats(machine_lowering& l) {
    return lower_pack_floats(l) && l.make_uniform();
}

// ---- conversion of two numbers to narrow integers, with saturation ----

namespace {

type narrow_integer_of(const machine_lowering& l) {
    return l.has(modifier::U2)    ? type::u2
           : l.has(modifier::S2)  ? type::s2
           : l.has(modifier::U4)  ? type::u4
           : l.has(modifier::S4)  ? type::s4
           : l.has(modifier::U8)  ? type::u8
           : l.has(modifier::S8)  ? type::s8
           : l.has(modifier::U16) ? type::u16
                                  : type::s16;
}

}  // namespace

/// I2IP. Two results of 8, 4 or 2 bits are followed by the low bits of the third source: as many as
/// the results leave (.24, .28), or one of its halves.
bool lower_pack_integers(machine_lowering& l) {
    const type narrow = narrow_integer_of(l);
    if (l.has(modifier::SATRELU)) return false;
    const std::string_view kept = l.suffix_of(l.at(3));
    const bool keeps_high_half = kept == ".H1" && ptx::width_of(narrow) == 8;
    if (!keeps_high_half && kept != "" && kept != ".24" && kept != ".28") return false;
    packing_arguments d;
    d.width = ptx::width_of(narrow);
    d.is_signed = ptx::class_of(narrow) == ptx::type_class::signed_integer;
    d.saturates = l.has(modifier::SAT);
    if (d.width == 16 && !is_zero(l.at(3))) return false;
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    operand_ref c = l.low_word(l.at(3));
    if (keeps_high_half) {
        const operand_ref whole = c;
        c = l.scratch();
        l.emit_words(l.lanes().shift, {}, c, {whole, l.number(16), machine_frame::zero}, false);
    }
    l.emit_words(machine_pack_integers, d, l.result_row(l.at(0)), {a, b, c});
    return true;
}

/// UI2IP.
bool lower_uniform_pack_integers(machine_lowering& l) {
    return lower_pack_integers(l) && l.make_uniform();
}

/// F2IP: two bytes, followed by the low half of the third source.
bool lower_pack_floats_to_integers(machine_lowering& l) {
    const type narrow = narrow_integer_of(l);
    if (l.has(modifier::RELU) || !l.has(modifier::NTZ) || ptx::width_of(narrow) != 8) return false;
    ptx::operation o = conversion(narrow, type::f32);
    o.round = l.has(modifier::TRUNC) ? ptx::rounding::rzi : ptx::rounding::rni;
    const operand_ref high = l.scratch(), low = l.scratch(), pair = l.scratch();
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    if (!l.emit_values(o, high, {a}, false) || !l.emit_values(o, low, {b}, false)) return false;
    constexpr std::uint32_t low_bytes = 0x0040, low_halves = 0x5410;
    l.emit_words(l.lanes().permute, {}, pair, {low, l.number(low_bytes), high}, false);
    l.emit_words(l.lanes().permute, {}, l.result_row(l.at(0)), {pair, l.number(low_halves), c});
    return true;
}

/// UF2IP.
bool lower_uniform_pack_floats_to_integers(machine_lowering& l) {
    return lower_pack_floats_to_integers(l) && l.make_uniform();
}

}  // namespace simtlm::execution
