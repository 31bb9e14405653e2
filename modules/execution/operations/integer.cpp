// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: integer arithmetic.
#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using ptx::opcode;
using values::plain;
using values::rounding;

constexpr rounding any_rounding = rounding::nearest;

choice multiply(const ptx::operation& o) {
    return for_integer(o.first_type(), [&](auto type) -> choice {
        using T = typename decltype(type)::type;
        using bits = values::bits_of<T>;
        if (o.part == ptx::product::lo) return binary<T, values::mul_lo<T>>();
        if (o.part == ptx::product::hi) return binary<T, values::mul_hi<T>>();
        if constexpr (T::width < 64)
            if (o.part == ptx::product::wide)
                return elementwise<values::mul_wide<T>, true, typename values::mul_wide<T>::result,
                                   bits, bits>();
        return {};
    });
}

choice multiply_add(const ptx::operation& o) {
    return for_integer(o.first_type(), [&](auto type) -> choice {
        using T = typename decltype(type)::type;
        using bits = values::bits_of<T>;
        if (o.part == ptx::product::lo) return ternary<T, values::mad_lo<T>>();
        if (o.part == ptx::product::hi) {
            if constexpr (std::is_same_v<T, values::s32>)
                if (o.has(flag::sat)) return ternary<T, values::mad_hi<T, values::sat>>();
            return ternary<T, values::mad_hi<T>>();
        }
        if constexpr (T::width < 64)
            if (o.part == ptx::product::wide) {
                using wide = typename values::mad_wide<T>::result;
                return elementwise<values::mad_wide<T>, true, wide, bits, bits, wide>();
            }
        return {};
    });
}

template <class T>
choice multiply_24(const ptx::operation& o) {
    const bool low = o.part == ptx::product::lo;
    if (o.op == opcode::mul24)
        return low ? binary<T, values::mul24_lo<T>>() : binary<T, values::mul24_hi<T>>();
    if (low) return ternary<T, values::mad24_lo<T>>();
    if constexpr (std::is_same_v<T, values::s32>)
        if (o.has(flag::sat)) return ternary<T, values::mad24_hi<T, values::sat>>();
    return ternary<T, values::mad24_hi<T>>();
}

template <class Pair>
choice packed_integers(const ptx::operation& o) {
    using E = typename Pair::element;
    switch (o.op) {
        case opcode::add:
            return binary<Pair, values::packed<values::add<E>>>();
        case opcode::min:
            return o.has(flag::relu) ? binary<Pair, values::packed<values::min<E, values::relu>>>()
                                     : binary<Pair, values::packed<values::min<E>>>();
        case opcode::max:
            return o.has(flag::relu) ? binary<Pair, values::packed<values::max<E, values::relu>>>()
                                     : binary<Pair, values::packed<values::max<E>>>();
        default:
            return {};
    }
}

/// Instructions with two or three operands of the same type.
template <class T>
choice plain_integer(const ptx::operation& o) {
    constexpr values::modifiers sat = T::is_signed && T::width == 32 ? values::sat : plain;
    constexpr values::modifiers relu = T::is_signed && T::width == 32 ? values::relu : plain;
    switch (o.op) {
        case opcode::add:
            return o.has(flag::sat) ? binary<T, values::add<T, any_rounding, sat>>()
                                    : binary<T, values::add<T>>();
        case opcode::sub:
            return o.has(flag::sat) ? binary<T, values::sub<T, any_rounding, sat>>()
                                    : binary<T, values::sub<T>>();
        case opcode::div:
            return binary<T, values::div<T>, false>();
        case opcode::rem:
            return binary<T, values::rem<T>, false>();
        case opcode::abs:
            return unary<T, values::abs<T>>();
        case opcode::neg:
            return unary<T, values::neg<T>>();
        case opcode::min:
            return o.has(flag::relu) ? binary<T, values::min<T, relu>>()
                                     : binary<T, values::min<T>>();
        case opcode::max:
            return o.has(flag::relu) ? binary<T, values::max<T, relu>>()
                                     : binary<T, values::max<T>>();
        case opcode::sad:
            return ternary<T, values::sad<T>>();
        default:
            return {};
    }
}

}  // namespace

choice choose_integer(const ptx::operation& o) {
    if (o.has(flag::cc)) return {};
    choice c;
    switch (o.op) {
        case opcode::mul:
            c = multiply(o);
            break;
        case opcode::mad:
            c = multiply_add(o);
            break;
        case opcode::mul24:
        case opcode::mad24:
            c = o.first_type() == ptx::type::s32 ? multiply_24<values::s32>(o)
                                                 : multiply_24<values::u32>(o);
            break;
        default:
            if (o.first_type() == ptx::type::u16x2) return packed_integers<values::u16x2>(o);
            if (o.first_type() == ptx::type::s16x2) return packed_integers<values::s16x2>(o);
            c = for_integer(o.first_type(), [&](auto type) {
                return plain_integer<typename decltype(type)::type>(o);
            });
            break;
    }
    c.result_is_signed = ptx::class_of(o.first_type()) == ptx::type_class::signed_integer;
    return c;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
