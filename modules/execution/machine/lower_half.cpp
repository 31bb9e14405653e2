// SPDX-License-Identifier: Apache-2.0
// Lowering of half precision and bfloat16.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"

#include <iterator>

namespace simtlm::execution {

using ptx::opcode;
using ptx::type;
using sass::modifier;
using sass::operand_kind;

namespace {

/// The comparisons of HSETP2 by number: bits less, equal, greater, unordered.
constexpr modifier comparisons[] = {modifier::F,   modifier::LT,  modifier::EQ,  modifier::LE,
                                    modifier::GT,  modifier::NE,  modifier::GE,  modifier::NUM,
                                    modifier::NaN, modifier::LTU, modifier::EQU, modifier::LEU,
                                    modifier::GTU, modifier::NEU, modifier::GEU, modifier::T};

bool is_zero_register(const sass::operand& o) {
    return o.kind == operand_kind::reg && o.index == sass::register_rz;
}

/// Number of sources of an arithmetic operation.
unsigned sources_of(opcode code) {
    return code == opcode::fma ? 3 : 2;
}

/// HADD2.F32, ...: the selected low halves are operated on in single precision; usually a
/// conversion.
bool lower_widened(machine_lowering& l, opcode code) {
    if (l.has(modifier::FMZ) || l.has(modifier::BF16_V2) || l.has(modifier::FTZ)) return false;
    ptx::operation widen = value_operation(opcode::cvt, type::f32);
    widen.types[1] = type::f16;
    widen.type_count = 2;
    const operand_ref b = l.half_source(l.at(2));
    if (code == opcode::add && is_zero_register(l.at(1)) && l.at(1).negate) {
        l.reads_sign(l.at(1));
        if (l.has(modifier::SAT)) set(widen, ptx::flag::sat);
        return l.emit_values(widen, l.result_row(l.at(0)), {b});
    }
    const operand_ref a = l.half_source(l.at(1)), x = l.scratch(), y = l.scratch();
    if (!l.emit_values(widen, x, {a}, false) || !l.emit_values(widen, y, {b}, false)) return false;
    ptx::operation o = value_operation(code, type::f32);
    o.round = ptx::rounding::rn;
    if (l.has(modifier::SAT)) set(o, ptx::flag::sat);
    if (sources_of(code) == 2) return l.emit_values(o, l.result_row(l.at(0)), {x, y});
    const operand_ref c = l.half_source(l.at(3)), z = l.scratch();
    return l.emit_values(widen, z, {c}, false) &&
           l.emit_values(o, l.result_row(l.at(0)), {x, y, z});
}

/// A single-precision operand, truncated to a half in both halves of a word; no_operand:
/// unsupported.
operand_ref truncated_source(machine_lowering& l, const sass::operand& o, bool bfloat) {
    l.reads_sign(o);
    sass::operand whole = o;
    whole.suffix = {};
    ptx::operation narrow = value_operation(opcode::cvt, bfloat ? type::bf16 : type::f16);
    narrow.types[1] = type::f32;
    narrow.type_count = 2;
    narrow.round = ptx::rounding::rz;
    const operand_ref a = l.float_source(whole), half = l.scratch();
    if (!l.emit_values(narrow, half, {a}, false)) return no_operand;
    const operand_ref to = l.scratch();
    l.emit_words(machine_half_source, {half_source_arguments::half::low, {}}, to, {half}, false);
    return to;
}

/// Half-precision instructions with single-precision operands, which are truncated to halves (ptxas
/// generates them for cvt.rz.sat.f16.f32 of a sum, but not for cvt.rn.sat), or with products in
/// which a zero factor gives zero whatever the other factor is (.FMZ).
bool lower_mixed(machine_lowering& l, opcode code) {
    using form = mixed_half_arguments::form;
    mixed_half_arguments d;
    d.computes = code == opcode::add   ? form::sum
                 : code == opcode::mul ? form::product
                                       : form::product_sum;
    d.bfloat = l.has(modifier::BF16_V2);
    d.zero_dominates = l.has(modifier::FMZ);
    d.flushes = d.zero_dominates || l.has(modifier::FTZ);
    d.saturates = l.has(modifier::SAT);
    d.clamps_negative = l.has(modifier::RELU);
    operand_ref sources[3] = {machine_frame::zero, machine_frame::zero, machine_frame::zero};
    for (unsigned n = 0; n < sources_of(code); ++n) {
        const sass::operand& o = l.at(n + 1);
        sources[n] = l.suffix_of(o) == ".F32" ? truncated_source(l, o, d.bfloat) : l.half_source(o);
        if (sources[n] == no_operand) return false;
    }
    l.emit_words(machine_mixed_half, d, l.result_row(l.at(0)),
                 {sources[0], sources[1], sources[2]});
    return true;
}

/// An operation on packed values with the flags of the instruction.
ptx::operation packed_operation(const machine_lowering& l, opcode code) {
    ptx::operation o = value_operation(code, l.has(modifier::BF16_V2) ? type::bf16x2 : type::f16x2);
    o.round = ptx::rounding::rn;
    if (l.has(modifier::FTZ)) set(o, ptx::flag::ftz);
    if (l.has(modifier::SAT)) set(o, ptx::flag::sat);
    if (l.has(modifier::RELU)) set(o, ptx::flag::relu);
    return o;
}

bool lower_arithmetic(machine_lowering& l, opcode code) {
    if (l.has(modifier::F32)) return lower_widened(l, code);
    bool mixed = l.has(modifier::FMZ);
    for (unsigned n = 1; n < l.operand_count(); ++n) mixed |= l.suffix_of(l.at(n)) == ".F32";
    if (mixed) return lower_mixed(l, code);
    const ptx::operation o = packed_operation(l, code);
    const operand_ref a = l.half_source(l.at(1)), b = l.half_source(l.at(2));
    if (sources_of(code) == 2) return l.emit_values(o, l.result_row(l.at(0)), {a, b});
    const operand_ref c = l.half_source(l.at(3));
    return l.emit_values(o, l.result_row(l.at(0)), {a, b, c});
}

/// HSETP2, HSET2: the comparison and how its result is combined with a predicate.
/// @return false if it is not known
bool set_comparison(const machine_lowering& l, const sass::operand& predicate,
                    half_comparison_arguments& d) {
    constexpr unsigned none = std::size(comparisons);
    d.holds_if = none;
    for (unsigned c = 0; c < none; ++c)
        if (l.has(comparisons[c])) d.holds_if = c;
    d.outcome.how = l.combination_of_results();
    d.outcome.with = l.predicate_of(predicate);
    d.flushes = l.has(modifier::FTZ);
    d.bfloat = l.has(modifier::BF16_V2);
    d.both_halves = l.has(modifier::H_AND);
    return d.holds_if != none;
}

}  // namespace

bool lower_half_add(machine_lowering& l) {
    return lower_arithmetic(l, opcode::add);
}

bool lower_half_multiply(machine_lowering& l) {
    return lower_arithmetic(l, opcode::mul);
}

bool lower_half_multiply_add(machine_lowering& l) {
    // Constants may also be loaded by a product of zeros plus an immediate.
    if (l.operand_count() < 4 || !is_zero_register(l.at(1)) || !is_zero_register(l.at(2)) ||
        l.at(3).kind != operand_kind::half2)
        return lower_arithmetic(l, opcode::fma);
    for (const modifier m :
         {modifier::RELU, modifier::SAT, modifier::FTZ, modifier::FMZ, modifier::F32})
        if (l.has(m)) return false;
    if (l.operand_count() != 4 || !l.at(1).negate) return false;
    for (unsigned n = 1; n < 3; ++n) {
        l.reads_sign(l.at(n));
        l.suffix_of(l.at(n));  // both halves of RZ are zero
    }
    l.emit_copy(l.result_row(l.at(0)), l.number(static_cast<std::uint32_t>(l.at(3).value)));
    return true;
}

bool lower_half_minmax(machine_lowering& l) {
    const sass::operand& order = l.at(3);
    if (l.has(modifier::F32) || l.has(modifier::FMZ) || order.index != sass::predicate_true)
        return false;
    for (unsigned n = 1; n < 4; ++n) l.reads_sign(l.at(n));
    for (unsigned n = 1; n < 3; ++n) l.suffix_of(l.at(n));
    ptx::operation o = packed_operation(l, order.negate_predicate ? opcode::max : opcode::min);
    if (l.has(modifier::NaN)) set(o, ptx::flag::nan);
    sass::operand sources[2] = {l.at(1), l.at(2)};
    if (l.has(modifier::XORSIGN)) {
        // The operand of lesser or greater magnitude, with the sign of the product.
        set(o, ptx::flag::xorsign_abs);
        for (sass::operand& s : sources) {
            const bool number = s.kind == sass::operand_kind::half2;  // with its signs
            if ((!s.absolute && !number) || s.negate) return false;
            s.absolute = false;
        }
    }
    const operand_ref a = l.half_source(sources[0]), b = l.half_source(sources[1]);
    return l.emit_values(o, l.result_row(l.at(0)), {a, b});
}

/// VHMNMX.
bool lower_half_minmax3(machine_lowering& l) {
    const sass::operand& order = l.at(4);
    l.reads_sign(order);
    if (order.index != sass::predicate_true) return false;
    ptx::operation o = packed_operation(l, order.negate_predicate ? opcode::max : opcode::min);
    if (l.has(modifier::NaN)) set(o, ptx::flag::nan);
    const operand_ref a = l.half_source(l.at(1)), b = l.half_source(l.at(2)),
                      c = l.half_source(l.at(3)), both = l.scratch();
    return l.emit_values(o, both, {a, b}, false) &&
           l.emit_values(o, l.result_row(l.at(0)), {both, c});
}

bool lower_half_compare(machine_lowering& l) {
    half_comparison_arguments d;
    if (!set_comparison(l, l.at(4), d)) return false;
    d.outcome.result = l.predicate_ref(l.at(0));
    d.outcome.result_of_opposite = l.predicate_ref(l.at(1));
    const operand_ref a = l.half_source(l.at(2)), b = l.half_source(l.at(3));
    l.emit_words(machine_half_compare, d, no_operand, {a, b});
    return true;
}

bool lower_half_set(machine_lowering& l) {
    half_comparison_arguments d;
    if (!set_comparison(l, l.at(3), d)) return false;
    constexpr std::uint32_t ones = 0x3c003c00, bfloat_ones = 0x3f803f80;
    d.true_value = !l.has(modifier::BF) ? ~0u : d.bfloat ? bfloat_ones : ones;
    const operand_ref a = l.half_source(l.at(1)), b = l.half_source(l.at(2));
    l.emit_words(machine_half_set, d, l.result_row(l.at(0)), {a, b});
    return true;
}

}  // namespace simtlm::execution
