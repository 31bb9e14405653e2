// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: cvt from integers.
#include "modules/execution/operations/conversion_choice.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using values::plain;
using values::rounding;
using values::sat;

template <class To, class From>
choice to_float(const ptx::operation& o) {
    return for_rounding(o.round, [&](auto r) {
        constexpr rounding round = decltype(r)::value;
        constexpr bool cheap = round == rounding::nearest;
        if (o.has(ptx::flag::sat)) return conversion<To, From, round, sat, false, false>();
        return conversion<To, From, round, plain, false, cheap>();
    });
}

}  // namespace

choice choose_from_integer(const ptx::operation& o) {
    return for_any_integer(o.types[1], [&](auto from) {
        using From = typename decltype(from)::type;
        choice c = for_any_integer(o.types[0], [&](auto to) {
            using To = typename decltype(to)::type;
            return o.has(ptx::flag::sat)
                       ? conversion<To, From, rounding::nearest, sat, false, false>()
                       : conversion<To, From, rounding::nearest, plain, false, true>();
        });
        if (c) return c;
        return for_any_float(
            o.types[0], [&](auto to) { return to_float<typename decltype(to)::type, From>(o); });
    });
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
