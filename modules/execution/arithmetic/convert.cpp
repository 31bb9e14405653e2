// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/convert.h"

namespace simtlm::execution::arithmetic {
namespace {

/// Calls visit with an object of the given type.
template <class Visit>
auto with_type(scalar_type type, Visit visit) {
    switch (type) {
        case scalar_type::u8:
            return visit(u8{});
        case scalar_type::u16:
            return visit(u16{});
        case scalar_type::u32:
            return visit(u32{});
        case scalar_type::u64:
            return visit(u64{});
        case scalar_type::s8:
            return visit(s8{});
        case scalar_type::s16:
            return visit(s16{});
        case scalar_type::s32:
            return visit(s32{});
        case scalar_type::s64:
            return visit(s64{});
        case scalar_type::f16:
            return visit(f16{});
        case scalar_type::bf16:
            return visit(bf16{});
        case scalar_type::tf32:
            return visit(tf32{});
        case scalar_type::f64:
            return visit(f64{});
        case scalar_type::e5m2:
            return visit(e5m2{});
        case scalar_type::e4m3:
            return visit(e4m3{});
        default:
            return visit(f32{});
    }
}

bool is_integer(scalar_type type) {
    return type <= scalar_type::s64;
}

soft::number read(scalar_type from, modifiers flags, std::uint64_t bits) {
    if (from == scalar_type::f32 && (flags & ftz) != 0) {
        bits = detail::flush<f32, ftz>(static_cast<std::uint32_t>(bits));
    }
    if (from == scalar_type::tf32) bits >>= 13;
    return with_type(from, [bits](auto type) {
        using From = decltype(type);
        const auto operand = static_cast<bits_of<From>>(bits);
        if constexpr (From::is_integer) {
            return soft::from_integer<From>(operand);
        } else {
            return soft::unpack<From>(operand);
        }
    });
}

std::uint64_t cut_or_clamp(scalar_type to, scalar_type from, modifiers flags, std::uint64_t bits) {
    return with_type(to, [=](auto to_type) {
        return with_type(from, [=](auto from_type) -> std::uint64_t {
            using To = decltype(to_type);
            using From = decltype(from_type);
            if constexpr (To::is_integer && From::is_integer) {
                const auto operand = static_cast<bits_of<From>>(bits);
                constexpr auto near = rounding::nearest;
                return (flags & sat) != 0 ? cvt<To, From, near, sat>::apply(operand)
                                          : cvt<To, From>::apply(operand);
            } else {
                return 0;
            }
        });
    });
}

template <class To>
std::uint64_t integer_from(scalar_type from, const soft::number& n, rounding mode) {
    if (n.is != soft::kind::nan) return soft::to_integer<To>(n, mode);
    return from == scalar_type::f64 ? detail::integer_of_nan<To, f64>()
                                    : detail::integer_of_nan<To, f32>();
}

/// A NaN of a floating-point format as a double: quiet, with its payload.
std::uint64_t widened_nan(scalar_type from, std::uint64_t bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    switch (from) {
        case scalar_type::f64:
            return bits | f64::quiet_bit;
        case scalar_type::f16:
            return as_bits(static_cast<double>(as_float(detail::widen_half<f16>(half))));
        case scalar_type::bf16:
            return as_bits(static_cast<double>(as_float(detail::widen_half<bf16>(half))));
        case scalar_type::f32:
            return as_bits(static_cast<double>(as_float(static_cast<std::uint32_t>(bits))));
        default:
            return f64::canonical_nan;
    }
}

}  // namespace

std::uint64_t convert(scalar_type to, scalar_type from, rounding mode, modifiers flags,
                      bool integral, std::uint64_t bits) {
    if (is_integer(to) && is_integer(from)) return cut_or_clamp(to, from, flags, bits);
    // A move between equal formats preserves even the payload of a NaN.
    if (to == from && !integral && (flags & (sat | relu | ftz)) == 0) return bits;
    soft::number n = read(from, flags, bits);
    if (n.is == soft::kind::nan && (flags & (sat | relu)) == 0) {
        constexpr std::uint64_t tf32_bits = 0xffffe000;
        if (to == scalar_type::f64)
            return widened_nan(
                from, (flags & ftz) != 0 && from == scalar_type::f32 ? f32::canonical_nan : bits);
        if (to == scalar_type::f32 && from == scalar_type::bf16 && flags == plain)
            return bits << 16;
        if (to == scalar_type::tf32 && from == scalar_type::f32 && mode == rounding::away)
            return bits & tf32_bits;
    }
    if (integral) n = soft::to_integral(n, mode);
    if (to != scalar_type::f32) flags &= ~ftz;
    return with_type(to, [&](auto type) -> std::uint64_t {
        using To = decltype(type);
        if constexpr (To::is_integer) {
            return integer_from<To>(from, n, mode);
        } else {
            const std::uint64_t packed_bits = soft::pack<To>(n, mode, flags);
            return std::is_same_v<To, tf32> ? packed_bits << 13 : packed_bits;
        }
    });
}

}  // namespace simtlm::execution::arithmetic
