// SPDX-License-Identifier: Apache-2.0
// Instructions that are identical for all floating-point formats: min, max, abs, neg, copysign,
// testp, setp. They operate on the bits.
#pragma once

#include "modules/execution/arithmetic/integer.h"

namespace simtlm::execution::arithmetic {

/// Properties tested by testp.
enum class property : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };

inline namespace SIMTLM_ARITHMETIC_TARGET {

template <class Type>
using if_floating = std::enable_if_t<!Type::is_integer>;

// Instructions on floating-point types only.
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain>
struct mul;
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain>
struct fma;  // and mad
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain>
struct rcp;
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain>
struct sqrt;

namespace detail {

template <class Type>
constexpr bool is_nan(bits_of<Type> bits) {
    if constexpr (std::is_same_v<Type, f64>) return as_double(bits) != as_double(bits);  // SIMD
    return static_cast<bits_of<Type>>(bits & Type::magnitude_mask) > Type::infinity;
}

/// With ftz, subnormal inputs and results become zeros of the same sign.
template <class Type, modifiers Flags>
constexpr bits_of<Type> flush(bits_of<Type> bits) {
    if constexpr ((Flags & ftz) != 0) {
        return (bits & Type::exponent_mask) == 0 ? static_cast<bits_of<Type>>(bits & Type::sign_bit)
                                                 : bits;
    } else {
        return bits;
    }
}

/// NaN as a result: that of a double keeps its payload and becomes quiet, every other one is
/// canonical (PTX: NaN payloads are supported for double precision only).
template <class Type>
constexpr bits_of<Type> result_of_nan(bits_of<Type> nan) {
    if constexpr (std::is_same_v<Type, f64>)
        return nan | Type::quiet_bit;
    else
        return Type::canonical_nan;
}

/// Applies the modifiers to a result: flush, clamp, NaN.
template <class Type, modifiers Flags>
constexpr bits_of<Type> finish(bits_of<Type> result) {
    using bits = bits_of<Type>;
    result = flush<Type, Flags>(result);
    const bool not_number = is_nan<Type>(result);
    if constexpr ((Flags & sat) != 0) {
        // As integers, positive numbers are ordered, and negative numbers are above them.
        const bits at_most_one = result > Type::one ? Type::one : result;
        const bool negative = (result & Type::sign_bit) != 0;
        return negative || not_number ? bits{0} : at_most_one;
    } else if constexpr ((Flags & relu) != 0) {
        const bits positive = (result & Type::sign_bit) != 0 ? bits{0} : result;
        return not_number ? result_of_nan<Type>(result) : positive;
    } else {
        return not_number ? result_of_nan<Type>(result) : result;
    }
}

/// Maps to a signed integer in the order of the numbers, with -0 below +0.
template <class Type>
constexpr auto order(bits_of<Type> bits) {
    using value = std::make_signed_t<bits_of<Type>>;
    const auto as_integer = static_cast<value>(bits);
    return static_cast<value>(as_integer < 0 ? as_integer ^ static_cast<value>(Type::magnitude_mask)
                                             : as_integer);
}

/// min and max: the other operand if one is NaN (canonical NaN with `nan`).
template <class Type, modifiers Flags, bool Maximum>
constexpr bits_of<Type> extremum(bits_of<Type> a, bits_of<Type> b) {
    using bits = bits_of<Type>;
    a = flush<Type, Flags>(a);
    b = flush<Type, Flags>(b);
    const bits sign = static_cast<bits>((a ^ b) & Type::sign_bit);
    if constexpr ((Flags & xorsign_abs) != 0) {
        a &= Type::magnitude_mask;
        b &= Type::magnitude_mask;
    }
    const bool a_nan = is_nan<Type>(a), b_nan = is_nan<Type>(b);
    const bool a_first = order<Type>(a) < order<Type>(b);
    const bits chosen = a_first != Maximum ? a : b;
    bits result = a_nan ? b : b_nan ? a : chosen;
    if constexpr ((Flags & xorsign_abs) != 0) result |= sign;
    if constexpr ((Flags & nan) != 0) result = a_nan || b_nan ? Type::canonical_nan : result;
    return finish<Type, Flags & relu>(result);
}

}  // namespace detail

template <class Type, modifiers Flags>
struct min<Type, Flags, if_floating<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return detail::extremum<Type, Flags, false>(a, b);
    }
    /// The three-operand form.
    static constexpr bits apply(bits a, bits b, bits c) { return apply(apply(a, b), c); }
};

template <class Type, modifiers Flags>
struct max<Type, Flags, if_floating<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return detail::extremum<Type, Flags, true>(a, b);
    }
    static constexpr bits apply(bits a, bits b, bits c) { return apply(apply(a, b), c); }
};

template <class Type, modifiers Flags>
struct abs<Type, Flags, if_floating<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) {
        return detail::finish<Type, Flags>(static_cast<bits>(a & Type::magnitude_mask));
    }
};

template <class Type, modifiers Flags>
struct neg<Type, Flags, if_floating<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) {
        return detail::finish<Type, Flags>(static_cast<bits>(a ^ Type::sign_bit));
    }
};

/// copysign: the magnitude of b with the sign of a.
template <class Type>
struct copysign {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return static_cast<bits>((a & Type::sign_bit) | (b & Type::magnitude_mask));
    }
};

/// testp: whether the operand has the property.
template <class Type, property Property>
struct testp {
    static constexpr bool apply(bits_of<Type> a) {
        const auto magnitude = static_cast<bits_of<Type>>(a & Type::magnitude_mask);
        const bool has_exponent = (magnitude & Type::exponent_mask) != 0;
        switch (Property) {
            case property::finite:
                return magnitude < Type::infinity;
            case property::infinite:
                return magnitude == Type::infinity;
            case property::number:
                return magnitude <= Type::infinity;
            case property::notanumber:
                return magnitude > Type::infinity;
            case property::normal:
                // Zeros are considered normal.
                return magnitude == 0 || (has_exponent && magnitude < Type::infinity);
            default:
                return !has_exponent && magnitude != 0;
        }
    }
};

template <class Type, comparison Compare, modifiers Flags>
struct setp<Type, Compare, Flags, if_floating<Type>> {
    using bits = bits_of<Type>;
    static constexpr bool apply(bits a, bits b) {
        a = detail::flush<Type, Flags>(a);
        b = detail::flush<Type, Flags>(b);
        const bool unordered = detail::is_nan<Type>(a) || detail::is_nan<Type>(b);
        const bool zeros = static_cast<bits>((a | b) & Type::magnitude_mask) == 0;
        const bool equal = a == b || zeros;
        const bool less = !zeros && detail::order<Type>(a) < detail::order<Type>(b);
        switch (Compare) {
            case comparison::eq:
                return !unordered && equal;
            case comparison::ne:
                return !unordered && !equal;
            case comparison::lt:
                return !unordered && less;
            case comparison::le:
                return !unordered && (less || equal);
            case comparison::gt:
                return !unordered && !less && !equal;
            case comparison::ge:
                return !unordered && !less;
            case comparison::equ:
                return unordered || equal;
            case comparison::neu:
                return unordered || !equal;
            case comparison::ltu:
                return unordered || less;
            case comparison::leu:
                return unordered || less || equal;
            case comparison::gtu:
                return unordered || (!less && !equal);
            case comparison::geu:
                return unordered || !less;
            case comparison::num:
                return !unordered;
            default:
                return unordered;
        }
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
