// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operations/choice.h"
#include "modules/execution/operations/rare.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/state/lanes.h"
#include "modules/ptx/operation.h"

#include <tuple>

// Creates handlers from the functions of arithmetic/.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

template <class Bits>
constexpr std::uint8_t width_of_bits = std::is_same_v<Bits, bool> ? 1 : sizeof(Bits) * 8;

/// Op::apply on every lane. Cheap: all lanes are computed at once, otherwise only the executing
/// ones. Functions that are not vectorisable, or rarely executed, are compiled for the baseline
/// only.
template <class Op, bool Cheap, class Result, class... Sources>
constexpr choice elementwise() {
    choice c;
    if constexpr (leaves_to_baseline && (!Cheap || is_rare<Op>))
        c.execute = of_baseline;
    else if constexpr (Cheap)
        c.execute = map<Op, Result, Sources...>;
    else
        c.execute = map_each<Op, Result, Sources...>;
    c.result = width_of_bits<Result>;
    c.source_count = sizeof...(Sources);
    const std::uint8_t widths[] = {width_of_bits<Sources>...};
    for (unsigned i = 0; i < sizeof...(Sources); ++i) c.sources[i] = widths[i];
    return c;
}
/// All operands have the bits of the type.
template <class Type, class Op, bool Cheap = true>
constexpr choice unary() {
    using bits = values::bits_of<Type>;
    return elementwise<Op, Cheap, bits, bits>();
}
template <class Type, class Op, bool Cheap = true>
constexpr choice binary() {
    using bits = values::bits_of<Type>;
    return elementwise<Op, Cheap, bits, bits, bits>();
}
template <class Type, class Op, bool Cheap = true>
constexpr choice ternary() {
    using bits = values::bits_of<Type>;
    return elementwise<Op, Cheap, bits, bits, bits, bits>();
}

/// A type as an argument.
template <class Type>
struct tag {
    using type = Type;
};

/// Calls f(tag of the type) for integers of at least 16 bits. Untyped bits are unsigned.
template <class Function>
choice for_integer(ptx::type t, Function&& f) {
    switch (t) {
        case ptx::type::b16:
        case ptx::type::u16:
            return f(tag<values::u16>{});
        case ptx::type::s16:
            return f(tag<values::s16>{});
        case ptx::type::b32:
        case ptx::type::u32:
            return f(tag<values::u32>{});
        case ptx::type::s32:
            return f(tag<values::s32>{});
        case ptx::type::b64:
        case ptx::type::u64:
            return f(tag<values::u64>{});
        case ptx::type::s64:
            return f(tag<values::s64>{});
        default:
            return {};
    }
}
/// The same if the sign does not matter.
template <class Function>
choice for_bits(unsigned width, Function&& f) {
    switch (width) {
        case 16:
            return f(tag<values::u16>{});
        case 32:
            return f(tag<values::u32>{});
        case 64:
            return f(tag<values::u64>{});
        default:
            return {};
    }
}
template <class Function>
choice for_32_or_64(ptx::type t, Function&& f) {
    return for_integer(t, [&](auto type) -> choice {
        if constexpr (decltype(type)::type::width >= 32)
            return f(type);
        else
            return {};
    });
}

/// A rounding mode as an argument.
template <values::rounding Round>
struct rounding_tag {
    static constexpr values::rounding value = Round;
};

/// Calls f(tag) for the rounding mode of an instruction, to integral or not.
template <class Function>
choice for_rounding(ptx::rounding r, Function&& f) {
    switch (r) {
        case ptx::rounding::rz:
        case ptx::rounding::rzi:
            return f(rounding_tag<values::rounding::zero>{});
        case ptx::rounding::rm:
        case ptx::rounding::rmi:
            return f(rounding_tag<values::rounding::down>{});
        case ptx::rounding::rp:
        case ptx::rounding::rpi:
            return f(rounding_tag<values::rounding::up>{});
        default:
            return f(rounding_tag<values::rounding::nearest>{});
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
