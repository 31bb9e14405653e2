// SPDX-License-Identifier: Apache-2.0
// Lowering of integer arithmetic, comparisons, logic, shifts and selections; on the uniform
// datapath as well.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"

#include <algorithm>
#include <utility>

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;

namespace {

bool is_predicate(const sass::operand& o) {
    return o.kind == operand_kind::predicate || o.kind == operand_kind::uniform_predicate;
}

/// The result in the n-th operand, if that is a predicate. @param n  becomes the next operand
operand_ref optional_result(const machine_lowering& l, unsigned& n) {
    return is_predicate(l.at(n)) ? l.predicate_ref(l.at(n++)) : 0;
}

bool has_pairs_of_halves(const machine_lowering& l) {
    return l.has(modifier::S16x2) || l.has(modifier::U16x2);
}
bool has_bytes(const machine_lowering& l) {
    return l.has(modifier::S8x4) || l.has(modifier::U8x4);
}

/// The carries that a sum of .X adds, in the operands from n on. A sum of two has one.
void set_carries_in(const machine_lowering& l, sum_arguments& a, unsigned n, unsigned addends) {
    a.carry_in[0] = l.predicate_of(l.at(n));
    if (addends == 2)
        a.carry_in[1].flip = all_lanes;  // none
    else
        a.carry_in[1] = l.predicate_of(l.at(n + 1));
}

/// UIADD3.64 and IADD.64: three or two pairs, with carries as for a pair of IADD3: the carries of
/// the low words are added to the high words.
bool lower_wide_add(machine_lowering& l, unsigned addends) {
    const bool extended = l.has(modifier::X);
    sum_arguments low, high;
    low.extended = extended;
    high.extended = true;
    low.carry_out[0] = high.carry_in[0].mask = machine_frame::scratch_mask;
    low.carry_out[1] = high.carry_in[1].mask = machine_frame::scratch_mask2;
    unsigned n = 1;
    for (operand_ref& carry : high.carry_out) carry = optional_result(l, n);
    constexpr operand_ref zero = machine_frame::zero;
    operand_ref low_words[3] = {zero, zero, zero}, high_words[3] = {zero, zero, zero};
    for (unsigned i = 0; i < addends; ++i, ++n) {
        low.source[i] = l.integer_modifiers(l.at(n));
        high.source[i].flip = low.source[i].flip;
        low_words[i] = l.low_word(l.at(n));
        high_words[i] = l.high_word(l.at(n));
    }
    if (extended) set_carries_in(l, low, n, addends);
    const operand_ref sum = l.scratch();
    l.emit_words(l.lanes().add3, low, sum, {low_words[0], low_words[1], low_words[2]}, false);
    l.emit_copy(l.result_row(l.at(0)), sum);
    l.emit_words(l.lanes().add3, high, l.result_row(l.at(0), 1),
                 {high_words[0], high_words[1], high_words[2]});
    return true;
}

/// A sum of three or two operands. Operands: Rd, carries, A, B, C, carries of .X
bool lower_sum(machine_lowering& l, unsigned addends) {
    sum_arguments a;
    unsigned n = 1;
    for (operand_ref& carry : a.carry_out) carry = optional_result(l, n);
    operand_ref sources[3] = {machine_frame::zero, machine_frame::zero, machine_frame::zero};
    for (unsigned i = 0; i < addends; ++i, ++n) {
        a.source[i] = l.integer_modifiers(l.at(n));
        sources[i] = l.low_word(l.at(n));
    }
    a.extended = l.has(modifier::X);
    if (a.extended) set_carries_in(l, a, n, addends);
    l.emit_words(l.lanes().add3, a, l.result_row(l.at(0)), {sources[0], sources[1], sources[2]});
    return true;
}

/// Arguments of a sum of the first two sources.
sum_arguments sum_of_two(const machine_lowering& l) {
    sum_arguments a;
    for (unsigned i = 0; i < 2; ++i) a.source[i] = l.integer_modifiers(l.at(1 + i));
    return a;
}

/// Emits a minimum or maximum, according to a predicate.
void emit_extremum(machine_lowering& l, const sass::operand& order, operand_ref a, operand_ref b,
                   operand_ref to, bool guarded) {
    extremum_arguments e;
    e.is_signed = !l.has(modifier::U32) && !l.has(modifier::U16x2) && !l.has(modifier::U8x4);
    e.minimum = l.predicate_of(order);
    l.emit_words(has_bytes(l)             ? machine_extremum8
                 : has_pairs_of_halves(l) ? machine_extremum16
                                          : l.lanes().minmax,
                 e, to, {a, b}, guarded);
}

/// The row in which the result is computed before emit_clamp().
operand_ref unclamped_result(machine_lowering& l) {
    return l.has(modifier::RELU) ? l.scratch() : l.result_row(l.at(0));
}

/// .RELU: negative results are replaced by zero.
void emit_clamp(machine_lowering& l, operand_ref from) {
    if (!l.has(modifier::RELU)) return;
    l.emit_words(machine_clamp_negative, {has_pairs_of_halves(l) ? 16u : 32u},
                 l.result_row(l.at(0)), {from});
}

/// IABS, BREV. The sign of a source does not change its absolute value.
bool lower_one_source(machine_lowering& l, machine_handler<datapath_arguments> h) {
    l.reads_sign(l.at(1));
    l.emit_words(h, {}, l.result_row(l.at(0)), {l.low_word(l.at(1))});
    return true;
}

/// An operation on a field of a word.
bool lower_field(machine_lowering& l, machine_handler<field_arguments> h) {
    field_arguments f;
    f.is_signed = !l.has(modifier::U32);
    f.wraps = l.has(modifier::W);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    l.emit_words(h, f, l.result_row(l.at(0)), {a, b});
    return true;
}

/// IMAD.MOV is printed for both a product with zero plus C, and a product of A and 1 plus zero.
bool lower_product_as_move(machine_lowering& l) {
    l.ignore(modifier::U32);
    const auto is_zero = [](const sass::operand& o) {
        return (o.kind == operand_kind::reg && o.index == sass::register_rz) ||
               (o.kind == operand_kind::integer && static_cast<std::uint32_t>(o.value) == 0);
    };
    const bool of_zero = is_zero(l.at(1)) || is_zero(l.at(2));
    for (unsigned n = 1; n < 4; ++n) l.ignore_operand(n);
    const sass::operand& moved = l.at(of_zero ? 3 : 1);
    const operand_ref from = l.low_word(moved);
    if (!moved.negate && !moved.invert) {
        l.emit_copy(l.result_row(l.at(0)), from);
        return true;
    }
    l.emit_modified(l.integer_modifiers(moved), l.result_row(l.at(0)), from);
    return true;
}

}  // namespace

// ---- arithmetic ----

bool lower_add3(machine_lowering& l) {
    return l.has(modifier::_64) ? lower_wide_add(l, 3) : lower_sum(l, 3);
}

/// IADD of sm_120.
bool lower_add(machine_lowering& l) {
    return l.has(modifier::_64) ? lower_wide_add(l, 2) : lower_sum(l, 2);
}

bool lower_add2(machine_lowering& l) {
    if (l.has(modifier::SAT)) {
        const bool from_second = l.at(1).negate, subtracts = from_second || l.at(2).negate;
        if (from_second && l.at(2).negate) return false;
        for (unsigned n = 1; n < 3; ++n) l.reads_sign(l.at(n));
        ptx::operation o =
            value_operation(subtracts ? ptx::opcode::sub : ptx::opcode::add, ptx::type::s32);
        set(o, ptx::flag::sat);
        const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
        const operand_ref to = l.result_row(l.at(0));
        return from_second ? l.emit_values(o, to, {b, a}) : l.emit_values(o, to, {a, b});
    }
    const bool bytes = has_bytes(l);
    if (!bytes && !l.has(modifier::_16x2)) return lower_sum(l, 2);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    l.emit_words(bytes ? machine_add8 : machine_add16, sum_of_two(l), l.result_row(l.at(0)),
                 {a, b});
    return true;
}

/// UVIADD.
bool lower_uniform_add2(machine_lowering& l) {
    return lower_add2(l) && l.make_uniform();
}

bool lower_multiply_add(machine_lowering& l) {
    if (l.has(modifier::MOV)) return lower_product_as_move(l);
    product_arguments p;
    unsigned n = 1;
    p.carry_out = optional_result(l, n);
    p.is_signed = !l.has(modifier::U32);
    p.extended = l.has(modifier::X);
    p.addend = l.integer_modifiers(l.at(n + 2));
    if (p.extended) p.carry_in = l.predicate_of(l.at(n + 3));
    // With .HI, too, the third source is a pair; the low word of the sum is discarded.
    const bool wide = l.has(modifier::WIDE), high = l.has(modifier::HI);
    const operand_ref a = l.low_word(l.at(n)), b = l.low_word(l.at(n + 1)),
                      c = l.low_word(l.at(n + 2));
    const operand_ref c_high = wide || high ? l.high_word(l.at(n + 2)) : no_operand;
    operation& op =
        l.emit_words(wide || high ? l.lanes().multiply_add_wide : l.lanes().multiply_add, p,
                     high ? machine_frame::discard : l.result_row(l.at(0)), {a, b, c, c_high});
    if (wide) op.destination2 = l.result_row(l.at(0), 1);
    if (high) op.destination2 = l.result_row(l.at(0));
    return true;
}

bool lower_shift_add(machine_lowering& l) {
    scaled_sum_arguments s;
    unsigned n = 1;
    s.carry_out = optional_result(l, n);
    s.high_word = l.has(modifier::HI);
    s.sign_extends = l.has(modifier::SX32);
    s.extended = l.has(modifier::X);
    s.shifted = l.integer_modifiers(l.at(n));
    s.addend = l.integer_modifiers(l.at(n + 1));
    const operand_ref a = l.low_word(l.at(n)), b = l.low_word(l.at(n + 1));
    n += 2;
    operand_ref c = machine_frame::zero;
    if (s.high_word && !s.sign_extends) c = l.low_word(l.at(n++));
    s.shift = static_cast<unsigned>(l.at(n++).value);
    if (s.extended) s.carry_in = l.predicate_of(l.at(n));
    l.emit_words(l.lanes().shift_add, s, l.result_row(l.at(0)), {a, b, c});
    return true;
}

namespace {

bool is_wide(const machine_lowering& l) {
    return l.has(modifier::S64) || l.has(modifier::U64);
}

/// Emits the comparison of the low words of two pairs, and prepares that of the high words.
void emit_low_comparison(machine_lowering& l, comparison_arguments& high, const sass::operand& a,
                         const sass::operand& b) {
    comparison_arguments low;
    low.outcome.result = machine_frame::scratch_mask;
    low.is_signed = false;
    low.holds_if = high.holds_if;
    l.emit_words(l.lanes().compare, low, no_operand, {l.low_word(a), l.low_word(b)}, false);
    high.extended = true;
    high.low_words.mask = machine_frame::scratch_mask;
    high.is_signed = l.has(modifier::S64);
}

/// Selects one of two pairs.
void emit_wide_selection(machine_lowering& l, const source_predicate& p, const sass::operand& a,
                         const sass::operand& b) {
    l.emit_selection(p, l.result_row(l.at(0)), l.low_word(a), l.low_word(b));
    l.emit_selection(p, l.result_row(l.at(0), 1), l.high_word(a), l.high_word(b));
}

/// IMNMX of pairs.
bool lower_wide_minmax(machine_lowering& l) {
    if (l.at(3).index != sass::predicate_true) return false;
    comparison_arguments less;
    less.holds_if = comparison_arguments::less;
    less.outcome.result = machine_frame::scratch_mask2;
    emit_low_comparison(l, less, l.at(1), l.at(2));
    l.emit_words(l.lanes().compare, less, no_operand, {l.high_word(l.at(1)), l.high_word(l.at(2))},
                 false);
    source_predicate first = l.predicate_of(l.at(3));
    first.mask = machine_frame::scratch_mask2;
    emit_wide_selection(l, first, l.at(1), l.at(2));
    return true;
}

}  // namespace

bool lower_minmax(machine_lowering& l) {
    if (is_wide(l)) return lower_wide_minmax(l);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    emit_extremum(l, l.at(3), a, b, l.result_row(l.at(0)), true);
    return true;
}

bool lower_vector_minmax(machine_lowering& l) {
    if (l.operand_count() != 4) return false;
    const operand_ref to = unclamped_result(l);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    emit_extremum(l, l.at(3), a, b, to, !l.has(modifier::RELU));
    emit_clamp(l, to);
    return true;
}

bool lower_minmax3(machine_lowering& l) {
    const operand_ref to = unclamped_result(l);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    const operand_ref both = l.scratch();
    emit_extremum(l, l.at(4), a, b, both, false);
    emit_extremum(l, l.at(4), both, c, to, !l.has(modifier::RELU));
    emit_clamp(l, to);
    return true;
}

bool lower_add_minmax(machine_lowering& l) {
    const operand_ref to = unclamped_result(l);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    const operand_ref sum = l.scratch();
    l.emit_words(has_pairs_of_halves(l) ? machine_add16 : l.lanes().add3, sum_of_two(l), sum,
                 {a, b, machine_frame::zero}, false);
    emit_extremum(l, l.at(4), sum, c, to, !l.has(modifier::RELU));
    emit_clamp(l, to);
    return true;
}

/// I2I: saturates to the range of a byte or a half word.
bool lower_integer_saturate(machine_lowering& l) {
    const bool byte = l.has(modifier::U8) || l.has(modifier::S8);
    const bool is_signed = l.has(modifier::S8) || l.has(modifier::S16);
    const std::uint32_t values = byte ? 256 : 65536;
    const std::uint32_t most = is_signed ? values / 2 - 1 : values - 1;
    const std::uint32_t least = is_signed ? 0 - values / 2 : 0;
    const operand_ref a = l.low_word(l.at(1)), clamped = l.scratch();
    extremum_arguments e;
    e.is_signed = true;
    l.emit_words(l.lanes().minmax, e, clamped, {a, l.number(most)}, false);
    e.minimum.flip = all_lanes;
    l.emit_words(l.lanes().minmax, e, l.result_row(l.at(0)), {clamped, l.number(least)});
    return true;
}

bool lower_absolute(machine_lowering& l) {
    return lower_one_source(l, l.lanes().absolute);
}
bool lower_population_count(machine_lowering& l) {
    unary_arguments a;
    a.source = l.integer_modifiers(l.at(1));
    l.emit_words(l.lanes().count, a, l.result_row(l.at(0)), {l.low_word(l.at(1))});
    return true;
}
bool lower_find_leading_one(machine_lowering& l) {
    unsigned n = 1;
    find_arguments a;
    a.found = optional_result(l, n);
    a.source = l.integer_modifiers(l.at(n));
    a.is_signed = !l.has(modifier::U32);
    a.as_shift = l.has(modifier::SH);
    l.emit_words(l.lanes().find, a, l.result_row(l.at(0)), {l.low_word(l.at(n))});
    return true;
}
bool lower_bit_reverse(machine_lowering& l) {
    return lower_one_source(l, l.lanes().reverse);
}
bool lower_sign_extend(machine_lowering& l) {
    return lower_field(l, l.lanes().extend);
}
bool lower_field_mask(machine_lowering& l) {
    return lower_field(l, l.lanes().field_mask);
}

// ---- packed integers ----

bool lower_dot_product(machine_lowering& l) {
    dot_product_arguments d;
    // Types of A and of B, in this order.
    unsigned types = 0;
    for (unsigned i = 0; i < l.modifier_count(); ++i) {
        const modifier m = l.modifier_at(i).id;
        const bool is_signed = m == modifier::S8 || m == modifier::S16;
        if (!is_signed && m != modifier::U8 && m != modifier::U16) continue;
        (types++ == 0 ? d.a_signed : d.b_signed) = is_signed;
    }
    if (types != 2) return false;
    d.width = l.has(modifier::_4A) ? 8 : 16;
    d.high_bytes = l.has(modifier::HI);
    d.addend = l.integer_modifiers(l.at(3));
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    l.emit_words(machine_dot_product, d, l.result_row(l.at(0)), {a, b, c});
    return true;
}

bool lower_absolute_difference(machine_lowering& l) {
    if (l.at(1).kind == operand_kind::predicate) return false;
    const bool of_bytes = l.is(isa::opcode::VABSDIFF4);
    difference_arguments d;
    d.width = of_bytes ? 8 : 32;
    d.sums = l.has(modifier::ACC);
    d.is_signed = !l.has(of_bytes ? modifier::U8 : modifier::U32);
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    l.emit_words(machine_differences, d, l.result_row(l.at(0)), {a, b, c});
    return true;
}

// ---- comparison, logic, shifts, selection ----

bool lower_integer_compare(machine_lowering& l) {
    comparison_arguments d;
    d.outcome = {l.combination_of_results(), l.predicate_of(l.at(4)), l.predicate_ref(l.at(0)),
                 l.predicate_ref(l.at(1))};
    d.extended = l.has(modifier::EX);
    // Volta and Turing have no operand for PT: the comparison of the low words holds.
    if (d.extended && l.operand_count() > 5) d.low_words = l.predicate_of(l.at(5));
    d.is_signed = !l.has(modifier::U32);
    // By the bits less, equal and greater.
    constexpr modifier orders[] = {modifier::F,  modifier::LT, modifier::EQ, modifier::LE,
                                   modifier::GT, modifier::NE, modifier::GE, modifier::T};
    for (unsigned order = 0; order < std::size(orders); ++order)
        if (l.modifier_at(0) == orders[order]) d.holds_if = order;
    const sass::operand &a = l.at(2), &b = l.at(3);
    if (is_wide(l)) {
        if (d.extended) return l.refuse("a comparison of more than 64 bits");
        emit_low_comparison(l, d, a, b);
        l.emit_words(l.lanes().compare, d, no_operand, {l.high_word(a), l.high_word(b)});
        return true;
    }
    const operand_ref x = l.low_word(a), y = l.low_word(b);
    l.emit_words(l.lanes().compare, d, no_operand, {x, y});
    return true;
}

bool lower_logic(machine_lowering& l) {
    logic_arguments d;
    unsigned n = 0;
    d.nonzero.result = optional_result(l, n);
    const sass::operand& to = l.at(n++);
    const operand_ref a = l.low_word(l.at(n)), b = l.low_word(l.at(n + 1)),
                      c = l.low_word(l.at(n + 2));
    d.table = static_cast<std::uint32_t>(l.at(n + 3).value);
    d.nonzero.with = l.predicate_of(l.at(n + 4));
    d.nonzero.how = l.has(modifier::PAND) ? combination::all_of : combination::any_of;
    l.emit_words(l.lanes().logic, d, l.result_row(to), {a, b, c});
    return true;
}

bool lower_predicate_logic(machine_lowering& l) {
    if (l.at(2).kind != operand_kind::reg && l.at(2).kind != operand_kind::uniform_reg) {
        predicate_logic_arguments d;
        for (unsigned i = 0; i < 3; ++i) d.source[i] = l.predicate_of(l.at(2 + i));
        for (unsigned i = 0; i < 2; ++i) {
            d.result[i] = l.predicate_ref(l.at(i));
            d.table[i] = static_cast<std::uint32_t>(l.at(5 + i).value);
        }
        l.emit(machine_logic_predicates, d);
        return true;
    }
    // Operates on the sign bits of registers (.SIGN): that of LOP3's result.
    for (unsigned n = 2; n < 5; ++n) l.suffix_of(l.at(n));
    const operand_ref a = l.low_word(l.at(2)), b = l.low_word(l.at(3)), c = l.low_word(l.at(4));
    for (unsigned n = 0; n < 2; ++n) {
        if (n == 1 && l.at(n).index == sass::predicate_true) {
            l.ignore_operand(6);  // its table
            break;
        }
        logic_arguments logic;
        logic.table = static_cast<std::uint32_t>(l.at(5 + n).value);
        const operand_ref bits = l.scratch();
        l.emit_words(l.lanes().logic, logic, bits, {a, b, c}, false);
        comparison_arguments negative;
        negative.outcome.result = l.predicate_ref(l.at(n));
        negative.is_signed = true;
        negative.holds_if = comparison_arguments::less;
        l.emit_words(l.lanes().compare, negative, no_operand, {bits, machine_frame::zero});
    }
    return true;
}

bool lower_shift(machine_lowering& l) {
    shift_arguments d;
    d.to_left = l.has(modifier::L);
    d.wraps = l.has(modifier::W);
    d.high_word = l.has(modifier::HI);
    d.is_signed = l.has(modifier::S32) || l.has(modifier::S64);
    d.width = l.has(modifier::U64) || l.has(modifier::S64) ? 64 : 32;
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    l.emit_words(l.lanes().shift, d, l.result_row(l.at(0)), {a, b, c});
    return true;
}

bool lower_permute(machine_lowering& l) {
    permutation_arguments d;
    constexpr modifier modes[] = {modifier::F4E, modifier::B4E, modifier::RC8,
                                  modifier::ECL, modifier::ECR, modifier::RC16};
    for (unsigned i = 0; i < std::size(modes); ++i)
        if (l.has(modes[i])) d.mode = i + 1;
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2)), c = l.low_word(l.at(3));
    l.emit_words(l.lanes().permute, d, l.result_row(l.at(0)), {a, b, c});
    return true;
}

namespace {
bool lower_selection(machine_lowering& l, bool of_floats) {
    if (l.has(modifier::FTZ)) return false;
    selection_arguments d;
    for (unsigned i = 0; i < 2; ++i)
        d.source[i] = of_floats ? l.float_modifiers(l.at(1 + i)) : l.integer_modifiers(l.at(1 + i));
    d.first = l.predicate_of(l.at(3));
    const operand_ref a = l.low_word(l.at(1)), b = l.low_word(l.at(2));
    l.emit_words(l.lanes().select, d, l.result_row(l.at(0)), {a, b});
    return true;
}
}  // namespace

bool lower_select(machine_lowering& l) {
    if (l.has(modifier::_64)) {
        emit_wide_selection(l, l.predicate_of(l.at(3)), l.at(1), l.at(2));
        return true;
    }
    return lower_selection(l, false);
}
bool lower_float_select(machine_lowering& l) {
    return lower_selection(l, true);
}

}  // namespace simtlm::execution
