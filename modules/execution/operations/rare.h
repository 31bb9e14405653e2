// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/half.h"

// Rarely executed functions are not compiled for every instruction set.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace values = arithmetic;

/// Whether Op is rarely executed. Approximations and conversions are listed with their families.
template <class Op>
constexpr bool is_rare = false;
template <class Op>
constexpr bool is_rare<values::packed<Op>> = is_rare<Op>;

/// Rarely used modifiers.
template <class Type>
constexpr values::modifiers rare_modifiers =
    values::detail::is_half<Type> ? ~values::plain : values::sat;

template <class T, values::rounding Round, values::modifiers Flags, class Enable>
constexpr bool is_rare<values::add<T, Round, Flags, Enable>> = (Flags & rare_modifiers<T>) != 0;
template <class T, values::rounding Round, values::modifiers Flags, class Enable>
constexpr bool is_rare<values::sub<T, Round, Flags, Enable>> = (Flags & rare_modifiers<T>) != 0;
template <class T, values::rounding Round, values::modifiers Flags>
constexpr bool is_rare<values::mul<T, Round, Flags>> = (Flags & rare_modifiers<T>) != 0;
template <class T, values::rounding Round, values::modifiers Flags>
constexpr bool is_rare<values::fma<T, Round, Flags>> = (Flags & rare_modifiers<T>) != 0;
template <class T, values::modifiers Flags, class Enable>
constexpr bool is_rare<values::min<T, Flags, Enable>> =
    (Flags & (values::xorsign_abs | (values::detail::is_half<T> ? values::ftz : 0))) != 0;
template <class T, values::modifiers Flags, class Enable>
constexpr bool is_rare<values::max<T, Flags, Enable>> = is_rare<values::min<T, Flags>>;

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
