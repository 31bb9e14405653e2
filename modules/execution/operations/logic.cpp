// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: Boolean operations on bits and on predicates, moves,
// selection, carries.
#include "modules/execution/arithmetic/bit_field.h"
#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using ptx::opcode;

template <class T>
struct same {
    using bits = values::bits_of<T>;
    static constexpr bits apply(bits a) { return a; }
};

// ---- predicates ----

/// Writes a predicate in the executing lanes.
inline void write_predicate(warp& w, operand_ref to, lane_mask lanes, lane_mask value) {
    lane_mask& p = w.mask_at(to);
    p = (p & ~lanes) | (value & lanes);
}
template <class Function>
inline const operation* predicate_operation(warp& w, const operation* op, Function f) {
    write_predicate(w, op->destination, w.lanes_of(op), f());
    return op + 1;
}
const operation* predicate_and(warp& w, const operation* op) {
    return predicate_operation(w, op,
                               [&] { return w.mask_at(op->source[0]) & w.mask_at(op->source[1]); });
}
const operation* predicate_or(warp& w, const operation* op) {
    return predicate_operation(w, op,
                               [&] { return w.mask_at(op->source[0]) | w.mask_at(op->source[1]); });
}
const operation* predicate_xor(warp& w, const operation* op) {
    return predicate_operation(w, op,
                               [&] { return w.mask_at(op->source[0]) ^ w.mask_at(op->source[1]); });
}
const operation* predicate_not(warp& w, const operation* op) {
    return predicate_operation(w, op, [&] { return ~w.mask_at(op->source[0]); });
}
const operation* predicate_move(warp& w, const operation* op) {
    return predicate_operation(w, op, [&] { return w.mask_at(op->source[0]); });
}

choice of_predicates(handler h, std::uint8_t sources) {
    choice c;
    c.execute = h;
    c.result = 1;
    c.source_count = sources;
    for (unsigned i = 0; i < sources; ++i) c.sources[i] = 1;
    return c;
}

choice choose_predicate_logic(const ptx::operation& o) {
    switch (o.op) {
        case opcode::and_:
            return of_predicates(predicate_and, 2);
        case opcode::or_:
            return of_predicates(predicate_or, 2);
        case opcode::xor_:
            return of_predicates(predicate_xor, 2);
        case opcode::not_:
            return of_predicates(predicate_not, 1);
        case opcode::mov:
            return of_predicates(predicate_move, 1);
        default:
            return {};
    }
}

// ---- selection ----

template <class Bits>
const operation* select(warp& w, const operation* op) {
    using lane = lane_type<Bits>;
    alignas(64) lane result[warp_size];
    std::memcpy(result, w.at(op->source[1]), sizeof result);
    blend(result, lanes_at<Bits>(w, op->source[0]), w.mask_at(op->source[2]));
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == all_lanes)
        std::memcpy(w.at(op->destination), result, sizeof result);
    else
        blend(lanes_at<Bits>(w, op->destination), result, lanes);
    return op + 1;
}

template <class Bits>
choice selection() {
    choice c;
    c.execute = select<Bits>;
    c.result = c.sources[0] = c.sources[1] = sizeof(Bits) * 8;
    c.sources[2] = 1;
    c.source_count = 3;
    return c;
}

// ---- lop3 ----

/// detail: the table in its low byte
const operation* lop3_any(warp& w, const operation* op) {
    const auto* const a = lanes_at<std::uint32_t>(w, op->source[0]);
    const auto* const b = lanes_at<std::uint32_t>(w, op->source[1]);
    const auto* const c = lanes_at<std::uint32_t>(w, op->source[2]);
    alignas(64) lane_type<std::uint32_t> result[warp_size];
    for (unsigned i = 0; i < warp_size; ++i)
        result[i] = values::lop3::apply(a[i], b[i], c[i], op->detail & 0xff);
    blend(lanes_at<std::uint32_t>(w, op->destination), result, w.lanes_of(op));
    return op + 1;
}

// ---- carries ----

template <class Op, class T, bool Multiplies>
inline auto with_carry_in(const lane_type<values::bits_of<T>>* const* from, unsigned i,
                          bool carry) {
    using bits = values::bits_of<T>;
    if constexpr (Multiplies)
        return Op::apply(static_cast<bits>(from[0][i]), static_cast<bits>(from[1][i]),
                         static_cast<bits>(from[2][i]), carry);
    else
        return Op::apply(static_cast<bits>(from[0][i]), static_cast<bits>(from[1][i]), carry);
}

/// Operations that read or write CC.CF. A subtraction adds the complement: its carry is set if
/// there is no borrow. detail: 1: reads it, 2: writes it, 4: subtracts
template <class Op, class T, bool Multiplies>
const operation* carry(warp& w, const operation* op) {
    using lane = lane_type<values::bits_of<T>>;
    const lane* from[3];
    for (unsigned n = 0; n < (Multiplies ? 3 : 2); ++n)
        from[n] = lanes_at<values::bits_of<T>>(w, op->source[n]);
    lane_mask& flags = w.mask_at(frame_layout::carry);
    const lane_mask borrows = (op->detail & 4) != 0 ? all_lanes : 0;
    const lane_mask in = (op->detail & 1) != 0 ? flags ^ borrows : 0;
    alignas(64) lane result[warp_size];
    lane_mask out = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const auto r = with_carry_in<Op, T, Multiplies>(from, i, (in >> i & 1) != 0);
        result[i] = r.value;
        out |= static_cast<lane_mask>(r.carry) << i;
    }
    out ^= borrows;
    const lane_mask lanes = w.lanes_of(op);
    if (op->destination != no_operand)
        blend(lanes_at<values::bits_of<T>>(w, op->destination), result, lanes);
    if ((op->detail & 2) != 0) flags = (flags & ~lanes) | (out & lanes);
    return op + 1;
}

template <class T>
choice carrying(const ptx::operation& o) {
    choice c;
    const bool multiplies = o.op == opcode::mad || o.op == opcode::madc;
    if (multiplies)
        c.execute = o.part == ptx::product::hi ? carry<values::mad_hi_carry<T>, T, true>
                                               : carry<values::mad_lo_carry<T>, T, true>;
    else if (o.op == opcode::add || o.op == opcode::addc)
        c.execute = carry<values::add_carry<T>, T, false>;
    else
        c.execute = carry<values::sub_borrow<T>, T, false>;
    c.result = T::width;
    c.source_count = multiplies ? 3 : 2;
    for (std::uint8_t& s : c.sources) s = T::width;
    const bool takes = o.op == opcode::addc || o.op == opcode::subc || o.op == opcode::madc;
    const bool subtracts = o.op == opcode::sub || o.op == opcode::subc;
    c.detail = static_cast<std::uint16_t>((takes ? 1 : 0) | (o.has(flag::cc) ? 2 : 0) |
                                          (subtracts ? 4 : 0));
    return c;
}

}  // namespace

choice choose_logic(const ptx::operation& o) {
    if (o.first_type() == ptx::type::pred) return choose_predicate_logic(o);
    if (o.op == opcode::lop3) {
        choice c;
        c.execute = lop3_any;
        c.result = 32;
        c.source_count = 3;
        for (std::uint8_t& s : c.sources) s = 32;
        return c;
    }
    return for_bits(ptx::width_of(o.first_type()), [&](auto type) -> choice {
        using T = typename decltype(type)::type;
        switch (o.op) {
            case opcode::and_:
                return binary<T, values::bit_and<T>>();
            case opcode::or_:
                return binary<T, values::bit_or<T>>();
            case opcode::xor_:
                return binary<T, values::bit_xor<T>>();
            case opcode::not_:
                return unary<T, values::bit_not<T>>();
            case opcode::cnot:
                return unary<T, values::cnot<T>>();
            case opcode::mov:
                return unary<T, same<T>>();
            default:
                return {};
        }
    });
}

choice choose_selection(const ptx::operation& o) {
    if (o.op == opcode::selp)
        return ptx::width_of(o.first_type()) == 64 ? selection<std::uint64_t>()
                                                   : selection<std::uint32_t>();
    if (o.op != opcode::slct) return {};
    return for_bits(ptx::width_of(o.first_type()), [&](auto type) -> choice {
        using T = typename decltype(type)::type;
        using bits = values::bits_of<T>;
        if (o.last_type() == ptx::type::s32)
            return elementwise<values::slct<T>, true, bits, bits, bits, std::uint32_t>();
        return o.has(flag::ftz)
                   ? elementwise<values::slct_f32<T, values::ftz>, true, bits, bits, bits,
                                 std::uint32_t>()
                   : elementwise<values::slct_f32<T>, true, bits, bits, bits, std::uint32_t>();
    });
}

choice choose_carry(const ptx::operation& o) {
    switch (o.op) {
        case opcode::add:
        case opcode::sub:
        case opcode::mad:
            if (!o.has(flag::cc)) return {};
            break;
        case opcode::addc:
        case opcode::subc:
        case opcode::madc:
            break;
        default:
            return {};
    }
    return for_32_or_64(o.first_type(), [&](auto type) -> choice {
        // Signed and unsigned additions are the same, except for the high half of a product.
        return carrying<typename decltype(type)::type>(o);
    });
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
