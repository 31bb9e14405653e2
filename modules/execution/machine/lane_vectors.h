// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_rows.h"

// Adjacent lanes of a row as vectors of the host, for operations whose loop over lanes compilers do
// not vectorise well. Compiled for several instruction sets, like lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

#if defined(__AVX2__)
constexpr unsigned lanes_per_vector = 8;
#else
constexpr unsigned lanes_per_vector = 4;
#endif
using words = std::uint32_t __attribute__((vector_size(4 * lanes_per_vector), may_alias));
using signed_words = std::int32_t __attribute__((vector_size(4 * lanes_per_vector), may_alias));
/// Two words per element: the first lane in the low half.
using word_pairs = std::uint64_t __attribute__((vector_size(4 * lanes_per_vector), may_alias));

inline const words& words_at(const word* from, unsigned lane) {
    return *reinterpret_cast<const words*>(from + lane);
}
template <class Vector>
inline void put_words(word* to, unsigned lane, Vector value) {
    *reinterpret_cast<Vector*>(to + lane) = value;
}

/// All bits of the lanes in a mask.
inline signed_words words_of_mask(lane_mask mask, unsigned lane) {
#if defined(__AVX2__)
    constexpr words bits = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    constexpr words bits = {1, 2, 4, 8};
#endif
    return (bits & (mask >> lane)) == bits;
}

/// A bit for each negative element.
inline lane_mask signs_of(const signed_words& v) {
#if defined(__AVX2__)
    return static_cast<lane_mask>(_mm256_movemask_ps(reinterpret_cast<__m256>(v)));
#elif defined(__SSE2__)
    return static_cast<lane_mask>(_mm_movemask_ps(reinterpret_cast<__m128>(v)));
#else
    lane_mask signs = 0;
    for (unsigned n = 0; n < lanes_per_vector; ++n) signs |= static_cast<lane_mask>(v[n] < 0) << n;
    return signs;
#endif
}
/// The mask of the lanes for which f(first lane of a vector) is negative.
template <class Function>
inline lane_mask lanes_with_sign(Function&& f) {
    lane_mask found = 0;
    for (unsigned i = 0; i < warp_size; i += lanes_per_vector) found |= signs_of(f(i)) << i;
    return found;
}

/// Bytes of the lanes' own words: the byte of each index, 0 to 3, or zero if bit 7 is set.
inline words bytes_of_lanes(const words& from, const words& indices) {
#if defined(__AVX2__)
    constexpr words first = {0, 0x04040404, 0x08080808, 0x0c0c0c0c,
                             0, 0x04040404, 0x08080808, 0x0c0c0c0c};
    return reinterpret_cast<words>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(from),
                                                       reinterpret_cast<__m256i>(indices + first)));
#elif defined(__SSSE3__)
    constexpr words first = {0, 0x04040404, 0x08080808, 0x0c0c0c0c};
    return reinterpret_cast<words>(_mm_shuffle_epi8(reinterpret_cast<__m128i>(from),
                                                    reinterpret_cast<__m128i>(indices + first)));
#else
    words result{};
    for (unsigned n = 0; n < lanes_per_vector; ++n)
        for (unsigned bit = 0; bit < 32; bit += 8) {
            const std::uint32_t index = indices[n] >> bit & 0xff;
            if (index < 4) result[n] |= (from[n] >> (8 * index) & 0xff) << bit;
        }
    return result;
#endif
}

/// The low halves of a and the high halves of b.
inline word_pairs low_and_high(word_pairs a, word_pairs b) {
    constexpr std::uint64_t low = 0xffffffff;
    return (a & low) | (b & ~low);
}

/// The products of the low halves.
inline word_pairs product_of_low(word_pairs a, word_pairs b, bool is_signed) {
#if defined(__AVX2__)
    const auto x = reinterpret_cast<__m256i>(a), y = reinterpret_cast<__m256i>(b);
    return reinterpret_cast<word_pairs>(is_signed ? _mm256_mul_epi32(x, y)
                                                  : _mm256_mul_epu32(x, y));
#elif defined(__SSE4_1__)
    const auto x = reinterpret_cast<__m128i>(a), y = reinterpret_cast<__m128i>(b);
    return reinterpret_cast<word_pairs>(is_signed ? _mm_mul_epi32(x, y) : _mm_mul_epu32(x, y));
#else
    word_pairs product{};
    for (unsigned n = 0; n < lanes_per_vector / 2; ++n) {
        const auto x = static_cast<std::uint32_t>(a[n]), y = static_cast<std::uint32_t>(b[n]);
        product[n] = is_signed
                         ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)} *
                                                      static_cast<std::int32_t>(y))
                         : std::uint64_t{x} * y;
    }
    return product;
#endif
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
