// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/convert.h"
#include "modules/execution/operations/elementwise.h"

// Common definitions for the sources that implement cvt.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

choice choose_from_integer(const ptx::operation& o);
choice choose_to_integer(const ptx::operation& o);
choice choose_between_floats(const ptx::operation& o);

/// Conversions that are rarely executed.
template <class To, class From, values::rounding Round, values::modifiers Flags, bool Integral>
constexpr bool is_rare_conversion() {
    using values::rounding;
    constexpr bool of_half = values::detail::is_half<To> || values::detail::is_half<From>;
    if constexpr (From::is_integer) {
        return of_half;
    } else if constexpr (To::is_integer) {
        constexpr bool upwards_or_downwards = Round == rounding::up || Round == rounding::down;
        return of_half || To::width < 16 || (To::width == 16 && Round != rounding::zero) ||
               (To::width == 64 && upwards_or_downwards);
    } else if constexpr (of_half) {
        constexpr bool of_single =
            std::is_same_v<To, values::f32> || std::is_same_v<From, values::f32>;
        return !of_single || Integral || (Flags & ~values::ftz) != 0;
    } else {
        return (Flags & values::sat) != 0 && (Integral || std::is_same_v<To, values::f64>);
    }
}
template <class To, class From, values::rounding Round, values::modifiers Flags, bool Integral>
constexpr bool is_rare<values::cvt<To, From, Round, Flags, Integral>> =
    is_rare_conversion<To, From, Round, Flags, Integral>();

template <class To, class From, values::rounding Round, values::modifiers Flags, bool Integral,
          bool Cheap>
choice conversion() {
    return elementwise<values::cvt<To, From, Round, Flags, Integral>, Cheap, values::bits_of<To>,
                       values::bits_of<From>>();
}

/// Calls f(tag) for an integer type of any width.
template <class Function>
choice for_any_integer(ptx::type t, Function&& f) {
    switch (t) {
        case ptx::type::b8:
        case ptx::type::u8:
            return f(tag<values::u8>{});
        case ptx::type::s8:
            return f(tag<values::s8>{});
        default:
            return for_integer(t, f);
    }
}

/// Calls f(tag) for a floating-point type.
template <class Function>
choice for_any_float(ptx::type t, Function&& f) {
    switch (t) {
        case ptx::type::f16:
            return f(tag<values::f16>{});
        case ptx::type::bf16:
            return f(tag<values::bf16>{});
        case ptx::type::f32:
            return f(tag<values::f32>{});
        case ptx::type::f64:
            return f(tag<values::f64>{});
        default:
            return {};
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
