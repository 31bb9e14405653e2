// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: functions for which PTX specifies an error bound.
#include "modules/execution/arithmetic/approximate.h"

#include "modules/execution/arithmetic/half.h"
#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

template <class T, values::modifiers Flags>
constexpr bool is_rare<values::ex2_approx<T, Flags>> = values::detail::is_half<T>;
template <class T, values::modifiers Flags>
constexpr bool is_rare<values::tanh_approx<T, Flags>> = values::detail::is_half<T>;

namespace {

using ptx::flag;
using ptx::opcode;
using values::f32;
using values::f64;
using values::modifiers;

template <modifiers Flags>
choice of_single(const ptx::operation& o) {
    switch (o.op) {
        case opcode::ex2:
            return unary<f32, values::ex2_approx<f32, Flags>>();
        case opcode::lg2:
            return unary<f32, values::lg2_approx<Flags>>();
        case opcode::sin:
            return unary<f32, values::sin_approx<Flags>>();
        case opcode::cos:
            return unary<f32, values::cos_approx<Flags>>();
        case opcode::tanh:
            return unary<f32, values::tanh_approx<f32, Flags>>();
        case opcode::rcp:
            return unary<f32, values::rcp_approx<f32, Flags>>();
        case opcode::sqrt:
            return unary<f32, values::sqrt_approx<Flags>>();
        case opcode::rsqrt:
            return unary<f32, values::rsqrt_approx<f32, Flags>>();
        case opcode::div:
            return o.has(flag::full) ? binary<f32, values::div_full<Flags>>()
                                     : binary<f32, values::div_approx<Flags>>();
        default:
            return {};
    }
}

choice of_double(const ptx::operation& o) {
    const bool ftz = o.has(flag::ftz);
    if (o.op == opcode::rcp && ftz) return unary<f64, values::rcp_approx<f64, values::ftz>>();
    if (o.op != opcode::rsqrt) return {};
    return ftz ? unary<f64, values::rsqrt_approx<f64, values::ftz>>()
               : unary<f64, values::rsqrt_approx<f64>>();
}

template <class E, class Op>
choice half_function(bool pair) {
    if (pair) return elementwise<values::packed<Op>, true, std::uint32_t, std::uint32_t>();
    return elementwise<Op, true, std::uint16_t, std::uint16_t>();
}
template <class E>
choice of_half(const ptx::operation& o, bool pair) {
    if (o.op == opcode::tanh) return half_function<E, values::tanh_approx<E>>(pair);
    if (o.op != opcode::ex2) return {};
    return o.has(flag::ftz) ? half_function<E, values::ex2_approx<E, values::ftz>>(pair)
                            : half_function<E, values::ex2_approx<E>>(pair);
}

/// Without a rounding modifier, div, rcp and sqrt of f32 are also approximations.
bool is_approximate(const ptx::operation& o) {
    switch (o.op) {
        case opcode::ex2:
        case opcode::lg2:
        case opcode::sin:
        case opcode::cos:
        case opcode::tanh:
        case opcode::rsqrt:
            return true;
        case opcode::rcp:
        case opcode::sqrt:
        case opcode::div:
            return o.round == ptx::rounding::none;
        default:
            return false;
    }
}

}  // namespace

choice choose_approximate(const ptx::operation& o) {
    if (!is_approximate(o)) return {};
    switch (o.first_type()) {
        case ptx::type::f32:
            return o.has(flag::ftz) ? of_single<values::ftz>(o) : of_single<values::plain>(o);
        case ptx::type::f64:
            return of_double(o);
        case ptx::type::f16:
        case ptx::type::f16x2:
            return of_half<values::f16>(o, o.first_type() == ptx::type::f16x2);
        case ptx::type::bf16:
        case ptx::type::bf16x2:
            return of_half<values::bf16>(o, o.first_type() == ptx::type::bf16x2);
        default:
            return {};
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
