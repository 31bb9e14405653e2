// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/convert.h"
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/thread_block.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simtlm::execution {

namespace {

/// The value of a half. @param bfloat  bf16 instead of f16
float number_of(std::uint32_t half, bool bfloat, bool flushes) {
    namespace values = arithmetic;
    const auto bits = static_cast<std::uint16_t>(half);
    if (flushes && !bfloat && (bits & 0x7c00) == 0) return 0;
    return values::as_float(bfloat ? values::detail::widen_half<values::bf16>(bits)
                                   : values::detail::widen_half<values::f16>(bits));
}

/// Comparisons of machine code: 1 less, 2 equal, 4 greater; 8: also true if either is NaN.
bool holds(unsigned comparison, float a, float b) {
    const bool unordered = a != a || b != b;
    constexpr unsigned ordered_mask = 7;
    if (unordered) return (comparison & 8) != 0;
    const unsigned how = a < b ? 1 : a == b ? 2 : 4;
    return (comparison & ordered_mask & how) != 0;
}

/// Results of the comparison of the low and the high halves, by lane.
struct half_masks {
    lane_mask low = 0, high = 0;
};
half_masks compare(const warp& w, const operation* op, const half_comparison_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    half_masks m;
    for (unsigned i = 0; i < warp_size; ++i) {
        const auto one = [&](unsigned shift) {
            return holds(a.holds_if, number_of(x[i] >> shift & 0xffff, a.bfloat, a.flushes),
                         number_of(y[i] >> shift & 0xffff, a.bfloat, a.flushes));
        };
        m.low |= static_cast<lane_mask>(one(0)) << i;
        m.high |= static_cast<lane_mask>(one(16)) << i;
    }
    return m;
}

}  // namespace

static const operation* half_source(warp& w, const operation* op, const half_source_arguments& a) {
    using half = half_source_arguments::half;
    const word* const from = row(w, op->source[0]);
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t x = from[i];
        const std::uint32_t chosen = a.selected == half::low       ? (x & 0xffff) | x << 16
                                     : a.selected == half::high    ? (x >> 16) | (x & 0xffff0000u)
                                     : a.selected == half::crossed ? ((x >> 16) ^ 0x8000) | x << 16
                                                                   : x;
        to[i] = (chosen & a.modifiers.keep) ^ a.modifiers.flip;
    }
    return op + 1;
}
const machine_handler<half_source_arguments> machine_half_source = handler_of<half_source>();

namespace {
/// Rounds an exact number, or one with a sticky last bit, to half precision.
template <class Half>
std::uint32_t rounded_half(double value, const mixed_half_arguments& a) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::uint32_t half = arithmetic::cvt<Half, arithmetic::f64>::apply(bits);
    constexpr std::uint32_t sign = 0x8000, magnitude = 0x7fff;
    constexpr std::uint32_t infinity = std::is_same_v<Half, arithmetic::bf16> ? 0x7f80 : 0x7c00;
    constexpr std::uint32_t smallest = std::is_same_v<Half, arithmetic::bf16> ? 0x80 : 0x400;
    constexpr std::uint32_t one = std::is_same_v<Half, arithmetic::bf16> ? 0x3f80 : 0x3c00;
    const bool is_nan = (half & magnitude) > infinity;
    if (a.flushes && (half & magnitude) < smallest) half &= sign;
    if (a.saturates) half = is_nan || (half & sign) != 0 ? 0 : half > one ? one : half;
    if (a.clamps_negative && !is_nan && (half & sign) != 0) half = 0;
    return half;
}

/// a + b rounded to odd: the last bit is set if the sum is inexact.
double add_to_odd(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return sum;
    const double b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
    std::uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || (bits & 1) != 0) return sum;
    // Step towards the exact value: that neighbour is odd.
    return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}
}  // namespace

static const operation* mixed_half(warp& w, const operation* op, const mixed_half_arguments& a) {
    using form = mixed_half_arguments::form;
    const word* const sources[3] = {row(w, op->source[0]), row(w, op->source[1]),
                                    row(w, op->source[2])};
    const auto value = [&](unsigned n, unsigned i, unsigned shift) -> double {
        return number_of(sources[n][i] >> shift & 0xffff, a.bfloat, a.flushes);
    };
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) {
        std::uint32_t result = 0;
        for (unsigned shift = 0; shift < 32; shift += 16) {
            const double p = value(0, i, shift), q = value(1, i, shift);
            // Products have at most 22 significant bits.
            double x = a.computes == form::sum ? add_to_odd(p, q) : p * q;
            if (a.zero_dominates && a.computes != form::sum && (p == 0 || q == 0)) x = 0;
            if (a.computes == form::product_sum) x = add_to_odd(x, value(2, i, shift));
            result |= (a.bfloat ? rounded_half<arithmetic::bf16>(x, a)
                                : rounded_half<arithmetic::f16>(x, a))
                      << shift;
        }
        return result;
    });
}
const machine_handler<mixed_half_arguments> machine_mixed_half = handler_of<mixed_half>();

static const operation* half_compare(warp& w, const operation* op,
                                     const half_comparison_arguments& a) {
    half_masks m = compare(w, op, a);
    if (a.both_halves) {
        m.low &= m.high;
        m.high = ~m.low;
    }
    write_combined(w, a.outcome, w.lanes_of(op), m.low, m.high);
    return op + 1;
}
const machine_handler<half_comparison_arguments> machine_half_compare = handler_of<half_compare>();

static const operation* half_set(warp& w, const operation* op, const half_comparison_arguments& a) {
    const half_masks m = compare(w, op, a);
    const lane_mask other = value_of(w, a.outcome.with);
    const lane_mask low = combined(a.outcome, m.low, other),
                    high = combined(a.outcome, m.high, other);
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) {
        return ((low >> i & 1) != 0 ? a.true_value & 0xffff : 0) |
               ((high >> i & 1) != 0 ? a.true_value & 0xffff0000u : 0);
    });
}
const machine_handler<half_comparison_arguments> machine_half_set = handler_of<half_set>();

static const operation* dot_product(warp& w, const operation* op, const dot_product_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const source_row addend{row(w, op->source[2]), a.addend};
    // Four products of bytes, or two products of halves of A and bytes of B.
    const auto byte_of = [](std::uint32_t whole, unsigned n, bool is_signed) {
        const std::uint32_t v = whole >> (8 * n) & 0xff;
        return static_cast<std::int32_t>(is_signed && v >= 0x80 ? v | 0xffffff00u : v);
    };
    const auto half_of = [](std::uint32_t whole, unsigned n, bool is_signed) {
        const std::uint32_t v = whole >> (16 * n) & 0xffff;
        return static_cast<std::int32_t>(is_signed && v >= 0x8000 ? v | 0xffff0000u : v);
    };
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) {
        std::uint32_t sum = addend[i];
        if (a.width == 8)
            for (unsigned n = 0; n < 4; ++n)
                sum += static_cast<std::uint32_t>(byte_of(x[i], n, a.a_signed) *
                                                  byte_of(y[i], n, a.b_signed));
        else
            for (unsigned n = 0; n < 2; ++n)
                sum += static_cast<std::uint32_t>(
                    half_of(x[i], n, a.a_signed) *
                    byte_of(y[i], n + (a.high_bytes ? 2 : 0), a.b_signed));
        return sum;
    });
}
const machine_handler<dot_product_arguments> machine_dot_product = handler_of<dot_product>();

static const operation* differences(warp& w, const operation* op, const difference_arguments& a) {
    const word *const p = row(w, op->source[0]), *const q = row(w, op->source[1]);
    const word* const addend = row(w, op->source[2]);
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) {
        if (a.width == 32) {
            const std::uint32_t bias = a.is_signed ? 0x80000000u : 0;
            const std::uint32_t x = p[i] ^ bias, y = q[i] ^ bias;
            return (x > y ? x - y : y - x) + addend[i];
        }
        const std::uint32_t bias = a.is_signed ? 0x80u : 0;
        std::uint32_t packed = 0, sum = addend[i];
        for (unsigned n = 0; n < 4; ++n) {
            const std::uint32_t x = (p[i] >> (8 * n) & 0xff) ^ bias;
            const std::uint32_t y = (q[i] >> (8 * n) & 0xff) ^ bias;
            const std::uint32_t difference = x > y ? x - y : y - x;
            packed |= difference << (8 * n);
            sum += difference;
        }
        return a.sums ? sum : packed;
    });
}
const machine_handler<difference_arguments> machine_differences = handler_of<differences>();

static const operation* pack_integers(warp& w, const operation* op, const packing_arguments& a) {
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]),
                      *const z = row(w, op->source[2]);
    const unsigned bits = a.width;
    const std::int64_t most = (std::int64_t{1} << (a.is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = a.is_signed ? -most - 1 : 0;
    const auto narrow = [&](std::uint32_t word_of_source) {
        std::int64_t v = static_cast<std::int32_t>(word_of_source);
        if (a.saturates) v = std::min(std::max(v, least), most);
        return static_cast<std::uint32_t>(v) & ((1u << bits) - 1);
    };
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) {
        const std::uint32_t pair = narrow(x[i]) << bits | narrow(y[i]);
        return bits == 16 ? pair : pair | z[i] << 2 * bits;
    });
}
const machine_handler<packing_arguments> machine_pack_integers = handler_of<pack_integers>();

/// Minima or maxima of the parts of a word. @tparam bits  of a part
template <unsigned bits>
static const operation* extremum_of_parts(warp& w, const operation* op,
                                          const extremum_arguments& a) {
    constexpr std::uint32_t mask = (1u << bits) - 1;
    const word *const p = row(w, op->source[0]), *const q = row(w, op->source[1]);
    const lane_mask minimum = value_of(w, a.minimum);
    const std::uint32_t bias = a.is_signed ? 1u << (bits - 1) : 0;
    return map_words(w, op, a, [&](unsigned i) {
        std::uint32_t r = 0;
        for (unsigned shift = 0; shift < 32; shift += bits) {
            const std::uint32_t x = p[i] >> shift & mask, y = q[i] >> shift & mask;
            const bool less = (x ^ bias) < (y ^ bias);
            r |= (less == ((minimum >> i & 1) != 0) ? x : y) << shift;
        }
        return r;
    });
}
const machine_handler<extremum_arguments> machine_extremum16 = handler_of<extremum_of_parts<16>>();
const machine_handler<extremum_arguments> machine_extremum8 = handler_of<extremum_of_parts<8>>();

/// Sums of the parts of two words. Modifiers are negations of all parts. @tparam bits  of a part
template <unsigned bits>
static const operation* add_parts(warp& w, const operation* op, const sum_arguments& a) {
    constexpr std::uint32_t mask = (1u << bits) - 1;
    const word *const x = row(w, op->source[0]), *const y = row(w, op->source[1]);
    const auto part = [&](std::uint32_t all, unsigned n, unsigned shift) {
        const std::uint32_t v = all >> shift & mask;
        return a.source[n].flip != 0 ? 0u - v : v;
    };
    return map_words(w, op, a, [&](unsigned i) {
        std::uint32_t r = 0;
        for (unsigned shift = 0; shift < 32; shift += bits)
            r |= ((part(x[i], 0, shift) + part(y[i], 1, shift)) & mask) << shift;
        return r;
    });
}
const machine_handler<sum_arguments> machine_add16 = handler_of<add_parts<16>>();
const machine_handler<sum_arguments> machine_add8 = handler_of<add_parts<8>>();

static const operation* clamp_negative(warp& w, const operation* op, const clamp_arguments& a) {
    const word* const from = row(w, op->source[0]);
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) -> std::uint32_t {
        if (a.width == 32) return (from[i] >> 31) != 0 ? 0 : from[i];
        return ((from[i] & 0x8000u) != 0 ? 0 : from[i] & 0xffffu) |
               ((from[i] >> 31) != 0 ? 0 : from[i] & 0xffff0000u);
    });
}
const machine_handler<clamp_arguments> machine_clamp_negative = handler_of<clamp_negative>();

const operation* machine_load_matrices(warp& w, const operation* op) {
    note_matrix_rows(w, op);
    return load_matrices(w, op);
}

const operation* machine_expand_matrix(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    const word* const from = row(w, op->source[0]);
    constexpr unsigned per_word = 8, in_result = 4;
    alignas(64) std::uint32_t to[2][warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((lanes >> lane & 1) != 0 && (from[lane] & 0x88888888) != 0)
            w.block->fail(w, op, lane, "MOVM.U4TO8 of a number above 7: its extension is not known",
                          "run its PTX instead", fault_kind::illegal_instruction);
        for (unsigned half = 0; half < 2; ++half) {
            std::uint32_t bytes = 0;
            for (unsigned n = 0; n < in_result; ++n) {
                const unsigned column = half * 16 + lane % 4 * in_result + n;
                const word packed = from[lane / 4 * 4 + column / per_word];
                bytes |= (packed >> column % per_word * 4 & 15) << n * 8;
            }
            to[half][lane] = bytes;
        }
    }
    const operand_ref results[] = {op->destination, op->destination2};
    for (unsigned half = 0; half < 2; ++half)
        blend(lanes_at<std::uint32_t>(w, results[half]),
              reinterpret_cast<const lane_type<std::uint32_t>*>(to[half]), lanes);
    return op + 1;
}

}  // namespace simtlm::execution
