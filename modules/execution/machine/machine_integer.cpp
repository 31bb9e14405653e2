// SPDX-License-Identifier: Apache-2.0
// Integer operations, selections, addresses and arithmetic on pairs of words of machine code.
// Compiled for several instruction sets.
#include "modules/execution/arithmetic/ieee.h"
#include "modules/execution/device_memory.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/thread_block.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

/// A mask of the lanes for which f is true.
template <class Function>
inline lane_mask lanes_where(Function&& f) {
    alignas(32) std::uint32_t flags[warp_size];
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) flags[i] = f(i) ? ~0u : 0;
    return gather_words(flags);
}

#if defined(__AVX2__)
/// Eight lanes of double words, in the order that makes joining and splitting words cheapest: lanes
/// 0, 1, 4 and 5, and lanes 2, 3, 6 and 7.
struct eight_pairs {
    __m256i first, second;
};
inline __m256i eight_words(const word* from, unsigned lane) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + lane));
}
inline eight_pairs join_words(__m256i low, __m256i high) {
    return {_mm256_unpacklo_epi32(low, high), _mm256_unpackhi_epi32(low, high)};
}
/// The low words (which = 0) or the high words (1) in lane order.
template <int which>
inline __m256i words_of(const eight_pairs& p) {
    constexpr int picked = which == 0 ? 0x88 : 0xdd;
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(p.first), _mm256_castsi256_ps(p.second), picked));
}
inline void put_words(word* to, unsigned lane, __m256i value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + lane), value);
}
inline void put_doubles(double_word* to, unsigned lane, const eight_pairs& p) {
    auto* const out = reinterpret_cast<__m256i*>(to + lane);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(p.first, p.second, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(p.first, p.second, 0x31));
}
inline eight_pairs eight_doubles(const double_word* from, unsigned lane) {
    const auto* const in = reinterpret_cast<const __m256i*>(from + lane);
    const __m256i low = _mm256_loadu_si256(in), high = _mm256_loadu_si256(in + 1);
    return {_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31)};
}
/// A word of ones for each lane in a mask.
inline __m256i lanes_as_words(lane_mask mask, unsigned lane) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int>(mask >> lane));
    return _mm256_cmpeq_epi32(_mm256_and_si256(all, bits), bits);
}
inline bool is_uniform(const word* from) {
    const __m256i first = _mm256_set1_epi32(static_cast<int>(from[0]));
    __m256i differs = _mm256_setzero_si256();
    for (unsigned i = 0; i < warp_size; i += 8)
        differs = _mm256_or_si256(differs, _mm256_xor_si256(eight_words(from, i), first));
    return _mm256_testz_si256(differs, differs) != 0;
}
inline lane_mask signs_of(__m256i words, unsigned lane) {
    return static_cast<lane_mask>(_mm256_movemask_ps(_mm256_castsi256_ps(words))) << lane;
}
#else
std::uint64_t product(std::uint32_t a, std::uint32_t b, bool is_signed) {
    if (!is_signed) return std::uint64_t{a} * b;
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                      static_cast<std::int32_t>(b));
}
#endif

/// PRMT with a mode: F4E, B4E, RC8, ECL, ECR, RC16, numbered from 1, as for prmt in PTX.
std::uint32_t permuted(unsigned mode, std::uint32_t a, std::uint32_t c, unsigned how) {
    const std::uint64_t eight = a | std::uint64_t{c} << 32;
    std::uint32_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const unsigned from = mode == 1   ? how + n
                              : mode == 2 ? (how + 8 - n) & 7
                              : mode == 3 ? how
                              : mode == 4 ? std::max(n, how)
                              : mode == 5 ? std::min(n, how)
                                          : 2 * (how & 1) + (n & 1);
        r |= static_cast<std::uint32_t>(eight >> (8 * from) & 0xff) << (8 * n);
    }
    return r;
}
}  // namespace

namespace {

const operation* modify(warp& w, const operation* op, const unary_arguments& a) {
    const source_row x{row(w, op->source[0]), a.source};
    return map_words(w, op, a, [&](unsigned i) { return x[i]; });
}

const operation* copy(warp& w, const operation* op) {
    put_row(row(w, op->destination), row(w, op->source[0]), w.lanes_of(op));
    return op + 1;
}

const operation* add3(warp& w, const operation* op, const sum_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const word* const z = row(w, op->source[2]);
    const std::uint32_t fx = a.source[0].flip, fy = a.source[1].flip, fz = a.source[2].flip;
    const std::uint32_t add = a.source[0].add + a.source[1].add + a.source[2].add;
    if (!a.extended && a.carry_out[0] == 0 && a.carry_out[1] == 0)
        return map_words(w, op, a,
                         [=](unsigned i) { return (x[i] ^ fx) + (y[i] ^ fy) + (z[i] ^ fz) + add; });
    const lane_mask first = a.extended ? value_of(w, a.carry_in[0]) : 0;
    const lane_mask second = a.extended ? value_of(w, a.carry_in[1]) : 0;
    alignas(64) word result[warp_size], carries[warp_size];
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t p = x[i] ^ fx, pq = p + (y[i] ^ fy), pqr = pq + (z[i] ^ fz);
        const std::uint32_t sum = pqr + add + (first >> i & 1) + (second >> i & 1);
        result[i] = sum;
        carries[i] = (pq < p ? 1u : 0u) + (pqr < pq ? 1u : 0u) + (sum < pqr ? 1u : 0u);
    }
    const lane_mask lanes = lanes_of(w, op, a);
    put_row(row(w, op->destination), result, lanes);
    write_mask(w, a.carry_out[0], lanes, lanes_where([&](unsigned i) { return carries[i] >= 1; }));
    if (a.carry_out[1] != 0)
        write_mask(w, a.carry_out[1], lanes,
                   lanes_where([&](unsigned i) { return carries[i] >= 2; }));
    return op + 1;
}

const operation* multiply_add(warp& w, const operation* op, const product_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const source_row z{row(w, op->source[2]), a.addend};
    if (!a.extended) return map_words(w, op, a, [=](unsigned i) { return x[i] * y[i] + z[i]; });
    const lane_mask carry = value_of(w, a.carry_in);
    return map_words(w, op, a, [=](unsigned i) { return x[i] * y[i] + z[i] + (carry >> i & 1); });
}

const operation* multiply_add_wide(warp& w, const operation* op, const product_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const word *const low = row(w, op->source[2]), *const high = row(w, op->source[3]);
    const lane_mask carry_in = a.extended ? value_of(w, a.carry_in) : 0;
    const std::uint64_t flip = a.addend.flip != 0 ? ~std::uint64_t{0} : 0;
    alignas(64) word to_low[warp_size], to_high[warp_size];
#if defined(__AVX2__)
    const __m256i flips = _mm256_set1_epi64x(static_cast<long long>(flip));
    const __m256i adds = _mm256_set1_epi64x(a.addend.add);
    const bool carries = a.extended || a.carry_out != 0;
    lane_mask carried = 0;
    for (unsigned i = 0; i < warp_size; i += 8) {
        const __m256i eight_x = eight_words(x, i), eight_y = eight_words(y, i);
        const eight_pairs xs = join_words(eight_x, eight_x), ys = join_words(eight_y, eight_y);
        const eight_pairs c = join_words(eight_words(low, i), eight_words(high, i));
        const __m256i none = _mm256_setzero_si256();
        const __m256i in = carries ? lanes_as_words(carry_in, i) : none;
        const eight_pairs ins = join_words(in, in);  // minus one if carried in
        const auto multiplied = [&](__m256i p, __m256i q) {
            return a.is_signed ? _mm256_mul_epi32(p, q) : _mm256_mul_epu32(p, q);
        };
        const auto below = [](__m256i p, __m256i q) {
            const __m256i bias = _mm256_set1_epi64x(std::numeric_limits<long long>::min());
            return _mm256_cmpgt_epi64(_mm256_xor_si256(q, bias), _mm256_xor_si256(p, bias));
        };
        const auto sum = [&](__m256i product, __m256i third, __m256i minus, __m256i& over) {
            const __m256i two = _mm256_add_epi64(product, _mm256_xor_si256(third, flips));
            const __m256i all = _mm256_sub_epi64(_mm256_add_epi64(two, adds), minus);
            if (carries) over = _mm256_or_si256(below(two, product), below(all, two));
            return all;
        };
        eight_pairs over{none, none};
        const eight_pairs sums = {
            sum(multiplied(xs.first, ys.first), c.first, ins.first, over.first),
            sum(multiplied(xs.second, ys.second), c.second, ins.second, over.second)};
        put_words(to_low, i, words_of<0>(sums));
        put_words(to_high, i, words_of<1>(sums));
        if (carries) carried |= signs_of(words_of<1>(over), i);
    }
    const lane_mask executing = lanes_of(w, op, a);
    put_row(row(w, op->destination), to_low, executing);
    put_row(row(w, op->destination2), to_high, executing);
    if (carries) write_mask(w, a.carry_out, executing, carried);
    return op + 1;
#else
    if (!a.extended && a.carry_out == 0) {
        const std::uint64_t add = a.addend.add;
        const auto sum = [&](auto multiplied) {
#pragma GCC ivdep
            for (unsigned i = 0; i < warp_size; ++i) {
                const std::uint64_t c = (low[i] | std::uint64_t{high[i]} << 32) ^ flip;
                const std::uint64_t all = multiplied(i) + c + add;
                to_low[i] = static_cast<std::uint32_t>(all);
                to_high[i] = static_cast<std::uint32_t>(all >> 32);
            }
        };
        if (a.is_signed)
            sum([=](unsigned i) { return product(x[i], y[i], true); });
        else
            sum([=](unsigned i) { return product(x[i], y[i], false); });
        const lane_mask lanes = lanes_of(w, op, a);
        blend(row(w, op->destination), to_low, lanes);
        blend(row(w, op->destination2), to_high, lanes);
        return op + 1;
    }
    lane_mask carry = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint64_t p = product(x[i], y[i], a.is_signed);
        const std::uint64_t c = (low[i] | std::uint64_t{high[i]} << 32) ^ flip;
        std::uint64_t sum = 0, more = 0;
        bool over = __builtin_add_overflow(p, c, &sum);
        over |= __builtin_add_overflow(sum, a.addend.add + (carry_in >> i & 1), &more);
        to_low[i] = static_cast<std::uint32_t>(more);
        to_high[i] = static_cast<std::uint32_t>(more >> 32);
        carry |= static_cast<lane_mask>(over) << i;
    }
    const lane_mask lanes = lanes_of(w, op, a);
    blend(row(w, op->destination), to_low, lanes);
    blend(row(w, op->destination2), to_high, lanes);
    write_mask(w, a.carry_out, lanes, carry);
    return op + 1;
#endif
}

/// LEA of a warp. @param shifted  A, or C and A as a pair, shifted; @param add  value of a lane to
/// be added
template <class Shifted, class Add>
inline const operation* shifted_sum(warp& w, const operation* op, const scaled_sum_arguments& a,
                                    Shifted&& shifted, Add&& add) {
    const word* const y = row(w, op->source[1]);
    const std::uint32_t fx = a.shifted.flip, fy = a.addend.flip, more = a.addend.add;
    if (!a.extended && a.carry_out == 0)
        return map_words(
            w, op, a, [=](unsigned i) { return (shifted(i) ^ fx) + (y[i] ^ fy) + add(i) + more; });
    const lane_mask carry_in = a.extended ? value_of(w, a.carry_in) : 0;
    alignas(64) word result[warp_size], carries[warp_size];
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t x = shifted(i) ^ fx, both = x + (y[i] ^ fy);
        const std::uint32_t sum = both + add(i) + more + (carry_in >> i & 1);
        result[i] = sum;
        carries[i] = (both < x ? 1u : 0u) | (sum < both ? 1u : 0u);
    }
    const lane_mask lanes = lanes_of(w, op, a);
    put_row(row(w, op->destination), result, lanes);
    if (a.carry_out != 0)
        write_mask(w, a.carry_out, lanes, lanes_where([&](unsigned i) { return carries[i] != 0; }));
    return op + 1;
}

const operation* shift_add(warp& w, const operation* op, const scaled_sum_arguments& a) {
    const word *const x = row(w, op->source[0]), *const z = row(w, op->source[2]);
    const unsigned s = a.shift & 31, rest = (32 - s) & 31;
    const std::uint32_t add = a.shifted.add, kept = s == 0 ? 0 : ~0u;
    if (!a.high_word)
        return shifted_sum(
            w, op, a, [=](unsigned i) { return x[i] << s; }, [=](unsigned) { return add; });
    // The high word of a negated value only has a carry if the low word is zero.
    const auto carried = [=](unsigned i) { return (x[i] << s) == 0 ? add : 0; };
    if (a.sign_extends)  // the high word is copies of A's sign
        return shifted_sum(
            w, op, a,
            [=](unsigned i) {
                const auto sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(x[i]) >> 31);
                return sign << s | (x[i] >> rest & kept);
            },
            carried);
    return shifted_sum(
        w, op, a, [=](unsigned i) { return z[i] << s | (x[i] >> rest & kept); }, carried);
}

const operation* minmax(warp& w, const operation* op, const extremum_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const lane_mask minimum = value_of(w, a.minimum);
    const std::uint32_t bias = a.is_signed ? 0x80000000u : 0;
    return map_words(w, op, a, [&](unsigned i) {
        const bool less = (x[i] ^ bias) < (y[i] ^ bias);
        return less == ((minimum >> i & 1) != 0) ? x[i] : y[i];
    });
}

/// Lanes where a < b as biased numbers; lanes_equal(): where they are equal.
lane_mask lanes_below(const word* a, const word* b, std::uint32_t bias) {
#if defined(__AVX2__)
    lane_mask found = 0;
    // Only a signed comparison of words exists.
    const __m256i flip = _mm256_set1_epi32(static_cast<int>(bias ^ 0x80000000u));
    for (unsigned i = 0; i < warp_size; i += 8)
        found |= signs_of(_mm256_cmpgt_epi32(_mm256_xor_si256(eight_words(b, i), flip),
                                             _mm256_xor_si256(eight_words(a, i), flip)),
                          i);
    return found;
#else
    return lanes_where([=](unsigned i) { return (a[i] ^ bias) < (b[i] ^ bias); });
#endif
}
lane_mask lanes_equal(const word* a, const word* b) {
#if defined(__AVX2__)
    lane_mask found = 0;
    for (unsigned i = 0; i < warp_size; i += 8)
        found |= signs_of(_mm256_cmpeq_epi32(eight_words(a, i), eight_words(b, i)), i);
    return found;
#else
    return lanes_where([=](unsigned i) { return a[i] == b[i]; });
#endif
}

const operation* compare(warp& w, const operation* op, const comparison_arguments& a) {
    using order = comparison_arguments;
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const std::uint32_t bias = a.is_signed ? 0x80000000u : 0;
    lane_mask hit = 0;
    switch (a.holds_if) {
        case 0:
            break;
        case order::less:
            hit = lanes_below(x, y, bias);
            break;
        case order::equal:
            hit = a.extended ? 0 : lanes_equal(x, y);
            break;
        case order::less | order::equal:
            hit = a.extended ? lanes_below(x, y, bias) : ~lanes_below(y, x, bias);
            break;
        case order::greater:
            hit = lanes_below(y, x, bias);
            break;
        case order::less | order::greater:
            hit = ~lanes_equal(x, y);
            break;
        case order::greater | order::equal:
            hit = a.extended ? lanes_below(y, x, bias) : ~lanes_below(x, y, bias);
            break;
        default:
            hit = all_lanes;
            break;
    }
    // If the high words are equal, the result is that of the low words.
    if (a.extended && a.holds_if != 0 && a.holds_if != 7)
        hit |= lanes_equal(x, y) & value_of(w, a.low_words);
    write_combined(w, a.outcome, lanes_of(w, op, a), hit, ~hit);
    return op + 1;
}

/// result = the three-input function of the table, for each bit.
void look_up(std::uint32_t table, const word* a, const word* b, const word* c, word* result) {
    const auto each = [=](auto&& f) {
#pragma GCC ivdep
        for (unsigned i = 0; i < warp_size; ++i) result[i] = f(a[i], b[i], c[i]);
    };
    using bits = std::uint32_t;
    switch (table) {
        case 0xc0:
            return each([](bits x, bits y, bits) { return x & y; });
        case 0xfc:
            return each([](bits x, bits y, bits) { return x | y; });
        case 0x3c:
            return each([](bits x, bits y, bits) { return x ^ y; });
        case 0x30:
            return each([](bits x, bits y, bits) { return x & ~y; });
        case 0x33:
            return each([](bits, bits y, bits) { return ~y; });
        case 0x0f:
            return each([](bits x, bits, bits) { return ~x; });
        case 0xf8:
            return each([](bits x, bits y, bits z) { return x | (y & z); });
        case 0xfe:
            return each([](bits x, bits y, bits z) { return x | y | z; });
        case 0x96:
            return each([](bits x, bits y, bits z) { return x ^ y ^ z; });
        default:
            break;
    }
    // One term of the sum of products per row of the table.
    each([](bits, bits, bits) { return bits{0}; });
    for (unsigned t = 0; t < 8; ++t) {
        if ((table >> t & 1) == 0) continue;
        const bits fa = (t & 4) != 0 ? 0 : ~0u, fb = (t & 2) != 0 ? 0 : ~0u,
                   fc = (t & 1) != 0 ? 0 : ~0u;
#pragma GCC ivdep
        for (unsigned i = 0; i < warp_size; ++i)
            result[i] |= (a[i] ^ fa) & (b[i] ^ fb) & (c[i] ^ fc);
    }
}

const operation* logic(warp& w, const operation* op, const logic_arguments& a) {
    alignas(64) word result[warp_size];
    look_up(a.table, row(w, op->source[0]), row(w, op->source[1]), row(w, op->source[2]), result);
    const lane_mask lanes = lanes_of(w, op, a);
    if (a.nonzero.result != 0) {
        const lane_mask nonzero = lanes_where([&](unsigned i) { return result[i] != 0; });
        write_combined(w, a.nonzero, lanes, nonzero, ~nonzero);
    }
    put_row(row(w, op->destination), result, lanes);
    return op + 1;
}

const operation* shift(warp& w, const operation* op, const shift_arguments& a) {
    const word *const low = row(w, op->source[0]), *const by = row(w, op->source[1]);
    const word* const high = row(w, op->source[2]);
    const unsigned most = a.width, wrap = a.width - 1;
    const bool wraps = a.wraps;
    const auto amount = [=](unsigned i) -> std::uint32_t {
        return wraps ? by[i] & wrap : by[i] < most ? by[i] : most;
    };
    // The low word of a left shift, the high word of a right shift.
    if (a.to_left && !a.high_word)
        return map_words(w, op, a, [=](unsigned i) {
            const std::uint32_t s = amount(i);
            return s > 31 ? 0u : low[i] << s;
        });
    if (!a.to_left && a.high_word && a.is_signed)
        return map_words(w, op, a, [=](unsigned i) {
            const std::uint32_t s = amount(i);
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(high[i]) >>
                                              (s > 31 ? 31 : s));
        });
    if (!a.to_left && a.high_word)
        return map_words(w, op, a, [=](unsigned i) {
            const std::uint32_t s = amount(i);
            return s > 31 ? 0u : high[i] >> s;
        });
    return map_words(w, op, a, [&](unsigned i) {
        const std::uint64_t pair = low[i] | std::uint64_t{high[i]} << 32;
        const std::uint32_t s = amount(i);
        std::uint64_t r = 0;
        if (a.to_left)
            r = s >= 64 ? 0 : pair << s;
        else if (a.is_signed)
            r = static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> (s >= 64 ? 63 : s));
        else
            r = s >= 64 ? 0 : pair >> s;
        return static_cast<std::uint32_t>(a.high_word ? r >> 32 : r);
    });
}

const operation* permute(warp& w, const operation* op, const permutation_arguments& a) {
    const word *const x = row(w, op->source[0]), *const how = row(w, op->source[1]);
    const word* const y = row(w, op->source[2]);
    if (a.mode != 0)
        return map_words(w, op, a,
                         [&](unsigned i) { return permuted(a.mode, x[i], y[i], how[i] & 3); });
#if defined(__AVX2__)
    if (is_uniform(how)) {
        // Bytes from A, from C, and those replicated from a sign bit.
        alignas(32) std::uint8_t from_a[32], from_c[32], sign_a[32], sign_c[32];
        constexpr std::uint8_t none = 0x80;
        for (unsigned n = 0; n < 32; ++n) {
            const std::uint32_t s = how[0] >> (4 * (n % 4)) & 15;
            const auto byte = static_cast<std::uint8_t>(n % 16 / 4 * 4 + (s & 3));
            const bool of_c = (s & 4) != 0, is_sign = (s & 8) != 0;
            from_a[n] = !of_c && !is_sign ? byte : none;
            from_c[n] = of_c && !is_sign ? byte : none;
            sign_a[n] = !of_c && is_sign ? byte : none;
            sign_c[n] = of_c && is_sign ? byte : none;
        }
        const auto vector = [](const std::uint8_t* bytes) {
            return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
        };
        const __m256i pick_a = vector(from_a), pick_c = vector(from_c);
        const __m256i pick_sa = vector(sign_a), pick_sc = vector(sign_c);
        const bool signs = (how[0] & 0x8888) != 0;
        alignas(64) word result[warp_size];
        for (unsigned i = 0; i < warp_size; i += 8) {
            const __m256i p = eight_words(x, i), q = eight_words(y, i);
            __m256i r =
                _mm256_or_si256(_mm256_shuffle_epi8(p, pick_a), _mm256_shuffle_epi8(q, pick_c));
            if (signs) {
                const __m256i zero = _mm256_setzero_si256();
                const __m256i sx = _mm256_shuffle_epi8(_mm256_cmpgt_epi8(zero, p), pick_sa);
                const __m256i sy = _mm256_shuffle_epi8(_mm256_cmpgt_epi8(zero, q), pick_sc);
                r = _mm256_or_si256(r, _mm256_or_si256(sx, sy));
            }
            put_words(result, i, r);
        }
        put_row(row(w, op->destination), result, lanes_of(w, op, a));
        return op + 1;
    }
#endif
    return map_words(w, op, a, [&](unsigned i) {
        const std::uint64_t eight = x[i] | std::uint64_t{y[i]} << 32;
        std::uint32_t r = 0;
        for (unsigned n = 0; n < 4; ++n) {
            const std::uint32_t s = how[i] >> (4 * n) & 15;
            std::uint32_t b = static_cast<std::uint32_t>(eight >> (8 * (s & 7))) & 0xff;
            if ((s & 8) != 0) b = (b & 0x80) != 0 ? 0xff : 0;  // replicates the sign of the byte
            r |= b << (8 * n);
        }
        return r;
    });
}

const operation* select(warp& w, const operation* op, const selection_arguments& a) {
    const source_row x{row(w, op->source[0]), a.source[0]}, y{row(w, op->source[1]), a.source[1]};
    const lane_mask first = value_of(w, a.first);
#if defined(__AVX2__)
    const auto modified = [](const source_row& r, unsigned i) {
        const auto all = [](std::uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); };
        const __m256i kept = _mm256_and_si256(eight_words(r.from, i), all(r.m.keep));
        return _mm256_add_epi32(_mm256_xor_si256(kept, all(r.m.flip)), all(r.m.add));
    };
    alignas(64) word result[warp_size];
    for (unsigned i = 0; i < warp_size; i += 8)
        put_words(result, i,
                  _mm256_blendv_epi8(modified(y, i), modified(x, i), lanes_as_words(first, i)));
    put_row(row(w, op->destination), result, lanes_of(w, op, a));
    return op + 1;
#else
    return map_words(w, op, a, [&](unsigned i) { return (first >> i & 1) != 0 ? x[i] : y[i]; });
#endif
}

const operation* absolute(warp& w, const operation* op, const datapath_arguments& a) {
    const word* const x = row(w, op->source[0]);
    return map_words(w, op, a,
                     [&](unsigned i) { return (x[i] & 0x80000000u) != 0 ? 0u - x[i] : x[i]; });
}

const operation* count(warp& w, const operation* op, const unary_arguments& a) {
    const source_row x{row(w, op->source[0]), a.source};
    return map_words(
        w, op, a, [&](unsigned i) { return static_cast<std::uint32_t>(__builtin_popcount(x[i])); });
}

const operation* find(warp& w, const operation* op, const find_arguments& a) {
    const source_row from{row(w, op->source[0]), a.source};
    alignas(64) word result[warp_size];
    lane_mask found = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        std::uint32_t x = from[i];
        if (a.is_signed && (x & 0x80000000u) != 0) x = ~x;
        const auto zeros = x == 0 ? 32u : static_cast<unsigned>(__builtin_clz(x));
        result[i] = x == 0 ? ~0u : a.as_shift ? zeros : 31 - zeros;
        found |= static_cast<lane_mask>(x != 0) << i;
    }
    const lane_mask lanes = lanes_of(w, op, a);
    put_row(row(w, op->destination), result, lanes);
    write_mask(w, a.found, lanes, found);
    return op + 1;
}

const operation* reverse(warp& w, const operation* op, const datapath_arguments& a) {
    const word* const from = row(w, op->source[0]);
    return map_words(w, op, a, [&](unsigned i) {
        std::uint32_t x = from[i];
        x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
        x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
        x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
        return __builtin_bswap32(x);
    });
}

const operation* extend(warp& w, const operation* op, const field_arguments& a) {
    const word *const x = row(w, op->source[0]), *const bits = row(w, op->source[1]);
    return map_words(w, op, a, [&](unsigned i) -> std::uint32_t {
        const std::uint32_t n = a.wraps ? bits[i] & 31 : bits[i];
        if (n >= 32) return x[i];
        if (n == 0) return 0;
        const std::uint32_t kept = x[i] << (32 - n);
        return a.is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(kept) >> (32 - n))
                           : kept >> (32 - n);
    });
}

const operation* field_mask(warp& w, const operation* op, const field_arguments& a) {
    const word *const from = row(w, op->source[0]), *const bits = row(w, op->source[1]);
    return map_words(w, op, a, [&](unsigned i) -> std::uint32_t {
        const std::uint32_t at = a.wraps ? from[i] & 31 : from[i];
        const std::uint32_t n = a.wraps ? bits[i] & 31 : bits[i];
        if (at >= 32) return 0;
        return (n >= 32 ? ~0u : (1u << n) - 1) << at;
    });
}

/// Joins two rows to double words. @param m  modifiers of doubles, which add nothing
inline void join_rows(const word* low, const word* high, const source_modifiers& m,
                      double_word* to) {
#if defined(__AVX2__)
    const __m256i keeps = _mm256_set1_epi32(static_cast<int>(m.keep));
    const __m256i flips = _mm256_set1_epi32(static_cast<int>(m.flip));
    for (unsigned i = 0; i < warp_size; i += 8)
        put_doubles(
            to, i,
            join_words(eight_words(low, i),
                       _mm256_xor_si256(_mm256_and_si256(eight_words(high, i), keeps), flips)));
#else
    for (unsigned i = 0; i < warp_size; ++i)
        to[i] = low[i] | std::uint64_t{(high[i] & m.keep) ^ m.flip} << 32;
#endif
}

inline void split_row(const double_word* from, word* low, word* high) {
#if defined(__AVX2__)
    for (unsigned i = 0; i < warp_size; i += 8) {
        const eight_pairs p = eight_doubles(from, i);
        put_words(low, i, words_of<0>(p));
        put_words(high, i, words_of<1>(p));
    }
#else
    for (unsigned i = 0; i < warp_size; ++i) {
        low[i] = static_cast<std::uint32_t>(from[i]);
        high[i] = static_cast<std::uint32_t>(from[i] >> 32);
    }
#endif
}

const operation* pack(warp& w, const operation* op, const double_arguments& a) {
    join_rows(row(w, op->source[0]), row(w, op->source[1]), a.high[0],
              double_row(w, op->destination));
    return op + 1;
}

const operation* unpack(warp& w, const operation* op, const datapath_arguments& a) {
    alignas(64) word low[warp_size], high[warp_size];
    split_row(double_row(w, op->source[0]), low, high);
    const lane_mask lanes = lanes_of(w, op, a);
    put_row(row(w, op->destination), low, lanes);
    put_row(row(w, op->destination2), high, lanes);
    return op + 1;
}

/// Op::apply on doubles in pairs of rows.
template <class Op, std::size_t... I>
inline const operation* on_pairs(warp& w, const operation* op, const double_arguments& a,
                                 std::index_sequence<I...>) {
    alignas(64) double_word from[sizeof...(I)][warp_size], result[warp_size];
    (join_rows(row(w, op->list[2 * I]), row(w, op->list[2 * I + 1]), a.high[I], from[I]), ...);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) result[i] = Op::apply(std::uint64_t{from[I][i]}...);
    alignas(64) word low[warp_size], high[warp_size];
    split_row(result, low, high);
    const lane_mask lanes = w.lanes_of(op);
    put_row(row(w, op->destination), low, lanes);
    put_row(row(w, op->destination2), high, lanes);
    return op + 1;
}
const operation* double_add(warp& w, const operation* op, const double_arguments& a) {
    return on_pairs<arithmetic::add<arithmetic::f64>>(w, op, a, std::make_index_sequence<2>());
}
const operation* double_multiply(warp& w, const operation* op, const double_arguments& a) {
    return on_pairs<arithmetic::mul<arithmetic::f64>>(w, op, a, std::make_index_sequence<2>());
}
const operation* double_multiply_add(warp& w, const operation* op, const double_arguments& a) {
    return on_pairs<arithmetic::fma<arithmetic::f64>>(w, op, a, std::make_index_sequence<3>());
}

const operation* address(warp& w, const operation* op) {
    const word *const low = row(w, op->source[0]), *const high = row(w, op->source[1]);
    const word *const more = row(w, op->source[2]), *const more_high = row(w, op->source[3]);
    double_word* const to = double_row(w, op->destination);
#if defined(__AVX2__)
    for (unsigned i = 0; i < warp_size; i += 8) {
        const eight_pairs a = join_words(eight_words(low, i), eight_words(high, i));
        const eight_pairs b = join_words(eight_words(more, i), eight_words(more_high, i));
        put_doubles(to, i,
                    {_mm256_add_epi64(a.first, b.first), _mm256_add_epi64(a.second, b.second)});
    }
#else
    for (unsigned i = 0; i < warp_size; ++i)
        to[i] =
            (low[i] | std::uint64_t{high[i]} << 32) + (more[i] | std::uint64_t{more_high[i]} << 32);
#endif
    return op + 1;
}

/// Words and pairs of all lanes within the bank; other cases are handled elsewhere.
const operation* load_constant(warp& w, const operation* op, const indexed_constant_arguments& a) {
    if (w.pending != nullptr || a.width < 32 || lanes_of(w, op, a) != all_lanes)
        return machine_load_constant(w, op, a);
    const word* const index = row(w, op->source[0]);
    const std::byte* const bytes = w.at(op->source[1]);
    const std::uint64_t n = a.width / 8;
    std::uint32_t last = 0;
    for (unsigned i = 0; i < warp_size; ++i) last = std::max(last, index[i] + a.offset);
    if (last + n > a.bank_bytes) return machine_load_constant(w, op, a);
    alignas(64) word at[warp_size];
    for (unsigned i = 0; i < warp_size; ++i) at[i] = index[i] + a.offset;
    const auto load = [&](slot to, unsigned more) {
        word* const out = row(w, to);
#if defined(__AVX2__)
        const auto* const base = reinterpret_cast<const int*>(bytes + more);
        if (is_uniform(at)) {
            std::uint32_t value = 0;
            std::memcpy(&value, bytes + at[0] + more, sizeof value);
            std::fill(out, out + warp_size, value);
            return;
        }
        for (unsigned i = 0; i < warp_size; i += 8)
            put_words(out, i, _mm256_i32gather_epi32(base, eight_words(at, i), 1));
#else
        for (unsigned i = 0; i < warp_size; ++i)
            std::memcpy(out + i, bytes + at[i] + more, sizeof *out);
#endif
    };
    load(op->destination, 0);
    if (n == 8) load(op->destination2, 4);
    return op + 1;
}

const operation* generic_address(warp& w, const operation* op, const generic_address_arguments& a) {
    address(w, op);
    double_word* const to = double_row(w, op->destination);
    // The rank of a CTA of the cluster is in bits 24 and above.
    const word* const rank = row(w, slot_in(bank::block, block_layout::cluster_ctarank));
    for (unsigned i = 0; i < warp_size; ++i) {
        if (to[i] >> 32 != a.window_high) continue;
        const auto of = static_cast<std::uint32_t>(to[i] >> 24 & 0xff);
        const auto place = static_cast<std::uint32_t>((to[i] & 0xffffff) - a.window_begin);
        to[i] =
            of == rank[i] ? address_windows::shared + place : address_windows::in_rank(of, place);
    }
    return op + 1;
}

const operation* shared_address(warp& w, const operation* op, const shared_address_arguments& a) {
    const word *const base = row(w, op->source[0]), *const more = row(w, op->source[1]);
    word* const to = row(w, op->destination);
    std::uint32_t beyond = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t whole = (base[i] << a.scale) + more[i] + a.offset;
        to[i] = whole;
        beyond |= whole & ~a.offset_bits;
    }
    if (beyond == 0) return op + 1;
    // Above the kept bits is the rank of the CTA, or zero.
    const unsigned shift = __builtin_ctz(~a.offset_bits);
    const word* const own = row(w, slot_in(bank::block, block_layout::cluster_ctarank));
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t rank = to[i] >> shift, place = to[i] & a.offset_bits;
        to[i] = rank == 0 || rank == own[i]
                    ? place
                    : static_cast<std::uint32_t>(address_windows::in_rank(rank, place) -
                                                 address_windows::shared);
    }
    return op + 1;
}

}  // namespace

const machine_lane_operations& machine_operations_of_lanes() {
    static constexpr machine_lane_operations table{handler_of<modify>(),
                                                   handler_of<add3>(),
                                                   handler_of<multiply_add>(),
                                                   handler_of<multiply_add_wide>(),
                                                   handler_of<shift_add>(),
                                                   handler_of<minmax>(),
                                                   handler_of<compare>(),
                                                   handler_of<logic>(),
                                                   handler_of<shift>(),
                                                   handler_of<permute>(),
                                                   handler_of<select>(),
                                                   handler_of<absolute>(),
                                                   handler_of<count>(),
                                                   handler_of<find>(),
                                                   handler_of<reverse>(),
                                                   handler_of<extend>(),
                                                   handler_of<field_mask>(),
                                                   handler_of<pack>(),
                                                   handler_of<unpack>(),
                                                   address,
                                                   handler_of<generic_address>(),
                                                   handler_of<shared_address>(),
                                                   copy,
                                                   handler_of<load_constant>(),
                                                   handler_of<double_add>(),
                                                   handler_of<double_multiply>(),
                                                   handler_of<double_multiply_add>()};
    return table;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
