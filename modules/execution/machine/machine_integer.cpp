// SPDX-License-Identifier: Apache-2.0
// Integer operations, selections, addresses and arithmetic on pairs of words of machine code.
// Compiled for several instruction sets.
#include "modules/execution/arithmetic/ieee.h"
#include "modules/execution/machine/lane_vectors.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/state/device_memory.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"

#include <algorithm>
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

inline void split_row(const double_word* from, word* low, word* high) {
    const auto* const pairs = reinterpret_cast<const word*>(from);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) {
        low[i] = pairs[2 * i];
        high[i] = pairs[2 * i + 1];
    }
}
/// destination[lane], destination2[lane] = low and high words of a row, in the lanes `lanes`.
inline const operation* put_double_row(warp& w, const operation* op, lane_mask lanes,
                                       const double_word* from) {
    word *const to_low = row(w, op->destination), *const to_high = row(w, op->destination2);
    if (lanes == all_lanes) {
        split_row(from, to_low, to_high);
        return op + 1;
    }
    alignas(64) word low[warp_size], high[warp_size];
    split_row(from, low, high);
    blend(to_low, low, lanes);
    blend(to_high, high, lanes);
    return op + 1;
}

bool is_uniform(const word* from) {
    words differs{};
    for (unsigned i = 0; i < warp_size; i += lanes_per_vector)
        differs |= words_at(from, i) ^ from[0];
    return signs_of(differs != 0) == 0;
}

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
    return map_words(w, op, a, [=](unsigned i) { return x[i]; });
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

/// IMAD.WIDE: products of even and of odd lanes. @param carries  whether there is a carry in or out
template <bool carries>
inline const operation* wide_sum(warp& w, const operation* op, const product_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const word *const low = row(w, op->source[2]), *const high = row(w, op->source[3]);
    const word_pairs add = word_pairs{} + a.addend.add,
                     flip = word_pairs{} - (a.addend.flip != 0 ? 1 : 0);
    const lane_mask carry_in = a.extended ? value_of(w, a.carry_in) : 0;
    alignas(64) word to_low[warp_size], to_high[warp_size];
    const auto multiply_add = [&](word_pairs p, word_pairs q, word_pairs c, word_pairs in,
                                  word_pairs& carry) {
        const word_pairs product = product_of_low(p, q, a.is_signed);
        const word_pairs two = product + (c ^ flip), sum = two + add + in;
        if (carries) carry = reinterpret_cast<word_pairs>((two < product) | (sum < two));
        return sum;
    };
    const lane_mask carry_out = lanes_with_sign([&](unsigned i) {
        const auto at = [i](const word* from) {
            return reinterpret_cast<const word_pairs&>(words_at(from, i));
        };
        word_pairs in{}, even_carry{}, odd_carry{};
        if (carries) in = reinterpret_cast<word_pairs>(words_of_mask(carry_in, i) & 1);
        const word_pairs even = multiply_add(at(x), at(y), low_and_high(at(low), at(high) << 32),
                                             in & 0xffffffff, even_carry);
        const word_pairs odd = multiply_add(
            at(x) >> 32, at(y) >> 32, low_and_high(at(low) >> 32, at(high)), in >> 32, odd_carry);
        put_words(to_low, i, low_and_high(even, odd << 32));
        put_words(to_high, i, low_and_high(even >> 32, odd));
        return reinterpret_cast<signed_words>(low_and_high(even_carry, odd_carry));
    });
    const lane_mask lanes = lanes_of(w, op, a);
    put_row(row(w, op->destination), to_low, lanes);
    put_row(row(w, op->destination2), to_high, lanes);
    write_mask(w, a.carry_out, lanes, carry_out);
    return op + 1;
}

const operation* multiply_add_wide(warp& w, const operation* op, const product_arguments& a) {
    return a.extended || a.carry_out != 0 ? wide_sum<true>(w, op, a) : wide_sum<false>(w, op, a);
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

/// Whether a < b in the lanes of a vector. @param flip  sign_flip()
inline signed_words below(words a, words b, std::uint32_t flip) {
    return reinterpret_cast<signed_words>(a ^ flip) < reinterpret_cast<signed_words>(b ^ flip);
}
/// The bits to be inverted in words to compare them as signed numbers.
inline std::uint32_t sign_flip(bool is_signed) {
    return is_signed ? 0 : 0x80000000u;
}

const operation* minmax(warp& w, const operation* op, const extremum_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const lane_mask minimum = value_of(w, a.minimum);
    const std::uint32_t flip = sign_flip(a.is_signed);
    alignas(64) word result[warp_size];
    for (unsigned i = 0; i < warp_size; i += lanes_per_vector) {
        const words p = words_at(x, i), q = words_at(y, i);
        put_words(result, i, below(p, q, flip) == words_of_mask(minimum, i) ? p : q);
    }
    put_row(row(w, op->destination), result, lanes_of(w, op, a));
    return op + 1;
}

/// Lanes where a < b; lanes_equal(): where they are equal.
lane_mask lanes_below(const word* a, const word* b, std::uint32_t flip) {
    return lanes_with_sign([=](unsigned i) { return below(words_at(a, i), words_at(b, i), flip); });
}
lane_mask lanes_equal(const word* a, const word* b) {
    return lanes_with_sign([=](unsigned i) { return words_at(a, i) == words_at(b, i); });
}

const operation* compare(warp& w, const operation* op, const comparison_arguments& a) {
    using order = comparison_arguments;
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const std::uint32_t flip = sign_flip(a.is_signed);
    lane_mask hit = 0;
    switch (a.holds_if) {
        case 0:
            break;
        case order::less:
            hit = lanes_below(x, y, flip);
            break;
        case order::equal:
            hit = a.extended ? 0 : lanes_equal(x, y);
            break;
        case order::less | order::equal:
            hit = a.extended ? lanes_below(x, y, flip) : ~lanes_below(y, x, flip);
            break;
        case order::greater:
            hit = lanes_below(y, x, flip);
            break;
        case order::less | order::greater:
            hit = ~lanes_equal(x, y);
            break;
        case order::greater | order::equal:
            hit = a.extended ? lanes_below(y, x, flip) : ~lanes_below(x, y, flip);
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
    const bool to_left = a.to_left, high_word = a.high_word, is_signed = a.is_signed;
    return map_words(w, op, a, [=](unsigned i) {
        const std::uint64_t pair = low[i] | std::uint64_t{high[i]} << 32;
        const std::uint32_t s = amount(i), within = s >= 64 ? 63 : s;
        const std::uint64_t r =
            is_signed && !to_left
                ? static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> within)
            : s >= 64 ? 0
            : to_left ? pair << within
                      : pair >> within;
        return static_cast<std::uint32_t>(high_word ? r >> 32 : r);
    });
}

/// PRMT of a warp. @param selectors  of the lanes from one on: one byte for each byte of the result
/// @param signs  whether bytes may be replaced by their signs
template <bool signs, class Selectors>
inline const operation* permute_bytes(warp& w, const operation* op, const permutation_arguments& a,
                                      Selectors&& selectors) {
    constexpr std::uint32_t ones = 0x01010101;
    const auto bytes_with = [=](words bits) { return (bits << 8) - bits; };  // 0 or 0xff
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[2]);
    alignas(64) word result[warp_size];
    for (unsigned i = 0; i < warp_size; i += lanes_per_vector) {
        const words chosen = selectors(i), index = chosen & 3 * ones, of_c = chosen << 5;
        words byte = bytes_of_lanes(words_at(x, i), index | (of_c & 0x80 * ones)) |
                     bytes_of_lanes(words_at(y, i), index | (~of_c & 0x80 * ones));
        if constexpr (signs) {
            const words replaced = bytes_with(chosen >> 3 & ones);
            byte = (byte & ~replaced) | (bytes_with(byte >> 7 & ones) & replaced);
        }
        put_words(result, i, byte);
    }
    put_row(row(w, op->destination), result, lanes_of(w, op, a));
    return op + 1;
}

const operation* permute(warp& w, const operation* op, const permutation_arguments& a) {
    const word* const how = row(w, op->source[1]);
    if (a.mode != 0) {
        const word *const x = row(w, op->source[0]), *const y = row(w, op->source[2]);
        return map_words(w, op, a,
                         [=](unsigned i) { return permuted(a.mode, x[i], y[i], how[i] & 3); });
    }
    // Four bits each, in the lower half of a word.
    const auto selectors = [](words h) {
        return (h & 15) | (h & 0xf0) << 4 | (h & 0xf00) << 8 | (h & 0xf000) << 12;
    };
    if (!is_uniform(how))
        return permute_bytes<true>(w, op, a,
                                   [=](unsigned i) { return selectors(words_at(how, i)); });
    const words same = selectors(words{} + how[0]);
    const auto of_all_lanes = [=](unsigned) { return same; };
    return (how[0] & 0x8888) != 0 ? permute_bytes<true>(w, op, a, of_all_lanes)
                                  : permute_bytes<false>(w, op, a, of_all_lanes);
}

const operation* select(warp& w, const operation* op, const selection_arguments& a) {
    const lane_mask first = value_of(w, a.first);
    const auto modified = [&](unsigned n, unsigned i) {
        const source_modifiers& m = a.source[n];
        return ((words_at(row(w, op->source[n]), i) & m.keep) ^ m.flip) + m.add;
    };
    alignas(64) word result[warp_size];
    for (unsigned i = 0; i < warp_size; i += lanes_per_vector)
        put_words(result, i, words_of_mask(first, i) ? modified(0, i) : modified(1, i));
    put_row(row(w, op->destination), result, lanes_of(w, op, a));
    return op + 1;
}

const operation* absolute(warp& w, const operation* op, const datapath_arguments& a) {
    const word* const x = row(w, op->source[0]);
    return map_words(w, op, a,
                     [=](unsigned i) { return (x[i] & 0x80000000u) != 0 ? 0u - x[i] : x[i]; });
}

const operation* count(warp& w, const operation* op, const unary_arguments& a) {
    const source_row source{row(w, op->source[0]), a.source};
    return map_words(w, op, a, [=](unsigned i) {  // which vectorises, unlike a call of popcount
        std::uint32_t x = source[i];
        x -= x >> 1 & 0x55555555u;
        x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0fu;
        x += x >> 8;
        return (x + (x >> 16)) & 63;
    });
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
    return map_words(w, op, a, [=](unsigned i) {
        std::uint32_t x = from[i];
        x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
        x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
        x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
        return __builtin_bswap32(x);
    });
}

const operation* extend(warp& w, const operation* op, const field_arguments& a) {
    const word *const x = row(w, op->source[0]), *const bits = row(w, op->source[1]);
    return map_words(w, op, a, [=](unsigned i) -> std::uint32_t {
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
    return map_words(w, op, a, [=](unsigned i) -> std::uint32_t {
        const std::uint32_t at = a.wraps ? from[i] & 31 : from[i];
        const std::uint32_t n = a.wraps ? bits[i] & 31 : bits[i];
        if (at >= 32) return 0;
        return (n >= 32 ? ~0u : (1u << n) - 1) << at;
    });
}

/// Joins two rows to double words. @param m  modifiers of doubles, which add nothing
inline void join_rows(const word* low, const word* high, source_modifiers m, double_word* to) {
    auto* const out = reinterpret_cast<word*>(to);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) {
        out[2 * i] = low[i];
        out[2 * i + 1] = (high[i] & m.keep) ^ m.flip;
    }
}

const operation* pack(warp& w, const operation* op, const double_arguments& a) {
    join_rows(row(w, op->source[0]), row(w, op->source[1]), a.high[0],
              double_row(w, op->destination));
    return op + 1;
}

const operation* unpack(warp& w, const operation* op, const datapath_arguments& a) {
    return put_double_row(w, op, lanes_of(w, op, a), double_row(w, op->source[0]));
}

/// Op::apply on doubles in pairs of rows.
template <class Op, std::size_t... I>
inline const operation* on_pairs(warp& w, const operation* op, const double_arguments& a,
                                 std::index_sequence<I...>) {
    alignas(64) double_word from[sizeof...(I)][warp_size], result[warp_size];
    (join_rows(row(w, op->list[2 * I]), row(w, op->list[2 * I + 1]), a.high[I], from[I]), ...);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) result[i] = Op::apply(std::uint64_t{from[I][i]}...);
    return put_double_row(w, op, w.lanes_of(op), result);
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
    word* const to = row(w, op->destination);
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t sum = low[i] + more[i];
        to[2 * i] = sum;
        to[2 * i + 1] = high[i] + more_high[i] + (sum < low[i] ? 1 : 0);
    }
    return op + 1;
}

/// Words and pairs of all lanes within the bank; other cases are handled elsewhere.
const operation* load_constant(warp& w, const operation* op, const indexed_constant_arguments& a) {
    if (w.pending != nullptr || a.width < 32 || lanes_of(w, op, a) != all_lanes)
        return machine_load_constant(w, op, a);
    const word* const index = row(w, op->source[0]);
    const bool uniform = is_uniform(index);
    const std::uint32_t offset = a.offset;
    std::uint32_t last = index[0] + offset;
    for (unsigned i = 1; !uniform && i < warp_size; ++i) last = std::max(last, index[i] + offset);
    if (last + a.width / 8ull > a.bank_bytes) return machine_load_constant(w, op, a);
    alignas(64) word at[warp_size];
    for (unsigned i = 0; i < warp_size; ++i) at[i] = index[i] + offset;
    const auto load = [&](operand_ref to, const std::byte* bytes) {
        word* const out = row(w, to);
        std::uint32_t first = 0;
        std::memcpy(&first, bytes + at[0], sizeof first);
        if (uniform)
            std::fill(out, out + warp_size, first);
        else
            for (unsigned i = 0; i < warp_size; ++i)
                std::memcpy(out + i, bytes + at[i], sizeof *out);
    };
    load(op->destination, w.at(op->source[1]));
    if (a.width == 64) load(op->destination2, w.at(op->source[1]) + 4);
    return op + 1;
}

const operation* generic_address(warp& w, const operation* op, const generic_address_arguments& a) {
    address(w, op);
    double_word* const to = double_row(w, op->destination);
    // The rank of a CTA of the cluster is in bits 24 and above.
    const word* const rank = row(w, operand_ref_in(bank::block, block_layout::cluster_ctarank));
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
    const word* const own = row(w, operand_ref_in(bank::block, block_layout::cluster_ctarank));
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
