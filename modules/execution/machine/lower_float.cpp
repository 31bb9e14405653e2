// SPDX-License-Identifier: Apache-2.0
// Lowering of single and double precision, and of special functions.
#include "modules/execution/machine/float_modifiers.h"
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"

#include <utility>
#include <vector>

namespace simtlm::execution {

using ptx::opcode;
using ptx::type;
using sass::modifier;
using sass::operand_kind;

namespace {

constexpr std::pair<modifier, ptx::comparison> float_comparisons[] = {
    {modifier::LT, ptx::comparison::lt},   {modifier::EQ, ptx::comparison::eq},
    {modifier::LE, ptx::comparison::le},   {modifier::GT, ptx::comparison::gt},
    {modifier::NE, ptx::comparison::ne},   {modifier::GE, ptx::comparison::ge},
    {modifier::NUM, ptx::comparison::num}, {modifier::NaN, ptx::comparison::nan},
    {modifier::LTU, ptx::comparison::ltu}, {modifier::EQU, ptx::comparison::equ},
    {modifier::LEU, ptx::comparison::leu}, {modifier::GTU, ptx::comparison::gtu},
    {modifier::NEU, ptx::comparison::neu}, {modifier::GEU, ptx::comparison::geu}};

/// A comparison of values of a type; its compare is none if the instruction always gives the same
/// result.
ptx::operation comparison_of(const machine_lowering& l, type t) {
    ptx::operation o = value_operation(opcode::setp, t);
    if (l.has(modifier::FTZ)) set(o, ptx::flag::ftz);
    for (const auto& c : float_comparisons)
        if (l.has(c.first)) o.compare = c.second;
    return o;
}

/// An operation in single precision with the flags of the instruction.
ptx::operation single_operation(const machine_lowering& l, opcode code) {
    ptx::operation o = value_operation(code, type::f32);
    if (l.has(modifier::FTZ)) set(o, ptx::flag::ftz);
    if (l.has(modifier::SAT)) set(o, ptx::flag::sat);
    if (l.has(modifier::NaN)) set(o, ptx::flag::nan);
    return o;
}

bool is_true(const machine_lowering& l, const sass::operand& predicate) {
    l.reads_sign(predicate);
    return predicate.index == sass::predicate_true && !predicate.negate_predicate;
}

/// The first factor of FMUL, scaled by a power of two. The hardware scales the product, which is
/// equivalent except for subnormals and infinity.
operand_ref scaled_factor(machine_lowering& l) {
    constexpr std::pair<modifier, std::uint32_t> scales[] = {
        {modifier::D2, 0x3f000000}, {modifier::D4, 0x3e800000}, {modifier::D8, 0x3e000000},
        {modifier::M2, 0x40000000}, {modifier::M4, 0x40800000}, {modifier::M8, 0x41000000}};
    const operand_ref factor = l.float_source(l.at(1));
    for (const auto& scale : scales)
        if (l.has(scale.first)) {
            ptx::operation by = value_operation(opcode::mul, type::f32);
            by.round = ptx::rounding::rn;
            const operand_ref scaled = l.scratch();
            l.emit_values(by, scaled, {factor, l.number(scale.second)}, false);
            return scaled;
        }
    return factor;
}

bool lower_single(machine_lowering& l, opcode code) {
    if (l.has(modifier::FMZ)) return false;
    ptx::operation o = single_operation(l, code);
    o.round = rounding_of(l);
    const operand_ref a = scaled_factor(l), b = l.float_source(l.at(2));
    if (code != opcode::fma) return l.emit_values(o, l.result_row(l.at(0)), {a, b});
    const operand_ref c = l.float_source(l.at(3));
    return l.emit_values(o, l.result_row(l.at(0)), {a, b, c});
}

}  // namespace

// ---- single precision ----

bool lower_float_add(machine_lowering& l) {
    return lower_single(l, opcode::add);
}
bool lower_float_multiply(machine_lowering& l) {
    return lower_single(l, opcode::mul);
}
bool lower_float_multiply_add(machine_lowering& l) {
    return lower_single(l, opcode::fma);
}

bool lower_float_minmax(machine_lowering& l) {
    const sass::operand& p = l.at(3);
    l.reads_sign(p);
    const auto extremum = [&](bool largest) {
        return single_operation(l, largest ? opcode::max : opcode::min);
    };
    if (l.has(modifier::XORSIGN)) {
        // The operand of lesser or greater magnitude, with the sign of the product.
        // An immediate has its sign.
        const bool number = l.at(2).kind == sass::operand_kind::float32;
        if (!l.at(1).absolute || (!l.at(2).absolute && !number) || l.at(1).negate ||
            l.at(2).negate || p.index != sass::predicate_true)
            return false;
        for (unsigned n = 1; n < 3; ++n) l.reads_sign(l.at(n));
        ptx::operation o = extremum(p.negate_predicate);
        set(o, ptx::flag::xorsign_abs);
        const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
        return l.emit_values(o, l.result_row(l.at(0)), {a, b});
    }
    const operand_ref a = l.float_source(l.at(1)), b = l.float_source(l.at(2));
    if (p.index == sass::predicate_true)
        return l.emit_values(extremum(p.negate_predicate), l.result_row(l.at(0)), {a, b});
    const operand_ref smaller = l.scratch(), larger = l.scratch();
    if (!l.emit_values(extremum(false), smaller, {a, b}, false) ||
        !l.emit_values(extremum(true), larger, {a, b}, false))
        return false;
    l.emit_selection(l.predicate_of(p), l.result_row(l.at(0)), smaller, larger);
    return true;
}

/// FMNMX3.
bool lower_float_minmax3(machine_lowering& l) {
    const sass::operand& p = l.at(4);
    l.reads_sign(p);
    if (p.index != sass::predicate_true) return false;
    const ptx::operation o = single_operation(l, p.negate_predicate ? opcode::max : opcode::min);
    const operand_ref a = l.float_source(l.at(1)), b = l.float_source(l.at(2)),
                      c = l.float_source(l.at(3)), both = l.scratch();
    return l.emit_values(o, both, {a, b}, false) &&
           l.emit_values(o, l.result_row(l.at(0)), {both, c});
}

namespace {

/// FADD2, FMUL2, FFMA2: the operation on each word of pairs. A source is a pair, a pair whose words
/// are exchanged, or a word that is used twice; .NP negates the second word of a pair.
bool lower_pair(machine_lowering& l, opcode code) {
    const unsigned sources = code == opcode::fma ? 3 : 2;
    ptx::operation o = single_operation(l, code);
    o.round = rounding_of(l);
    operand_ref results[2];
    for (unsigned word = 0; word < 2; ++word) {
        operand_ref from[3] = {no_operand, no_operand, no_operand};
        for (unsigned n = 0; n < sources; ++n) {
            sass::operand one = l.at(n + 1);
            std::string_view part = l.suffix_of(l.at(n + 1));
            l.reads_sign(l.at(n + 1));
            const bool negates = part == ".F32x2.HI_LO.NP" || part == ".F32x2.LO_HI.NP";
            if (negates) part.remove_suffix(std::string_view(".NP").size());
            const bool is_pair = part == ".F32x2.HI_LO", crossed = part == ".F32x2.LO_HI";
            if (!is_pair && !crossed && part != ".F32" && one.kind != operand_kind::float32)
                return false;
            if ((is_pair && word == 1) || (crossed && word == 0)) {
                if (one.kind == operand_kind::constant) return false;
                if (one.index != sass::register_rz) ++one.index;
            }
            one.suffix = {};
            one.negate = one.negate != (negates && word == 1);
            from[n] = l.float_source(one);
        }
        results[word] = l.scratch();
        if (!(sources == 3 ? l.emit_values(o, results[word], {from[0], from[1], from[2]}, false)
                           : l.emit_values(o, results[word], {from[0], from[1]}, false)))
            return false;
    }
    for (unsigned word = 0; word < 2; ++word)
        l.emit_copy(l.result_row(l.at(0), word), results[word]);
    return true;
}

}  // namespace

bool lower_pair_add(machine_lowering& l) {
    return lower_pair(l, opcode::add);
}
bool lower_pair_multiply(machine_lowering& l) {
    return lower_pair(l, opcode::mul);
}
bool lower_pair_multiply_add(machine_lowering& l) {
    return lower_pair(l, opcode::fma);
}

namespace {

/// Combines the result of a comparison, in scratch_mask, with a predicate.
void emit_combination(machine_lowering& l, const combined_result& outcome, bool guarded) {
    combination_arguments a;
    a.hit.mask = machine_frame::scratch_mask;
    a.outcome = outcome;
    l.emit(machine_combine, a, guarded);
}

/// FSETP, DSETP: a comparison whose result is combined with a predicate.
bool lower_comparison(machine_lowering& l, const ptx::operation& o, operand_ref a, operand_ref b) {
    if (o.compare == ptx::comparison::none) return false;
    const combination how = l.combination_of_results();
    if (how == combination::all_of && is_true(l, l.at(4))) {
        const operand_ref first = l.predicate_ref(l.at(0)), second = l.predicate_ref(l.at(1));
        if (!l.emit_values(o, first == 0 ? operand_ref{machine_frame::no_predicate} : first,
                           {a, b}))
            return false;
        if (second != 0) l.last_operation().destination2 = second;
        return true;
    }
    if (!l.emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
    emit_combination(
        l, {how, l.predicate_of(l.at(4)), l.predicate_ref(l.at(0)), l.predicate_ref(l.at(1))},
        true);
    return true;
}

}  // namespace

bool lower_float_compare(machine_lowering& l) {
    const operand_ref a = l.float_source(l.at(2)), b = l.float_source(l.at(3));
    return lower_comparison(l, comparison_of(l, type::f32), a, b);
}

// ---- factors or first addends of half precision ----

namespace {

/// FHADD and FHFMA: the first sources are halves.
bool lower_mixed(machine_lowering& l, opcode code, unsigned halves) {
    ptx::operation widen = value_operation(opcode::cvt, type::f32);
    widen.types[1] = l.has(modifier::BF16) ? type::bf16 : type::f16;
    widen.type_count = 2;
    const unsigned sources = code == opcode::fma ? 3 : 2;
    operand_ref from[3] = {};
    for (unsigned n = 0; n < sources; ++n) {
        if (n >= halves) {
            from[n] = l.float_source(l.at(n + 1));
            continue;
        }
        if (l.at(n + 1).kind != operand_kind::reg) return false;
        operand_ref half = l.half_source(l.at(n + 1));
        if (l.has(n == 0 ? modifier::A_H1 : modifier::B_H1)) {
            const operand_ref both = half;
            half = l.scratch();
            l.emit_words(l.lanes().shift, {}, half, {both, l.number(16), machine_frame::zero},
                         false);
        }
        from[n] = l.scratch();
        if (!l.emit_values(widen, from[n], {half}, false)) return false;
    }
    ptx::operation o = single_operation(l, code);
    o.round = rounding_of(l);
    const operand_ref to = l.result_row(l.at(0));
    return sources == 3 ? l.emit_values(o, to, {from[0], from[1], from[2]})
                        : l.emit_values(o, to, {from[0], from[1]});
}

}  // namespace

bool lower_mixed_add(machine_lowering& l) {
    return lower_mixed(l, opcode::add, 1);
}
bool lower_mixed_multiply_add(machine_lowering& l) {
    return lower_mixed(l, opcode::fma, 2);
}

// ---- single precision on the uniform datapath ----

bool lower_uniform_float_add(machine_lowering& l) {
    return lower_single(l, opcode::add) && l.make_uniform();
}
bool lower_uniform_float_multiply(machine_lowering& l) {
    return lower_single(l, opcode::mul) && l.make_uniform();
}
bool lower_uniform_float_multiply_add(machine_lowering& l) {
    return lower_single(l, opcode::fma) && l.make_uniform();
}

/// UFSETP.
bool lower_uniform_float_compare(machine_lowering& l) {
    const ptx::operation o = comparison_of(l, type::f32);
    if (o.compare == ptx::comparison::none || l.at(1).index != sass::predicate_true) return false;
    const operand_ref a = l.float_source(l.at(2)), b = l.float_source(l.at(3));
    if (!l.emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
    emit_combination(
        l, {l.combination_of_results(), l.predicate_of(l.at(4)), machine_frame::scratch_mask2, 0},
        false);
    // The result of the active lanes is that of all.
    vote_arguments v;
    v.source.mask = machine_frame::scratch_mask2;
    v.result = l.predicate_ref(l.at(0));
    v.holds_for = vote_arguments::mode::any;
    v.to_uniform = true;
    l.emit(machine_vote, v).destination = no_operand;
    return true;
}

bool lower_double_compare(machine_lowering& l) {
    const bool smallest = l.has(modifier::MIN);
    if (!smallest && !l.has(modifier::MAX)) {
        const operand_ref a = l.double_source(l.at(2)), b = l.double_source(l.at(3));
        return lower_comparison(l, comparison_of(l, type::f64), a, b);
    }
    if (!is_true(l, l.at(4)) || !l.has(modifier::AND)) return false;
    const operand_ref x = l.double_source(l.at(2)), y = l.double_source(l.at(3));
    l.emit_words(machine_double_extremum,
                 {smallest, l.predicate_ref(l.at(0)), l.predicate_ref(l.at(1))}, no_operand,
                 {x, y});
    return true;
}

/// FSET: 1.0 or all bits if a comparison is true, otherwise 0.
bool lower_float_set(machine_lowering& l) {
    const ptx::operation o = comparison_of(l, type::f32);
    if (o.compare == ptx::comparison::none) return false;
    const operand_ref a = l.float_source(l.at(1)), b = l.float_source(l.at(2));
    if (!l.emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
    emit_combination(
        l, {l.combination_of_results(), l.predicate_of(l.at(3)), machine_frame::scratch_mask2, 0},
        false);
    constexpr std::uint32_t one = 0x3f800000;
    l.emit_selection({machine_frame::scratch_mask2}, l.result_row(l.at(0)),
                     l.number(l.has(modifier::BF) ? one : ~0u), machine_frame::zero);
    return true;
}

/// UFSET.
bool lower_uniform_float_set(machine_lowering& l) {
    return lower_float_set(l) && l.make_uniform();
}

/// FSWZADD.
bool lower_quad_add(machine_lowering& l) {
    if (rounding_of(l) != ptx::rounding::rn) return false;
    const quad_sum_arguments q{{l.float_modifiers(l.at(1)), l.float_modifiers(l.at(2))},
                               static_cast<std::uint32_t>(l.at(3).value),
                               l.has(modifier::FTZ)};
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    l.emit_words(machine_add_in_quads, q, l.result_row(l.at(0)), {a, b});
    return true;
}

/// FCHK.
bool lower_reciprocal_check(machine_lowering& l) {
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    l.emit_words(
        machine_reciprocal_check,
        {{l.float_modifiers(l.at(1)), l.float_modifiers(l.at(2))}, l.predicate_ref(l.at(0))},
        no_operand, {a, b});
    return true;
}

// ---- special functions ----

namespace {

/// A function of half precision.
bool lower_half_function(machine_lowering& l, modifier function) {
    if (function != modifier::EX2 && function != modifier::TANH) return false;
    const bool bfloat = l.has(modifier::BF16), exponential = function == modifier::EX2;
    ptx::operation o =
        value_operation(exponential ? opcode::ex2 : opcode::tanh, bfloat ? type::bf16 : type::f16);
    set(o, ptx::flag::approx);
    if (bfloat && exponential) set(o, ptx::flag::ftz);
    const operand_ref a = l.half_source(l.at(1));
    return l.emit_values(o, l.result_row(l.at(0)), {a});
}

/// A function that PTX does not have in this form.
bool lower_machine_function(machine_lowering& l, machine_handler<unary_arguments> h) {
    const operand_ref a = l.at(1).kind == operand_kind::float64
                              ? l.number(static_cast<std::uint32_t>(l.at(1).value))
                              : l.low_word(l.at(1));
    unary_arguments arguments;
    arguments.source = l.float_modifiers(l.at(1));
    l.emit_words(h, arguments, l.result_row(l.at(0)), {a});
    return true;
}

}  // namespace

/// MUFU.
bool lower_special_function(machine_lowering& l) {
    const modifier function = l.modifier_at(0).id;
    if (l.has(modifier::F16) || l.has(modifier::BF16)) return lower_half_function(l, function);
    if (l.has(modifier::F16x2) || l.has(modifier::BF16x2)) {
        // Of sm_103, for both halves.
        ptx::operation o =
            value_operation(opcode::ex2, l.has(modifier::BF16x2) ? type::bf16x2 : type::f16x2);
        set(o, ptx::flag::approx);
        if (l.has(modifier::BF16x2)) set(o, ptx::flag::ftz);
        return l.emit_values(o, l.result_row(l.at(0)), {l.low_word(l.at(1))});
    }
    opcode code = opcode::tanh;
    switch (function) {
        case modifier::SIN:
            return lower_machine_function(l, machine_sine);
        case modifier::COS:
            return lower_machine_function(l, machine_cosine);
        case modifier::RCP64H:
            return lower_machine_function(l, machine_reciprocal_high);
        case modifier::RSQ64H:
            return lower_machine_function(l, machine_root_high);
        case modifier::EX2:
            code = opcode::ex2;
            break;
        case modifier::LG2:
            code = opcode::lg2;
            break;
        case modifier::RCP:
            code = opcode::rcp;
            break;
        case modifier::RSQ:
            code = opcode::rsqrt;
            break;
        case modifier::SQRT:
            code = opcode::sqrt;
            break;
        case modifier::TANH:
            break;
        default:
            return false;
    }
    ptx::operation o = value_operation(code, type::f32);
    set(o, ptx::flag::approx);
    if (code != opcode::tanh) set(o, ptx::flag::ftz);
    const operand_ref a = l.float_source(l.at(1));
    return l.emit_values(o, l.result_row(l.at(0)), {a});
}

// ---- double precision ----

namespace {

/// @param rounded_to_nearest  of this operation, which is faster
bool lower_double(machine_lowering& l, opcode code,
                  machine_handler<double_arguments> rounded_to_nearest) {
    const unsigned sources = code == opcode::fma ? 3 : 2;
    ptx::operation o = value_operation(code, type::f64);
    o.round = rounding_of(l);
    if (o.round == ptx::rounding::rn) {
        double_arguments d;
        std::vector<operand_ref> words;
        for (unsigned n = 0; n < sources; ++n) {
            d.high[n] = l.float_modifiers(l.at(n + 1));
            words.push_back(l.low_word(l.at(n + 1)));
            words.push_back(l.high_word(l.at(n + 1)));
        }
        operation& op = l.emit(rounded_to_nearest, d);
        op.list = l.list_of(words);
        op.destination = l.result_row(l.at(0));
        op.destination2 = l.result_row(l.at(0), 1);
        return true;
    }
    const operand_ref a = l.double_source(l.at(1)), b = l.double_source(l.at(2));
    const operand_ref c = sources == 3 ? l.double_source(l.at(3)) : no_operand;
    const operand_ref to = l.scratch();
    if (!l.emit_values(o, to, {a, b, c}, false)) return false;
    l.to_pair(l.at(0), to);
    return true;
}

}  // namespace

bool lower_double_add(machine_lowering& l) {
    return lower_double(l, opcode::add, l.lanes().double_add);
}
bool lower_double_multiply(machine_lowering& l) {
    return lower_double(l, opcode::mul, l.lanes().double_multiply);
}
bool lower_double_multiply_add(machine_lowering& l) {
    return lower_double(l, opcode::fma, l.lanes().double_multiply_add);
}

}  // namespace simtlm::execution
