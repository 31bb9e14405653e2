// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: cvt from floating point to integers.
#include "modules/execution/operations/conversion_choice.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

choice choose_to_integer(const ptx::operation& o) {
    return for_any_float(o.types[1], [&](auto from) {
        using From = typename decltype(from)::type;
        return for_any_integer(o.types[0], [&](auto to) {
            using To = typename decltype(to)::type;
            return for_rounding(o.round, [&](auto r) {
                constexpr values::rounding round = decltype(r)::value;
                // Results are clamped with and without .sat.
                if constexpr (std::is_same_v<From, values::f32>)
                    if (o.has(ptx::flag::ftz))
                        return conversion<To, From, round, values::ftz, false, true>();
                return conversion<To, From, round, values::plain, false, true>();
            });
        });
    });
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
