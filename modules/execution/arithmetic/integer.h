// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, logic and shifts of PTX.
#pragma once

#include "modules/execution/arithmetic/types.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {

// Instructions for both integer and floating-point types; ieee.h and half.h specialise them for the
// latter.
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain, class = void>
struct add;
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain, class = void>
struct sub;
template <class Type, rounding Round = rounding::nearest, modifiers Flags = plain, class = void>
struct div;
template <class Type, modifiers Flags = plain, class = void>
struct min;
template <class Type, modifiers Flags = plain, class = void>
struct max;
template <class Type, modifiers Flags = plain, class = void>
struct abs;
template <class Type, modifiers Flags = plain, class = void>
struct neg;

template <class Type>
using if_integer = std::enable_if_t<Type::is_integer>;

namespace detail {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/// The integer of twice the width and the same signedness.
template <class Value>
struct wider;
template <>
struct wider<std::uint8_t> {
    using type = std::uint32_t;
};
template <>
struct wider<std::int8_t> {
    using type = std::int32_t;
};
template <>
struct wider<std::uint16_t> {
    using type = std::uint32_t;
};
template <>
struct wider<std::int16_t> {
    using type = std::int32_t;
};
template <>
struct wider<std::uint32_t> {
    using type = std::uint64_t;
};
template <>
struct wider<std::int32_t> {
    using type = std::int64_t;
};
template <>
struct wider<std::uint64_t> {
    using type = uint128;
};
template <>
struct wider<std::int64_t> {
    using type = int128;
};
template <class Type>
using wide = typename wider<typename Type::value>::type;

/// The value of an operand, in twice its width.
template <class Type>
constexpr wide<Type> widen(bits_of<Type> bits) {
    return static_cast<wide<Type>>(value_of<Type>(bits));
}
template <class Type>
constexpr bits_of<Type> narrow(wide<Type> value) {
    return static_cast<bits_of<Type>>(value);
}
template <class Type>
constexpr bits_of<Type> top_half(wide<Type> value) {
    return static_cast<bits_of<Type>>(value >> Type::width);
}
template <class Type>
constexpr bits_of<Type> smallest = Type::is_signed
                                       ? bits_of<Type>(bits_of<Type>(1) << (Type::width - 1))
                                       : bits_of<Type>(0);
template <class Type>
constexpr bits_of<Type> largest = bits_of<Type>(~smallest<Type>);

/// A sum of at most 32-bit operands held in 64 bits, truncated or clamped to the type.
template <class Type, modifiers Flags>
constexpr bits_of<Type> clamp(std::int64_t value) {
    if constexpr ((Flags & sat) != 0) {
        constexpr auto low = static_cast<std::int64_t>(value_of<Type>(smallest<Type>));
        constexpr auto high = static_cast<std::int64_t>(value_of<Type>(largest<Type>));
        value = value < low ? low : value > high ? high : value;
    }
    return static_cast<bits_of<Type>>(value);
}

}  // namespace detail

template <class Type, rounding Round, modifiers Flags>
struct add<Type, Round, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        if constexpr ((Flags & sat) != 0) {
            return detail::clamp<Type, Flags>(std::int64_t{value_of<Type>(a)} + value_of<Type>(b));
        } else {
            return static_cast<bits>(a + b);
        }
    }
};

template <class Type, rounding Round, modifiers Flags>
struct sub<Type, Round, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        if constexpr ((Flags & sat) != 0) {
            return detail::clamp<Type, Flags>(std::int64_t{value_of<Type>(a)} - value_of<Type>(b));
        } else {
            return static_cast<bits>(a - b);
        }
    }
};

/// mul.lo: the low half of the product.
template <class Type>
struct mul_lo {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        using at_least_32 = std::conditional_t<(Type::width < 32), std::uint32_t, bits>;
        return static_cast<bits>(static_cast<at_least_32>(a) * static_cast<at_least_32>(b));
    }
};

/// mul.hi: the high half of the product.
template <class Type>
struct mul_hi {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return detail::top_half<Type>(detail::widen<Type>(a) * detail::widen<Type>(b));
    }
};

/// mul.wide: the whole product of 16-bit or 32-bit operands.
template <class Type>
struct mul_wide {
    using bits = bits_of<Type>;
    using result = std::make_unsigned_t<detail::wide<Type>>;
    static constexpr result apply(bits a, bits b) {
        return static_cast<result>(detail::widen<Type>(a) * detail::widen<Type>(b));
    }
};

/// mad.lo.
template <class Type>
struct mad_lo {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, bits c) {
        return static_cast<bits>(mul_lo<Type>::apply(a, b) + c);
    }
};

/// mad.hi, with sat for mad.hi.sat.s32.
template <class Type, modifiers Flags = plain>
struct mad_hi {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, bits c) {
        return add<Type, rounding::nearest, Flags>::apply(mul_hi<Type>::apply(a, b), c);
    }
};

/// mad.wide.
template <class Type>
struct mad_wide {
    using bits = bits_of<Type>;
    using result = typename mul_wide<Type>::result;
    static constexpr result apply(bits a, bits b, result c) {
        return mul_wide<Type>::apply(a, b) + c;
    }
};

namespace detail {
/// The 48-bit product of the low 24 bits of two u32 or s32.
template <class Type>
constexpr std::int64_t product24(std::uint32_t a, std::uint32_t b) {
    if constexpr (Type::is_signed) {
        return std::int64_t{static_cast<std::int32_t>(a << 8) >> 8} *
               (static_cast<std::int32_t>(b << 8) >> 8);
    } else {
        return static_cast<std::int64_t>(std::uint64_t{a & 0xffffff} * (b & 0xffffff));
    }
}
}  // namespace detail

/// mul24.lo: bits 31..0 of the 48-bit product.
template <class Type>
struct mul24_lo {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint32_t>(detail::product24<Type>(a, b));
    }
};

/// mul24.hi: bits 47..16 of the 48-bit product.
template <class Type>
struct mul24_hi {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint32_t>(detail::product24<Type>(a, b) >> 16);
    }
};

/// mad24.lo.
template <class Type>
struct mad24_lo {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return mul24_lo<Type>::apply(a, b) + c;
    }
};

/// mad24.hi, with sat for mad24.hi.sat.s32.
template <class Type, modifiers Flags = plain>
struct mad24_hi {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return add<Type, rounding::nearest, Flags>::apply(mul24_hi<Type>::apply(a, b), c);
    }
};

/// sad: c + |a - b|.
template <class Type>
struct sad {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, bits c) {
        const bool less = value_of<Type>(a) < value_of<Type>(b);
        return static_cast<bits>(c + (less ? b - a : a - b));
    }
};

/// div. Division by zero, which PTX leaves unspecified, gives all ones, as the GPU's instruction
/// sequence does. The most negative number divided by -1 is itself.
template <class Type, rounding Round, modifiers Flags>
struct div<Type, Round, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        if (b == 0) return static_cast<bits>(~bits{0});
        if (Type::is_signed && b == static_cast<bits>(~bits{0})) return static_cast<bits>(-a);
        return static_cast<bits>(value_of<Type>(a) / value_of<Type>(b));
    }
};

/// rem. The remainder has the sign of the dividend; the remainder of division by zero has all bits
/// set, as from the instructions that ptxas generates.
template <class Type>
struct rem {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        if (b == 0) return static_cast<bits>(~bits{0});
        if (Type::is_signed && b == static_cast<bits>(~bits{0})) return 0;
        return static_cast<bits>(value_of<Type>(a) % value_of<Type>(b));
    }
};

template <class Type, modifiers Flags>
struct abs<Type, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) {
        return value_of<Type>(a) < 0 ? static_cast<bits>(-a) : a;
    }
};

template <class Type, modifiers Flags>
struct neg<Type, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) { return static_cast<bits>(-a); }
};

namespace detail {
template <class Type, modifiers Flags>
constexpr bits_of<Type> relu_integer(bits_of<Type> a) {
    return (Flags & relu) != 0 && Type::is_signed && value_of<Type>(a) < 0 ? bits_of<Type>(0) : a;
}
}  // namespace detail

template <class Type, modifiers Flags>
struct min<Type, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return detail::relu_integer<Type, Flags>(value_of<Type>(a) < value_of<Type>(b) ? a : b);
    }
};

template <class Type, modifiers Flags>
struct max<Type, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) {
        return detail::relu_integer<Type, Flags>(value_of<Type>(a) < value_of<Type>(b) ? b : a);
    }
};

/// Result of an extended-precision instruction: the value, and the new condition code CC.CF (carry,
/// or borrow of a subtraction). The .cc forms store it, the others discard it.
template <class Type>
struct with_carry {
    bits_of<Type> value;
    bool carry;
};

/// add.cc, addc, addc.cc (carry_in is false for add.cc).
template <class Type>
struct add_carry {
    using bits = bits_of<Type>;
    static constexpr with_carry<Type> apply(bits a, bits b, bool carry_in) {
        const bits partial = static_cast<bits>(a + b);
        const bits value = static_cast<bits>(partial + carry_in);
        return {value, partial < a || value < partial};
    }
};

/// sub.cc, subc, subc.cc: a - (b + borrow_in).
template <class Type>
struct sub_borrow {
    using bits = bits_of<Type>;
    static constexpr with_carry<Type> apply(bits a, bits b, bool borrow_in) {
        const bits partial = static_cast<bits>(a - b);
        return {static_cast<bits>(partial - borrow_in), a < b || partial < bits{borrow_in}};
    }
};

/// mad.lo.cc, madc.lo, madc.lo.cc.
template <class Type>
struct mad_lo_carry {
    using bits = bits_of<Type>;
    static constexpr with_carry<Type> apply(bits a, bits b, bits c, bool carry_in) {
        return add_carry<Type>::apply(mul_lo<Type>::apply(a, b), c, carry_in);
    }
};

/// mad.hi.cc, madc.hi, madc.hi.cc.
template <class Type>
struct mad_hi_carry {
    using bits = bits_of<Type>;
    static constexpr with_carry<Type> apply(bits a, bits b, bits c, bool carry_in) {
        return add_carry<Type>::apply(mul_hi<Type>::apply(a, b), c, carry_in);
    }
};

/// and, or, xor and not.
template <class Type>
struct bit_and {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) { return a & b; }
};
template <class Type>
struct bit_or {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) { return a | b; }
};
template <class Type>
struct bit_xor {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b) { return a ^ b; }
};
template <class Type>
struct bit_not {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) { return static_cast<bits>(~a); }
};

/// cnot: 1 if the operand is 0, else 0.
template <class Type>
struct cnot {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a) { return a == 0; }
};

/// shl: amounts of at least the width give 0.
template <class Type>
struct shl {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, std::uint32_t amount) {
        return amount >= Type::width ? bits{0}
                                     : static_cast<bits>(a << (amount & (Type::width - 1)));
    }
};

/// shr: amounts of at least the width give 0, or copies of the sign for signed types.
template <class Type>
struct shr {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, std::uint32_t amount) {
        const std::uint32_t within = amount >= Type::width ? Type::width - 1 : amount;
        const bits shifted = static_cast<bits>(value_of<Type>(a) >> within);
        return !Type::is_signed && amount >= Type::width ? bits{0} : shifted;
    }
};

/// selp: a if the predicate is true, otherwise b.
template <class Type>
struct selp {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, bool predicate) { return predicate ? a : b; }
};

/// slct with an s32 selector: a if it is not negative, otherwise b.
template <class Type>
struct slct {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, std::uint32_t selector) {
        return static_cast<std::int32_t>(selector) >= 0 ? a : b;
    }
};

/// slct with an f32 selector: a if it is >= 0 (true for -0, false for NaN), otherwise b.
template <class Type, modifiers Flags = plain>
struct slct_f32 {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, std::uint32_t selector) {
        if constexpr ((Flags & ftz) != 0) {
            if ((selector & f32::exponent_mask) == 0) selector = 0;
        }
        return selector <= f32::infinity || selector == f32::sign_bit ? a : b;
    }
};

/// setp (only the comparison; the Boolean operator with a third predicate is applied to masks).
template <class Type, comparison Compare, modifiers Flags = plain, class = void>
struct setp;

template <class Type, comparison Compare, modifiers Flags>
struct setp<Type, Compare, Flags, if_integer<Type>> {
    using bits = bits_of<Type>;
    static constexpr bool apply(bits a, bits b) {
        const auto x = value_of<Type>(a);
        const auto y = value_of<Type>(b);
        static_assert(Compare <= comparison::ge, "not a comparison of integers");
        switch (Compare) {
            case comparison::eq:
                return x == y;
            case comparison::ne:
                return x != y;
            case comparison::lt:
                return x < y;
            case comparison::le:
                return x <= y;
            case comparison::gt:
                return x > y;
            default:
                return x >= y;
        }
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
