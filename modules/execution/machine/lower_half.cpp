// SPDX-License-Identifier: Apache-2.0
// Lowering of half precision, packed integers, and instructions related to tensor products.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/asynchronous.h"

#include <iterator>

namespace simtlm::execution {

using sass::operand_kind;

namespace {

/// The comparisons of FSETP and HSETP2 by number: bits less, equal, greater, unordered.
constexpr std::string_view comparisons[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                            "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};

}  // namespace

/// A packed operand with selected halves and modifiers applied.
slot machine_lowering::half_source(const operand& o) {
    const slot from = low_word(o);
    if (o.suffix.empty() && !o.negate && !o.absolute) return from;
    if (o.suffix == ".F32") {
        problem_ = "an operand of single precision";
        return from;
    }
    machine_details& d = details();
    d.number = o.suffix == ".H0_H0" ? 1 : o.suffix == ".H1_H1" || o.suffix == ".H1" ? 2 : 0;
    if (o.absolute) d.keep[0] = 0x7fff7fffu;
    if (o.negate) d.flip[0] = 0x80008000u;
    const slot to = scratch();
    operation& op = emit(machine_half_source, &d, false);
    op.source[0] = from;
    op.destination = to;
    return to;
}

bool machine_lowering::lower_half() {
    using ptx::opcode;
    const std::string_view name = now_.opcode;
    if (name == "HSETP2" || name == "HSET2") return lower_half_comparison();
    const bool adds = name == "HADD2", multiplies = name == "HMUL2", fused = name == "HFMA2";
    const bool extremum = name == "HMNMX2";
    if (name == "F2FP") {
        // With .MERGE_C the high half is that of C.
        if (now_.has("E4M3") || now_.has("E5M2")) return lower_narrow_float();
        const bool merges = now_.has("MERGE_C");
        if (now_.has("TF32")) {
            if (now_.has("RM") || now_.has("RP")) return false;
            ptx::operation o = value_operation(opcode::cvt, ptx::type::tf32);
            o.types[1] = ptx::type::f32;
            o.type_count = 2;
            o.round = now_.has("RZ") ? ptx::rounding::rz : ptx::rounding::rn;
            if (now_.has("RELU")) set(o, ptx::flag::relu);
            if (now_.has("SATFINITE")) set(o, ptx::flag::satfinite);
            return emit_values(o, result_row(at(0)), {float_source(at(1))});
        }
        if (!now_.has("PACK_AB") && !merges) return false;
        if (merges && (at(2).kind != operand_kind::reg || at(2).index != sass::register_rz))
            return false;
        ptx::operation o =
            value_operation(opcode::cvt, now_.has("BF16") ? ptx::type::bf16x2 : ptx::type::f16x2);
        o.types[1] = ptx::type::f32;
        o.type_count = 2;
        if (now_.has("RM") || now_.has("RP")) return false;
        o.round = now_.has("RZ") ? ptx::rounding::rz : ptx::rounding::rn;
        if (now_.has("RELU")) set(o, ptx::flag::relu);
        if (now_.has("SATFINITE")) set(o, ptx::flag::satfinite);
        const slot a = merges ? machine_frame::zero : float_source(at(1));
        const slot b = float_source(at(merges ? 1 : 2));
        return emit_values(o, result_row(at(0)), {a, b});
    }
    if (!adds && !multiplies && !fused && !extremum) return false;
    // Loads of constants are handled elsewhere.
    if (fused && at(1).index == sass::register_rz && at(2).index == sass::register_rz &&
        at(1).kind == operand_kind::reg && at(2).kind == operand_kind::reg &&
        at(3).kind == operand_kind::half2)
        return false;
    const bool bfloat = now_.has("BF16_V2");
    if (now_.has("F32")) {
        if (now_.has("FMZ")) return false;
        // The selected low halves are added in single precision: usually a conversion.
        if (extremum || bfloat || now_.has("FTZ")) return false;
        ptx::operation widen = value_operation(opcode::cvt, ptx::type::f32);
        widen.types[1] = ptx::type::f16;
        widen.type_count = 2;
        const slot b = half_source(at(2));
        if (adds && at(1).kind == operand_kind::reg && at(1).index == sass::register_rz &&
            at(1).negate) {
            if (now_.has("SAT")) set(widen, ptx::flag::sat);
            return emit_values(widen, result_row(at(0)), {b});
        }
        const slot a = half_source(at(1)), x = scratch(), y = scratch();
        if (!emit_values(widen, x, {a}, false) || !emit_values(widen, y, {b}, false)) return false;
        ptx::operation o = value_operation(adds    ? opcode::add
                                           : fused ? opcode::fma
                                                   : opcode::mul,
                                           ptx::type::f32);
        o.round = ptx::rounding::rn;
        if (now_.has("SAT")) set(o, ptx::flag::sat);
        if (!fused) return emit_values(o, result_row(at(0)), {x, y});
        const slot c = half_source(at(3)), z = scratch();
        return emit_values(widen, z, {c}, false) && emit_values(o, result_row(at(0)), {x, y, z});
    }
    bool mixed = now_.has("FMZ");
    for (unsigned n = 1; n < now_.operand_count; ++n) mixed |= at(n).suffix == ".F32";
    if (mixed) return !extremum && lower_mixed_half(adds ? 0 : multiplies ? 1 : 2);
    ptx::operation o = value_operation(adds         ? opcode::add
                                       : multiplies ? opcode::mul
                                       : fused      ? opcode::fma
                                                    : opcode::min,
                                       bfloat ? ptx::type::bf16x2 : ptx::type::f16x2);
    o.round = ptx::rounding::rn;
    if (now_.has("FTZ")) set(o, ptx::flag::ftz);
    if (now_.has("SAT")) set(o, ptx::flag::sat);
    if (now_.has("RELU")) set(o, ptx::flag::relu);
    if (extremum && now_.has("XORSIGN")) {
        // The operand of lesser or greater magnitude, with the sign of the product.
        if (!at(1).absolute || !at(2).absolute || at(1).negate || at(2).negate ||
            at(3).index != sass::predicate_true)
            return false;
        set(o, ptx::flag::xorsign_abs);
        if (now_.has("NAN")) set(o, ptx::flag::nan);
        if (at(3).negate_predicate) o.op = opcode::max;
        operand whole[2] = {at(1), at(2)};
        for (operand& w : whole) w.absolute = false;
        const slot x = half_source(whole[0]), y = half_source(whole[1]);
        return emit_values(o, result_row(at(0)), {x, y});
    }
    const slot a = half_source(at(1)), b = half_source(at(2));
    if (extremum) {
        if (at(3).index != sass::predicate_true) return false;
        if (now_.has("NAN")) set(o, ptx::flag::nan);
        if (at(3).negate_predicate) o.op = opcode::max;
        return emit_values(o, result_row(at(0)), {a, b});
    }
    if (!fused) return emit_values(o, result_row(at(0)), {a, b});
    const slot c = half_source(at(3));
    return emit_values(o, result_row(at(0)), {a, b, c});
}

/// Half-precision instructions with single-precision operands, which are truncated to halves (ptxas
/// generates them for cvt.rz.sat.f16.f32 of a sum, but not for cvt.rn.sat), or with products in
/// which a zero factor gives zero whatever the other factor is (.FMZ).
/// @param what  0: sum; 1: product; 2: product and sum
bool machine_lowering::lower_mixed_half(unsigned what) {
    machine_details& d = details();
    d.combination = what;
    d.extended = now_.has("BF16_V2");
    d.left = now_.has("FMZ");
    d.wraps = d.left || now_.has("FTZ");
    d.is_signed = !now_.has("SAT");
    d.high = now_.has("RELU");
    slot sources[3] = {machine_frame::zero, machine_frame::zero, machine_frame::zero};
    for (unsigned n = 0; n < (what == 2 ? 3u : 2u); ++n) {
        const operand& o = at(n + 1);
        if (o.suffix == ".F32") {
            operand whole = o;
            whole.suffix = {};
            ptx::operation narrow =
                value_operation(ptx::opcode::cvt, d.extended ? ptx::type::bf16 : ptx::type::f16);
            narrow.types[1] = ptx::type::f32;
            narrow.type_count = 2;
            narrow.round = ptx::rounding::rz;
            const slot a = float_source(whole), half = scratch();
            if (!emit_values(narrow, half, {a}, false)) return false;
            machine_details& both = details();
            both.number = 1;
            operation& doubled = emit(machine_half_source, &both, false);
            doubled.source[0] = half;
            doubled.destination = sources[n] = scratch();
        } else {
            sources[n] = half_source(o);
        }
    }
    emit_words(machine_mixed_half, &d, result_row(at(0)), {sources[0], sources[1], sources[2]});
    return true;
}

bool machine_lowering::lower_half_comparison() {
    machine_details& d = details();
    constexpr unsigned none = std::size(comparisons);
    d.comparison = none;
    for (unsigned i = 0; i < now_.modifier_count && d.comparison == none; ++i)
        for (unsigned c = 0; c < none; ++c)
            if (now_.modifiers[i] == comparisons[c]) d.comparison = c;
    if (d.comparison == none) return false;
    d.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
    d.wraps = now_.has("FTZ");
    d.extended = now_.has("BF16_V2");
    d.high = now_.has("H_AND");
    if (now_.opcode == "HSETP2") {
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        source_predicate(d, 0, at(4));
        const slot a = half_source(at(2)), b = half_source(at(3));
        operation& op = emit(machine_half_compare, &d);
        op.source[0] = a;
        op.source[1] = b;
        return true;
    }
    d.number = !now_.has("BF") ? ~0u : d.extended ? 0x3f803f80u : 0x3c003c00u;
    source_predicate(d, 0, at(3));
    const slot a = half_source(at(1)), b = half_source(at(2));
    emit_words(machine_half_set, &d, result_row(at(0)), {a, b});
    return true;
}

bool machine_lowering::lower_packed() {
    const std::string_view name = now_.opcode;
    if (name == "IDP") {
        machine_details& d = details();
        // Types of A and of B, in this order.
        unsigned signs = 0, types = 0;
        for (unsigned i = 0; i < now_.modifier_count; ++i) {
            const std::string_view m = now_.modifiers[i];
            if (m != "U8" && m != "S8" && m != "U16" && m != "S16") continue;
            signs |= (m.front() == 'S' ? 1u : 0u) << types++;
        }
        if (types != 2) return false;
        d.number = signs;
        d.width = now_.has("4A") ? 8 : 16;
        d.high = now_.has("HI");
        modifiers(d, 2, at(3), false);
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
        emit_words(machine_dot_product, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "VABSDIFF" || name == "VABSDIFF4") {
        if (at(1).kind == operand_kind::predicate) return false;
        machine_details& d = details();
        d.width = name == "VABSDIFF4" ? 8 : 32;
        d.extended = now_.has("ACC");
        d.is_signed = !now_.has(name == "VABSDIFF4" ? "U8" : "U32");
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
        emit_words(machine_differences, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "VIADD" && now_.has("16x2")) {
        machine_details& d = details();
        modifiers(d, 0, at(1), false);
        modifiers(d, 1, at(2), false);
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(machine_add16, &d, result_row(at(0)), {a, b});
        return true;
    }
    if (name == "I2IP" || name == "F2IP") return lower_narrow_integers();
    if (name == "LDSM") return lower_matrix_load();
    if (name == "LDGSTS") return lower_copy();
    return lower_extremum3();
}

/// Forms of VIMNMX, VIMNMX3 and VIADDMNMX that lower_integer does not handle.
bool machine_lowering::lower_extremum3() {
    const std::string_view name = now_.opcode;
    const bool adds = name == "VIADDMNMX", three = name == "VIMNMX3";
    if (name != "VIMNMX" && !adds && !three) return false;
    const bool halves = now_.has("S16x2") || now_.has("U16x2");
    const bool is_signed = !now_.has("U32") && !now_.has("U16x2");
    const operand& order = at(name == "VIMNMX" ? 3 : 4);
    const auto extremum = [&](slot a, slot b, slot to, bool guarded) {
        machine_details& d = details();
        d.is_signed = is_signed;
        source_predicate(d, 0, order);
        emit_words(halves ? machine_extremum16 : lanes_.minmax, &d, to, {a, b}, guarded);
    };
    const bool relu = now_.has("RELU");
    const slot to = relu ? scratch() : result_row(at(0));
    const slot a = low_word(at(1)), b = low_word(at(2));
    if (adds) {
        const slot c = low_word(at(3)), sum = scratch();
        machine_details& d = details();
        modifiers(d, 0, at(1), false);
        modifiers(d, 1, at(2), false);
        emit_words(halves ? machine_add16 : lanes_.add3, &d, sum, {a, b, machine_frame::zero},
                   false);
        extremum(sum, c, to, !relu);
    } else if (three) {
        const slot c = low_word(at(3)), both = scratch();
        extremum(a, b, both, false);
        extremum(both, c, to, !relu);
    } else {
        extremum(a, b, to, !relu);
    }
    if (!relu) return true;
    machine_details& d = details();
    d.width = halves ? 16 : 32;
    operation& op = emit(machine_clamp_negative, &d);
    op.source[0] = to;
    op.destination = result_row(at(0));
    return true;
}

/// F2FP of 8-bit floats: a pair of them, followed by a half of C if they are converted from other
/// formats.
bool machine_lowering::lower_narrow_float() {
    using ptx::opcode;
    const bool packs = now_.has("PACK_AB_MERGE_C"), merges = now_.has("UNPACK_B_MERGE_C");
    if (now_.has("RM") || now_.has("RP") || now_.has("RZ") || now_.has("BF16")) return false;
    const ptx::type narrow = now_.has("E4M3") ? ptx::type::e4m3x2 : ptx::type::e5m2x2;
    ptx::operation o = value_operation(opcode::cvt, ptx::type::f16x2);
    o.type_count = 2;
    o.round = ptx::rounding::rn;
    if (now_.has("RELU")) set(o, ptx::flag::relu);
    if (!packs && !merges) {
        // .UNPACK_B: two halves.
        if (!now_.has("UNPACK_B") || now_.has("SATFINITE")) return false;
        o.types[1] = narrow;
        slot from = low_word(at(1));
        if (at(1).suffix == ".H1") {
            machine_details& d = details();
            const slot whole = from;
            from = scratch();
            emit_words(lanes_.shift, &d, from, {whole, number(16), machine_frame::zero}, false);
        }
        return emit_values(o, result_row(at(0)), {from});
    }
    if (!now_.has("SATFINITE")) return false;
    set(o, ptx::flag::satfinite);
    o.types[0] = narrow;
    o.types[1] = packs ? ptx::type::f32 : ptx::type::f16x2;
    const slot pair = scratch();
    if (packs) {
        const slot a = float_source(at(1)), b = float_source(at(2));
        if (!emit_values(o, pair, {a, b}, false)) return false;
    } else if (!emit_values(o, pair, {low_word(at(1))}, false)) {
        return false;
    }
    constexpr std::uint32_t low_halves = 0x5410;
    const slot c = low_word(at(packs ? 3 : 2));
    emit_words(lanes_.permute, &details(), result_row(at(0)), {pair, number(low_halves), c});
    return true;
}

/// I2IP, F2IP: convert two numbers to integers of 16 bits or fewer with saturation; two results of
/// 8, 4 or 2 bits are followed by the low bits of the third source.
bool machine_lowering::lower_narrow_integers() {
    using ptx::opcode;
    using ptx::type;
    const bool of_floats = now_.opcode == "F2IP";
    const type narrow = now_.has("U2")    ? type::u2
                        : now_.has("S2")  ? type::s2
                        : now_.has("U4")  ? type::u4
                        : now_.has("S4")  ? type::s4
                        : now_.has("U8")  ? type::u8
                        : now_.has("S8")  ? type::s8
                        : now_.has("U16") ? type::u16
                                          : type::s16;
    if (!of_floats) {
        machine_details& d = details();
        d.width = ptx::width_of(narrow);
        d.is_signed = ptx::class_of(narrow) == ptx::type_class::signed_integer;
        d.extended = true;
        d.wraps = !now_.has("SAT");
        if (now_.has("SATRELU")) return false;
        if (d.width == 16 && (at(3).kind != operand_kind::reg || at(3).index != sass::register_rz))
            return false;
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
        emit_words(machine_pack_integers, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (now_.has("RELU") || ptx::width_of(narrow) != 8) return false;
    ptx::operation o = value_operation(opcode::cvt, narrow);
    o.type_count = 2;
    o.types[1] = type::f32;
    o.round = now_.has("TRUNC") ? ptx::rounding::rzi : ptx::rounding::rni;
    const slot high = scratch(), low = scratch(), pair = scratch();
    const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
    if (!emit_values(o, high, {a}, false) || !emit_values(o, low, {b}, false)) return false;
    const auto permute = [&](slot first, std::uint32_t bytes, slot second, slot to, bool guarded) {
        emit_words(lanes_.permute, &details(), to, {first, number(bytes), second}, guarded);
    };
    permute(low, 0x0040, high, pair, false);
    permute(pair, 0x5410, c, result_row(at(0)), true);
    return true;
}

/// LDSM: one, two or four 8 x 8 matrices of 16-bit elements; every lane has the address of a row of
/// 16 bytes.
bool machine_lowering::lower_matrix_load() {
    if (!now_.has("M88") && !now_.has("MT88")) return false;
    std::vector<slot> slots;
    for (unsigned i = 0; i < matrices(); ++i) slots.push_back(result_row(at(0), i));
    emit_matrix_access(machine_load_matrices, at(1), slots);
    return true;
}

/// Number of matrices of LDSM and STSM.
unsigned machine_lowering::matrices() const {
    return now_.has("4") ? 4 : now_.has("2") ? 2 : 1;
}

void machine_lowering::emit_matrix_access(handler h, const operand& address,
                                          const std::vector<slot>& slots) {
    const address_place p = place_of(address, space::shared);
    emit_segment_check();
    operation& op = emit(h);
    op.detail = p.detail;
    op.source[0] = p.source;
    op.source[3] = now_.has("MT88") ? 1 : 0;
    op.destination2 = static_cast<slot>(slots.size());
    op.immediate = p.offset;
    op.list = list_of(slots);
}

/// LDGSTS: copies from global to shared memory; lanes whose predicate is false write zeros.
bool machine_lowering::lower_copy() {
    if (at(0).kind != operand_kind::address || at(1).kind != operand_kind::address) return false;
    slot ignored = no_slot;
    if (now_.operand_count > 2) {
        machine_details& d = details();
        source_predicate(d, 0, at(2));
        constexpr std::uint32_t not_first = 0x0f;
        d.number = not_first;
        d.result[0] = machine_frame::scratch_mask2;
        emit(machine_logic_predicates, &d, false);
        ignored = machine_frame::scratch_mask2;
    }
    const address_place to = place_of(at(0), space::shared);
    const address_place from = place_of(at(1), space::global);
    emit_segment_check();
    operation& op = emit(copy_asynchronously);
    op.source[0] = to.source;
    op.immediate = to.offset;
    op.detail = to.detail;
    op.source[2] = ignored;
    const auto offset = static_cast<std::uint64_t>(from.offset);
    op.list = list_of({static_cast<slot>(offset), static_cast<slot>(offset >> 32), from.detail,
                       from.source, access_bytes(), now_.has("ZFILL") ? 1u : 0u});
    return true;
}

}  // namespace simtlm::execution
