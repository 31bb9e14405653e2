// SPDX-License-Identifier: Apache-2.0
// Instructions on bits, bit fields and bytes: popc, clz, bfind, fns, brev, bfe, bfi, szext, bmsk,
// lop3, shf, prmt, dp4a, dp2a.
#pragma once

#include "modules/execution/arithmetic/types.h"

namespace simtlm::execution::arithmetic {

/// Treatment of shift amounts and field widths beyond 31.
enum class shift_mode : std::uint8_t { clamp, wrap };

/// Byte selection of prmt.
enum class permute_mode : std::uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };

inline namespace SIMTLM_ARITHMETIC_TARGET {

/// popc: number of set bits.
template <class Type>
struct popc {
    static constexpr std::uint32_t apply(bits_of<Type> a) {
        // Sums of pairs, groups of four, bytes, and then of all bytes by a multiplication, which is
        // vectorisable on hosts without a population count instruction.
        std::uint64_t count = a;
        count -= (count >> 1) & 0x5555555555555555;
        count = (count & 0x3333333333333333) + ((count >> 2) & 0x3333333333333333);
        count = (count + (count >> 4)) & 0x0f0f0f0f0f0f0f0f;
        return static_cast<std::uint32_t>((count * 0x0101010101010101) >> 56);
    }
};

/// clz: number of leading zeros; the width for 0.
template <class Type>
struct clz {
    static constexpr std::uint32_t apply(bits_of<Type> a) {
        if (a == 0) return Type::width;
        return static_cast<std::uint32_t>(__builtin_clzll(a)) - (64 - Type::width);
    }
};

/// bfind: position of the highest bit that is not a copy of the sign; all ones if there is none.
template <class Type>
struct bfind {
    static constexpr std::uint32_t apply(bits_of<Type> a) {
        if (value_of<Type>(a) < 0) a = static_cast<bits_of<Type>>(~a);
        return Type::width - 1 - clz<Type>::apply(a);
    }
};

/// bfind.shiftamt: the left shift that moves that bit to the top.
template <class Type>
struct bfind_shiftamt {
    static constexpr std::uint32_t apply(bits_of<Type> a) {
        const std::uint32_t position = bfind<Type>::apply(a);
        return position == ~0u ? position : Type::width - 1 - position;
    }
};

/// fns: position of the offset-th set bit from bit `base`, upwards or (negative offset) downwards;
/// offset 0 tests bit `base` itself. All ones if there is none.
struct fns {
    static constexpr std::uint32_t apply(std::uint32_t mask, std::uint32_t base,
                                         std::uint32_t offset) {
        if (base > 31) return ~0u;
        const auto nth = static_cast<std::int32_t>(offset);
        if (nth == 0) return (mask >> base & 1) != 0 ? base : ~0u;
        const int step = nth > 0 ? 1 : -1;
        std::uint32_t left = nth > 0 ? offset : -offset;
        for (int position = static_cast<int>(base); position >= 0 && position < 32;
             position += step) {
            left -= mask >> position & 1;
            if (left == 0) return static_cast<std::uint32_t>(position);
        }
        return ~0u;
    }
};

/// brev: the bits in reverse order.
template <class Type>
struct brev {
    static constexpr bits_of<Type> apply(bits_of<Type> a) {
        std::uint64_t x = a;
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
        return static_cast<bits_of<Type>>(__builtin_bswap64(x) >> (64 - Type::width));
    }
};

/// bfe: `length` bits starting at `position` (each 0..255), sign-extended for signed types.
template <class Type>
struct bfe {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, std::uint32_t position, std::uint32_t length) {
        const std::uint32_t at = position & 0xff;
        const std::uint32_t count = length & 0xff;
        constexpr std::uint32_t top = Type::width - 1;
        const bits sign = static_cast<bits>(value_of<Type>(a) < 0 ? ~bits{0} : bits{0});
        if (count == 0) return 0;
        if (at > top) return sign;  // the field is above the top bit: copies of the sign
        bits field = static_cast<bits>(value_of<Type>(a) >> at);
        if (count > top) return field;
        const std::uint32_t unused = Type::width - count;
        field = static_cast<bits>(field << unused);
        return static_cast<bits>(value_of<Type>(field) >> unused);
    }
};

/// bfi: b with the `length` low bits of a inserted at `position` (each 0..255).
template <class Type>
struct bfi {
    using bits = bits_of<Type>;
    static constexpr bits apply(bits a, bits b, std::uint32_t position, std::uint32_t length) {
        const std::uint32_t at = position & 0xff;
        const std::uint32_t count = length & 0xff;
        if (at >= Type::width) return b;
        const bits ones = count >= Type::width ? ~bits{0} : (bits{1} << count) - 1;
        const bits mask = ones << at;
        return (b & ~mask) | ((a << at) & mask);
    }
};

namespace detail {
/// A shift amount or width: modulo 32, or clamped to 32.
template <shift_mode Mode>
constexpr std::uint32_t amount(std::uint32_t value) {
    return Mode == shift_mode::wrap ? value & 31 : value < 32 ? value : 32;
}
}  // namespace detail

/// szext: the low `width` bits of a, sign- or zero-extended; width 0 gives 0.
template <class Type, shift_mode Mode>
struct szext {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t width) {
        const std::uint32_t count = detail::amount<Mode>(width);
        if (count == 0) return 0;
        const std::uint32_t unused = 32 - count;
        return static_cast<std::uint32_t>(value_of<Type>(a << unused) >> unused);
    }
};

/// bmsk: `width` ones starting at bit `position`.
template <shift_mode Mode>
struct bmsk {
    static constexpr std::uint32_t apply(std::uint32_t position, std::uint32_t width) {
        const std::uint64_t from = detail::amount<Mode>(position);
        const std::uint64_t ones = (std::uint64_t{1} << detail::amount<Mode>(width)) - 1;
        return static_cast<std::uint32_t>(ones << from);
    }
};

/// lop3: for every bit, the entry of the table `lut` selected by the bits of (a, b, c).
struct lop3 {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                         std::uint32_t lut) {
        std::uint32_t result = 0;
        for (unsigned entry = 0; entry < 8; ++entry) {
            const std::uint32_t keep = 0u - (lut >> entry & 1);
            result |= keep & ((entry & 4) != 0 ? a : ~a) & ((entry & 2) != 0 ? b : ~b) &
                      ((entry & 1) != 0 ? c : ~c);
        }
        return result;
    }
};

/// shf.l: the upper word of {high, low} shifted left.
template <shift_mode Mode>
struct shf_l {
    static constexpr std::uint32_t apply(std::uint32_t low, std::uint32_t high,
                                         std::uint32_t amount) {
        const std::uint64_t both = std::uint64_t{high} << 32 | low;
        return static_cast<std::uint32_t>(both << detail::amount<Mode>(amount) >> 32);
    }
};

/// shf.r: the lower word of {high, low} shifted right.
template <shift_mode Mode>
struct shf_r {
    static constexpr std::uint32_t apply(std::uint32_t low, std::uint32_t high,
                                         std::uint32_t amount) {
        const std::uint64_t both = std::uint64_t{high} << 32 | low;
        return static_cast<std::uint32_t>(both >> detail::amount<Mode>(amount));
    }
};

namespace detail {
/// The source byte (0..7) of destination byte `i` in the modes with one selector.
template <permute_mode Mode>
constexpr std::uint32_t permuted_byte(std::uint32_t i, std::uint32_t selector) {
    switch (Mode) {
        case permute_mode::f4e:
            return selector + i;
        case permute_mode::b4e:
            return (selector - i) & 7;
        case permute_mode::ecl:
            return i > selector ? i : selector;
        case permute_mode::ecr:
            return i < selector ? i : selector;
        case permute_mode::rc16:
            return (selector & 1) * 2 + (i & 1);
        default:
            return selector;  // rc8
    }
}
}  // namespace detail

/// prmt: selects four bytes from the eight of {b, a}; in index mode, bit 3 of a selector replicates
/// the sign bit of the byte.
template <permute_mode Mode>
struct prmt {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint64_t both = std::uint64_t{b} << 32 | a;
        std::uint32_t result = 0;
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::uint32_t selector = c >> (4 * i);
            const std::uint32_t source =
                Mode == permute_mode::index ? selector & 7 : detail::permuted_byte<Mode>(i, c & 3);
            std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * source)) & 0xff;
            if (Mode == permute_mode::index && (selector & 8) != 0) {
                byte = (byte & 0x80) != 0 ? 0xff : 0;
            }
            result |= byte << (8 * i);
        }
        return result;
    }
};

namespace detail {
template <class Type, unsigned Width>
constexpr std::int32_t element(std::uint32_t word, unsigned index) {
    const std::uint32_t at_top = word << (32 - Width * (index + 1));
    return Type::is_signed ? static_cast<std::int32_t>(at_top) >> (32 - Width)
                           : static_cast<std::int32_t>(at_top >> (32 - Width));
}
}  // namespace detail

/// dp4a: c plus the sum of the products of four byte pairs; A and B are u32 or s32.
template <class A, class B>
struct dp4a {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned i = 0; i < 4; ++i) {
            c += static_cast<std::uint32_t>(detail::element<A, 8>(a, i) *
                                            detail::element<B, 8>(b, i));
        }
        return c;
    }
};

/// dp2a: c plus the products of the two halves of a and two bytes of b: the low (.lo) or high (.hi)
/// two.
template <class A, class B, bool High>
struct dp2a {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned i = 0; i < 2; ++i) {
            c += static_cast<std::uint32_t>(detail::element<A, 16>(a, i) *
                                            detail::element<B, 8>(b, i + (High ? 2 : 0)));
        }
        return c;
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
