// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: arithmetic of f32 and f64.
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/ieee.h"
#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using ptx::opcode;
using values::f32;
using values::f64;
using values::modifiers;
using values::rounding;

/// Rounding to nearest is that of the host, vectorised over lanes; other modes are more expensive.
template <class T, rounding Round, modifiers Flags>
choice arithmetic_of(const ptx::operation& o) {
    constexpr bool cheap = Round == rounding::nearest;
    // exp() of CUDA's library uses round-down once.
    constexpr bool cheap_fma =
        cheap || (std::is_same_v<T, f32> && Round == rounding::down && (Flags & values::sat) == 0);
    switch (o.op) {
        case opcode::add:
            return binary<T, values::add<T, Round, Flags>, cheap>();
        case opcode::sub:
            return binary<T, values::sub<T, Round, Flags>, cheap>();
        case opcode::mul:
            return binary<T, values::mul<T, Round, Flags>, cheap>();
        case opcode::mad:
        case opcode::fma:
            return ternary<T, values::fma<T, Round, Flags>, cheap_fma>();
        default:
            break;
    }
    if constexpr ((Flags & values::sat) == 0 && !std::is_same_v<T, values::f32x2>) {
        switch (o.op) {
            case opcode::div:
                return binary<T, values::div<T, Round, Flags>, cheap>();
            case opcode::rcp:
                return unary<T, values::rcp<T, Round, Flags>, cheap>();
            case opcode::sqrt:
                return unary<T, values::sqrt<T, Round, Flags>, cheap>();
            default:
                break;
        }
    }
    return {};
}

template <class T, modifiers Flags>
choice with_rounding(const ptx::operation& o) {
    return for_rounding(o.round,
                        [&](auto r) { return arithmetic_of<T, decltype(r)::value, Flags>(o); });
}

choice rounded(const ptx::operation& o) {
    if (o.first_type() == ptx::type::f64) return with_rounding<f64, values::plain>(o);
    if (o.first_type() == ptx::type::f32x2)
        return o.has(flag::ftz) ? with_rounding<values::f32x2, values::ftz>(o)
                                : with_rounding<values::f32x2, values::plain>(o);
    if (o.has(flag::ftz))
        return o.has(flag::sat) ? with_rounding<f32, values::ftz | values::sat>(o)
                                : with_rounding<f32, values::ftz>(o);
    return o.has(flag::sat) ? with_rounding<f32, values::sat>(o)
                            : with_rounding<f32, values::plain>(o);
}

/// add, sub and fma of f32 with operands of half the width.
template <class Half, rounding Round, modifiers Flags>
choice mixed_arithmetic_of(const ptx::operation& o) {
    using word = std::uint32_t;
    using half = std::uint16_t;
    switch (o.op) {
        case opcode::add:
            return elementwise<values::mixed<values::add<f32, Round, Flags>, Half>, false, word,
                               half, word>();
        case opcode::sub:
            return elementwise<values::mixed<values::sub<f32, Round, Flags>, Half>, false, word,
                               half, word>();
        case opcode::fma:
            return elementwise<values::mixed<values::fma<f32, Round, Flags>, Half>, false, word,
                               half, half, word>();
        default:
            return {};
    }
}
template <class Half, modifiers Flags>
choice mixed_with_rounding(const ptx::operation& o) {
    return for_rounding(
        o.round, [&](auto r) { return mixed_arithmetic_of<Half, decltype(r)::value, Flags>(o); });
}
template <class Half>
choice mixed_arithmetic(const ptx::operation& o) {
    return o.has(flag::sat) ? mixed_with_rounding<Half, values::sat>(o)
                            : mixed_with_rounding<Half, values::plain>(o);
}

/// min and max with the supported modifiers.
template <class T, modifiers Flags>
choice extremum(const ptx::operation& o) {
    return o.op == opcode::min ? binary<T, values::min<T, Flags>>()
                               : binary<T, values::max<T, Flags>>();
}
/// Of the magnitudes of the operands (.abs without .xorsign).
template <class Op>
struct of_magnitudes {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return Op::apply(a & f32::magnitude_mask, b & f32::magnitude_mask);
    }
};
template <modifiers Flags>
choice extremum_of_magnitudes(const ptx::operation& o) {
    return o.op == opcode::min ? binary<f32, of_magnitudes<values::min<f32, Flags>>, false>()
                               : binary<f32, of_magnitudes<values::max<f32, Flags>>, false>();
}
template <class T, modifiers Flags>
choice extremum_xorsign(const ptx::operation& o) {
    return o.has(flag::xorsign_abs) ? extremum<T, Flags | values::xorsign_abs>(o)
                                    : extremum<T, Flags>(o);
}
template <class T, modifiers Flags>
choice extremum_nan(const ptx::operation& o) {
    if (o.has(flag::magnitude))
        return o.has(flag::nan) ? extremum_of_magnitudes<Flags | values::nan>(o)
                                : extremum_of_magnitudes<Flags>(o);
    return o.has(flag::nan) ? extremum_xorsign<T, Flags | values::nan>(o)
                            : extremum_xorsign<T, Flags>(o);
}

template <class T, modifiers Flags>
choice on_bits(const ptx::operation& o) {
    switch (o.op) {
        case opcode::abs:
            return unary<T, values::abs<T, Flags>>();
        case opcode::neg:
            return unary<T, values::neg<T, Flags>>();
        case opcode::copysign:
            return binary<T, values::copysign<T>>();
        case opcode::min:
        case opcode::max:
            if constexpr (std::is_same_v<T, f64>)
                return extremum<T, Flags>(o);
            else
                return extremum_nan<T, Flags>(o);
        default:
            return {};
    }
}

// ---- f16, bf16, and pairs of them ----

/// An instruction on one element, or on both halves.
template <class Element, class Op, bool Cheap, class... Operands>
choice half_of(bool pair) {
    if (pair)
        return elementwise<values::packed<Op>, Cheap, std::uint32_t,
                           std::conditional_t<true, std::uint32_t, Operands>...>();
    return elementwise<Op, Cheap, std::uint16_t, Operands...>();
}
template <class E, class Op, bool Cheap = true>
choice half1(bool pair) {
    return half_of<E, Op, Cheap, std::uint16_t>(pair);
}
template <class E, class Op, bool Cheap = true>
choice half2(bool pair) {
    return half_of<E, Op, Cheap, std::uint16_t, std::uint16_t>(pair);
}
template <class E, class Op, bool Cheap = true>
choice half3(bool pair) {
    return half_of<E, Op, Cheap, std::uint16_t, std::uint16_t, std::uint16_t>(pair);
}

template <class E, modifiers Flags>
choice half_arithmetic(const ptx::operation& o, bool pair) {
    constexpr rounding near = rounding::nearest;
    switch (o.op) {
        case opcode::add:
            return half2<E, values::add<E, near, Flags>>(pair);
        case opcode::sub:
            return half2<E, values::sub<E, near, Flags>>(pair);
        case opcode::mul:
            return half2<E, values::mul<E, near, Flags>>(pair);
        case opcode::mad:
        case opcode::fma:
            return half3<E, values::fma<E, near, Flags>>(pair);
        default:
            return {};
    }
}
template <class E>
choice half_fma_relu(const ptx::operation& o, bool pair) {
    constexpr rounding near = rounding::nearest;
    return o.has(flag::ftz) ? half3<E, values::fma<E, near, values::ftz | values::relu>>(pair)
                            : half3<E, values::fma<E, near, values::relu>>(pair);
}

template <class E, modifiers Flags>
choice half_extremum(const ptx::operation& o, bool pair) {
    using values::nan, values::xorsign_abs;
    const bool is_nan = o.has(flag::nan), xorsign = o.has(flag::xorsign_abs);
    if (o.op == opcode::min) {
        if (is_nan && xorsign) return half2<E, values::min<E, Flags | nan | xorsign_abs>>(pair);
        if (is_nan) return half2<E, values::min<E, Flags | nan>>(pair);
        if (xorsign) return half2<E, values::min<E, Flags | xorsign_abs>>(pair);
        return half2<E, values::min<E, Flags>>(pair);
    }
    if (is_nan && xorsign) return half2<E, values::max<E, Flags | nan | xorsign_abs>>(pair);
    if (is_nan) return half2<E, values::max<E, Flags | nan>>(pair);
    if (xorsign) return half2<E, values::max<E, Flags | xorsign_abs>>(pair);
    return half2<E, values::max<E, Flags>>(pair);
}

template <class E, modifiers Flags>
choice half_with(const ptx::operation& o, bool pair) {
    switch (o.op) {
        case opcode::abs:
            return half1<E, values::abs<E, Flags>>(pair);
        case opcode::neg:
            return half1<E, values::neg<E, Flags>>(pair);
        case opcode::min:
        case opcode::max:
            return half_extremum<E, Flags>(o, pair);
        default:
            if (o.has(flag::sat)) return half_arithmetic<E, Flags | values::sat>(o, pair);
            return half_arithmetic<E, Flags>(o, pair);
    }
}

template <class E>
choice choose_half(const ptx::operation& o, bool pair) {
    if (o.op == opcode::fma && o.has(flag::relu)) return half_fma_relu<E>(o, pair);
    return o.has(flag::ftz) ? half_with<E, values::ftz>(o, pair)
                            : half_with<E, values::plain>(o, pair);
}

}  // namespace

choice choose_float(const ptx::operation& o) {
    const ptx::type t = o.first_type();
    if (t == ptx::type::f16 || t == ptx::type::f16x2)
        return choose_half<values::f16>(o, t == ptx::type::f16x2);
    if (t == ptx::type::bf16 || t == ptx::type::bf16x2)
        return choose_half<values::bf16>(o, t == ptx::type::bf16x2);
    if (t == ptx::type::f32x2) return rounded(o);
    if (t != ptx::type::f32 && t != ptx::type::f64) return {};
    if (o.type_count == 2 && o.last_type() == ptx::type::f16)
        return mixed_arithmetic<values::f16>(o);
    if (o.type_count == 2 && o.last_type() == ptx::type::bf16)
        return mixed_arithmetic<values::bf16>(o);
    switch (o.op) {
        case opcode::add:
        case opcode::sub:
        case opcode::mul:
        case opcode::mad:
        case opcode::fma:
            return rounded(o);
        case opcode::div:
        case opcode::rcp:
        case opcode::sqrt:
            return rounded(o);
        default:
            if (t == ptx::type::f64) return on_bits<f64, values::plain>(o);
            return o.has(flag::ftz) ? on_bits<f32, values::ftz>(o) : on_bits<f32, values::plain>(o);
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
