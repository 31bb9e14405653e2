// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "modules/execution/arithmetic/types.h"
#include "modules/execution/state/warp.h"

// Loops over the lanes of a warp. Sources that include this file are compiled once for every
// instruction set of the host that can be selected at run time, so its contents are in a namespace
// of that instruction set.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// A type that may alias other types, because registers are bytes.
template <class T>
struct overlaid {
    typedef T type __attribute__((may_alias));
};
/// The storage type of a value in a register's lane.
template <class Bits>
using lane_type =
    typename overlaid<std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>>::type;

template <class Bits>
inline lane_type<Bits>* lanes_at(const warp& w, operand_ref s) {
    return reinterpret_cast<lane_type<Bits>*>(w.at(s));
}

/// Writes results to the lanes in the mask, and keeps the others.
template <class Lane>
inline void blend(Lane* to, const Lane* result, lane_mask mask) {
#if defined(__AVX2__)
    const __m256i bits = sizeof(Lane) == 4 ? _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)
                                           : _mm256_setr_epi64x(1, 2, 4, 8);
    constexpr unsigned step = 32 / sizeof(Lane);
    for (unsigned i = 0; i < warp_size; i += step) {
        const int part = static_cast<int>(mask >> i);
        const __m256i wanted =
            sizeof(Lane) == 4
                ? _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(part), bits), bits)
                : _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(part), bits), bits);
        if constexpr (sizeof(Lane) == 4)
            _mm256_maskstore_epi32(
                reinterpret_cast<int*>(to + i), wanted,
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(result + i)));
        else
            _mm256_maskstore_epi64(
                reinterpret_cast<long long*>(to + i), wanted,
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(result + i)));
    }
#else
    for (; mask != 0; mask &= mask - 1) {
        const unsigned i = static_cast<unsigned>(__builtin_ctz(mask));
        to[i] = result[i];
    }
#endif
}

/// A mask with a bit for every lane whose word is not zero. @param words  0 or ~0
inline lane_mask gather_mask(const std::uint8_t* words) {
#if defined(__AVX2__)
    return static_cast<lane_mask>(
        _mm256_movemask_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(words))));
#elif defined(__SSE2__)
    const auto half = [&](unsigned i) {
        return static_cast<lane_mask>(
            _mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(words + i))));
    };
    return half(0) | half(16) << 16;
#else
    lane_mask m = 0;
    for (unsigned i = 0; i < warp_size; ++i) m |= static_cast<lane_mask>(words[i] & 1) << i;
    return m;
#endif
}

/// The same for words. @param words  0 or ~0
inline lane_mask gather_words(const std::uint32_t* words) {
    lane_mask m = 0;
#if defined(__AVX2__)
    for (unsigned i = 0; i < warp_size; i += 8) {
        const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + i));
        m |= static_cast<lane_mask>(_mm256_movemask_ps(_mm256_castsi256_ps(eight))) << i;
    }
#elif defined(__SSE2__)
    for (unsigned i = 0; i < warp_size; i += 4) {
        const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(words + i));
        m |= static_cast<lane_mask>(_mm_movemask_ps(_mm_castsi128_ps(four))) << i;
    }
#else
    for (unsigned i = 0; i < warp_size; ++i) m |= static_cast<lane_mask>(words[i] & 1) << i;
#endif
    return m;
}

/// Calls f(lane) for every set bit.
template <class Function>
inline void for_lanes(lane_mask mask, Function&& f) {
    for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctz(mask)));
}

/// destination[lane] = Op::apply(sources[lane]...), for cheap pure functions: all lanes are
/// computed, only executing ones are written.
template <class Op, class Result, class... Sources, std::size_t... I>
inline void map_lanes(warp& w, const operation* op, std::index_sequence<I...>) {
    const lane_mask mask = w.lanes_of(op);
    using lane = lane_type<Result>;
    alignas(64) lane scratch[warp_size];
    lane* const to = lanes_at<Result>(w, op->destination);
    lane* const out = mask == all_lanes ? to : scratch;
    const auto from = std::make_tuple(lanes_at<Sources>(w, op->source[I])...);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i)
        out[i] = static_cast<lane>(
            static_cast<Result>(Op::apply(static_cast<Sources>(std::get<I>(from)[i])...)));
    if (mask != all_lanes) blend(to, scratch, mask);
}

template <class Op, class Result, class... Sources>
const operation* map(warp& w, const operation* op) {
    map_lanes<Op, Result, Sources...>(w, op, std::index_sequence_for<Sources...>());
    return op + 1;
}

/// The same for expensive functions: only the executing lanes are computed.
template <class Op, class Result, class... Sources, std::size_t... I>
inline void map_each_lane(warp& w, const operation* op, std::index_sequence<I...>) {
    lane_type<Result>* const to = lanes_at<Result>(w, op->destination);
    const auto from = std::make_tuple(lanes_at<Sources>(w, op->source[I])...);
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        to[i] = static_cast<lane_type<Result>>(
            static_cast<Result>(Op::apply(static_cast<Sources>(std::get<I>(from)[i])...)));
    });
}

template <class Op, class Result, class... Sources>
const operation* map_each(warp& w, const operation* op) {
    map_each_lane<Op, Result, Sources...>(w, op, std::index_sequence_for<Sources...>());
    return op + 1;
}

/// A mask of the lanes for which Op::apply(a, b) is true, for all 32 lanes.
template <class Op, class... Sources, std::size_t... I>
inline lane_mask mask_of_lanes(warp& w, const operation* op, std::index_sequence<I...>) {
    const auto from = std::make_tuple(lanes_at<Sources>(w, op->source[I])...);
    if constexpr (((sizeof(lane_type<Sources>) == sizeof(std::uint32_t)) && ...)) {
        alignas(32) std::uint32_t words[warp_size];
        for (unsigned i = 0; i < warp_size; ++i)
            words[i] = Op::apply(static_cast<Sources>(std::get<I>(from)[i])...) ? ~0u : 0;
        return gather_words(words);
    }
    alignas(32) std::uint8_t hit[warp_size];
    for (unsigned i = 0; i < warp_size; ++i)
        hit[i] = Op::apply(static_cast<Sources>(std::get<I>(from)[i])...) ? 0xff : 0;
    return gather_mask(hit);
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
