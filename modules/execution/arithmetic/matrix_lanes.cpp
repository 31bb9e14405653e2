// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets.
#include "modules/execution/arithmetic/matrix_lanes.h"

#include "modules/execution/arithmetic/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace {

constexpr unsigned max_n = max_columns(float_products);

/// Exponent of a zero: below that of every product.
constexpr std::int32_t no_exponent = -1000;

/// The f32 of a number of six bits.
template <unsigned fraction_bits, int bias>
std::uint32_t widen_small(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x1f, sign = (bits & 0x20) << 26;
    constexpr float last_bit = 1.0f / static_cast<float>(1u << (fraction_bits + bias - 1));
    const std::uint32_t normal =
        (magnitude << (23 - fraction_bits)) + (static_cast<std::uint32_t>(127 - bias) << 23);
    const std::uint32_t small = as_bits(static_cast<float>(magnitude) * last_bit);
    return sign | (magnitude < 1u << fraction_bits ? small : normal);
}

/// Calls visit with a function that converts the bits of an element to those of an f32.
template <class Visit>
void with_decoder(matrix_element element, Visit visit) {
    switch (element) {
        case matrix_element::f16:
            return visit([](std::uint32_t bits) {
                return detail::widen_half<f16>(static_cast<std::uint16_t>(bits));
            });
        case matrix_element::bf16:
            return visit([](std::uint32_t bits) { return bits << 16; });
        case matrix_element::e5m2:  // the upper half of an f16
            return visit([](std::uint32_t bits) {
                return detail::widen_half<f16>(static_cast<std::uint16_t>(bits << 8));
            });
        case matrix_element::e4m3:
            return visit([](std::uint32_t bits) {
                const std::uint32_t magnitude = bits & 0x7f, sign = (bits & 0x80) << 24;
                const std::uint32_t normal = (magnitude << 20) + (120u << 23);
                const std::uint32_t small = as_bits(static_cast<float>(magnitude) * 0x1p-9f);
                const std::uint32_t value = magnitude < 8 ? small : normal;
                return sign | (magnitude == 0x7f ? 0x7fc00000u : value);
            });
        // Numbers with a bias of 1 or 3 and without infinities: those of an f32 at that exponent.
        case matrix_element::e2m3:
            return visit([](std::uint32_t bits) { return widen_small<3, 1>(bits); });
        case matrix_element::e3m2:
            return visit([](std::uint32_t bits) { return widen_small<2, 3>(bits); });
        case matrix_element::e2m1:
            return visit([](std::uint32_t bits) { return widen_small<3, 1>(bits << 2); });
        case matrix_element::tf32:  // the other bits of the register are ignored
            return visit([](std::uint32_t bits) { return bits & 0xffffe000; });
        default:
            return visit([](std::uint32_t bits) { return bits; });
    }
}

/// A factor matrix: the values, with 0 for those that are not finite, and their exponents as stored
/// in the format: subnormals have the smallest normal exponent.
template <matrix_operand operand>
struct factor {
    static constexpr unsigned most = max_elements(float_products, operand);
    alignas(64) float value[most];
    alignas(64) std::int32_t exponent[most];
    bool special = false;  ///< whether it has an infinity or NaN
};

/// The exponent of subnormal numbers.
std::int32_t lowest_exponent(matrix_element element) {
    switch (element) {
        case matrix_element::f16:
        case matrix_element::e5m2:
            return -14;
        case matrix_element::e4m3:
            return -6;
        case matrix_element::e3m2:
            return -2;
        case matrix_element::e2m3:
        case matrix_element::e2m1:
            return 0;
        default:
            return -126;
    }
}

template <matrix_operand operand>
void decode_factor(matrix_element element, const std::uint32_t* bits, unsigned count,
                   factor<operand>& to) {
    const std::int32_t lowest = lowest_exponent(element);
    std::uint32_t special = 0;
    with_decoder(element, [&](auto decode) {
        for (unsigned i = 0; i < count; ++i) {
            const std::uint32_t x = decode(bits[i]);
            const bool finite = (x & f32::exponent_mask) != f32::exponent_mask;
            const std::uint32_t kept = finite ? x : 0;
            special |= finite ? 0 : 1;
            to.value[i] = as_float(kept);
            const std::int32_t stored = static_cast<std::int32_t>(kept >> 23 & 0xff) - 127;
            const bool zero = (kept & f32::magnitude_mask) == 0;
            to.exponent[i] = zero ? no_exponent : std::max(stored, lowest);
        }
    });
    to.special = special != 0;
}

/// The exponent of an f32.
std::int32_t exponent_of(float value) {
    const std::uint32_t magnitude = as_bits(value) & f32::magnitude_mask;
    const std::int32_t exponent =
        std::max(static_cast<std::int32_t>(magnitude >> 23) - 127, std::int32_t{-126});
    return magnitude == 0 ? no_exponent : exponent;
}

double power_of_two(std::int32_t exponent) {
    return as_double(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Truncates; |value| must be below 2^31.
double cut(double value) {
    return static_cast<double>(static_cast<std::int32_t>(value));
}

/// Truncates to f32; values beyond its range become infinity.
float cut_to_f32(double value) {
    const std::uint32_t bits = detail::narrow_to_f32<rounding::zero>(value);
    const std::uint32_t infinite = (bits & f32::sign_bit) | f32::infinity;
    return as_float(std::fabs(value) < 0x1p128 ? bits : infinite);
}

/// One step of a tensor core on the n accumulators of a row.
struct step {
    const float* a;
    const std::int32_t* a_exponent;
    const float* b;
    const std::int32_t* b_exponent;
    unsigned products;
    std::int32_t last_bit;
};

/// Products of any format, in f64.
template <unsigned n>
void add_step(const step& s, float* accumulator) {
    alignas(64) std::int32_t largest[n];
    alignas(64) double scale[n], sum[n];
    for (unsigned j = 0; j < n; ++j) largest[j] = exponent_of(accumulator[j]);
    for (unsigned p = 0; p < s.products; ++p)
        for (unsigned j = 0; j < n; ++j)
            largest[j] = std::max(largest[j], s.a_exponent[p] + s.b_exponent[p * n + j]);
    for (unsigned j = 0; j < n; ++j) {
        largest[j] = std::max(largest[j], std::int32_t{-400});  // only zeros
        scale[j] = power_of_two(s.last_bit - largest[j]);
        sum[j] = cut(accumulator[j] * scale[j]);
    }
    for (unsigned p = 0; p < s.products; ++p) {
        const double a = s.a[p];
        for (unsigned j = 0; j < n; ++j)
            sum[j] += cut(a * static_cast<double>(s.b[p * n + j]) * scale[j]);
    }
    for (unsigned j = 0; j < n; ++j) {
        const float result = cut_to_f32(sum[j] * power_of_two(largest[j] - s.last_bit));
        // After an overflow the accumulator stays infinite.
        accumulator[j] = std::fabs(accumulator[j]) <= std::numeric_limits<float>::max()
                             ? result
                             : accumulator[j];
    }
}

/// n numbers in host vector registers.
template <class Number, unsigned n>
struct vector_of {
    typedef Number type __attribute__((vector_size(n * sizeof(Number))));
};

/// Products of f16, whose 22 bits fit in an f32, and which are 0 or at least 2^-48: products in
/// f32, sums in integers. At most 16 products, truncated at 24 bits below the largest.
template <unsigned n>
void add_half_step(const step& s, float* accumulator) {
    using floats = typename vector_of<float, n>::type;
    using integers = typename vector_of<std::int32_t, n>::type;
    constexpr auto magnitude_mask = static_cast<std::int32_t>(f32::magnitude_mask);
    floats before, b;
    integers b_exponent;
    std::memcpy(&before, accumulator, sizeof before);
    integers products = integers{} + 2 * no_exponent;
    for (unsigned p = 0; p < s.products; ++p) {
        std::memcpy(&b_exponent, s.b_exponent + p * n, sizeof b_exponent);
        const integers exponent = b_exponent + s.a_exponent[p];
        products = exponent > products ? exponent : products;
    }
    const integers magnitude = reinterpret_cast<integers>(before) & magnitude_mask;
    const integers stored = (magnitude >> 23) - 127;
    // Below 2^-64 there are no products, and the accumulator is unchanged.
    const integers own = stored < -64 ? integers{} - 64 : stored;
    const integers largest = products > own ? products : own;
    const integers scale_bits = (s.last_bit + 127 - largest) << 23;
    const floats scale = reinterpret_cast<floats>(scale_bits);
    integers sum = __builtin_convertvector(before * scale, integers);
    for (unsigned p = 0; p < s.products; ++p) {
        std::memcpy(&b, s.b + p * n, sizeof b);
        sum += __builtin_convertvector(b * s.a[p] * scale, integers);
    }
    // Conversion to f32 with truncation: a value that was rounded away from zero is replaced by its
    // neighbour.
    floats nearest = __builtin_convertvector(sum, floats);
    const integers back = __builtin_convertvector(nearest, integers);
    const integers outwards = (sum < 0 ? back - sum : sum - back) >> 31;  // 0 or -1
    integers cut_bits = reinterpret_cast<integers>(nearest) + outwards;
    const integers unscale_bits = (largest - s.last_bit + 127) << 23;
    floats result = reinterpret_cast<floats>(cut_bits) * reinterpret_cast<floats>(unscale_bits);
    result = products < -100 ? before + 0.0f : result;  // avoids negative zero
    // After an overflow an accumulator stays infinite.
    result = magnitude >= static_cast<std::int32_t>(f32::infinity) ? before : result;
    std::memcpy(accumulator, &result, sizeof result);
}

using add_function = void (*)(const step&, float*);
add_function add_function_of(const matrix_description& d) {
    const unsigned n = d.shape.n;
    const bool halves = d.a == matrix_element::f16 && d.b == matrix_element::f16 &&
                        d.sum.products <= 16 && d.sum.extra_bits <= 1;
    if (halves)
        return n == 8 ? add_half_step<8> : n == 16 ? add_half_step<16> : add_half_step<max_n>;
    return n == 8 ? add_step<8> : n == 16 ? add_step<16> : add_step<max_n>;
}

/// Computes the elements of D with an infinity or a NaN among their operands: the sums of IEEE
/// arithmetic.
void sum_specials(const float_product& product, unsigned batch, unsigned row, const double* before,
                  double* sums) {
    // C++17 lambdas do not capture structured bindings.
    const matrix_shape& shape = product.description->shape;
    const unsigned n = shape.n, k = shape.k;
    const std::uint32_t* const a = product.a + (std::size_t{batch} * shape.m + row) * k;
    const std::uint32_t* const b = product.b + std::size_t{batch} * k * n;
    const auto number = [](matrix_element element, std::uint32_t bits) {
        double value = 0;
        with_decoder(element, [&](auto decode) { value = as_float(decode(bits)); });
        return value;
    };
    for (unsigned j = 0; j < n; ++j) {
        bool finite = std::isfinite(before[j]);
        double sum = before[j];
        for (unsigned p = 0; p < k; ++p) {
            const double x = number(product.description->a, a[p]),
                         y = number(product.description->b, b[p * n + j]);
            finite = finite && std::isfinite(x) && std::isfinite(y);
            sum += x * y;
        }
        if (!finite) sums[j] = sum;
    }
}

void round_to_half(bool saturate, float* sums, unsigned n) {
    for (unsigned j = 0; j < n; ++j) {
        const std::uint32_t bits = as_bits(sums[j]);
        const std::uint16_t half = saturate
                                       ? cvt<f16, f32, rounding::nearest, satfinite>::apply(bits)
                                       : cvt<f16, f32>::apply(bits);
        sums[j] = as_float(detail::widen_half<f16>(half));
    }
}

void multiply(const float_product& product) {
    const matrix_description& d = *product.description;
    const auto& [m, n, k] = d.shape;
    factor<matrix_operand::a> a;
    factor<matrix_operand::b> b;
    decode_factor(d.a, product.a, product.batches * m * k, a);
    decode_factor(d.b, product.b, product.batches * k * n, b);
    const add_function add = add_function_of(d);
    step s{};
    s.last_bit = 23 + d.sum.extra_bits;
    const bool rounds = d.c == matrix_element::f16 && d.d == matrix_element::f16 && d.step != 0;
    for (unsigned batch = 0; batch < product.batches; ++batch) {
        for (unsigned i = 0; i < m; ++i) {
            double* const row = product.sums + (std::size_t{batch} * m + i) * n;
            alignas(64) float sums[max_n];
            alignas(64) double before[max_n];
            bool special = a.special || b.special;
            for (unsigned j = 0; j < n; ++j) {
                const bool finite = std::isfinite(row[j]);
                special = special || !finite;
                before[j] = row[j];
                sums[j] = finite ? static_cast<float>(row[j]) : 0;
            }
            for (unsigned p = 0; p < k; p += d.sum.products) {
                const std::size_t a_at = (std::size_t{batch} * m + i) * k + p;
                const std::size_t b_at = (std::size_t{batch} * k + p) * n;
                s.a = a.value + a_at;
                s.a_exponent = a.exponent + a_at;
                s.b = b.value + b_at;
                s.b_exponent = b.exponent + b_at;
                s.products = std::min(d.sum.products, k - p);
                add(s, sums);
                const unsigned done = p + s.products;
                if (rounds && done % d.step == 0 && done < k) round_to_half(d.saturate, sums, n);
            }
            for (unsigned j = 0; j < n; ++j) row[j] = sums[j];
            if (special) sum_specials(product, batch, i, before, row);
        }
    }
}

void gather(const std::int32_t* word, const std::uint32_t* shift, std::uint32_t mask,
            unsigned count, const std::uint32_t* words, std::uint32_t* to) {
    for (unsigned i = 0; i < count; ++i) to[i] = words[word[i]] >> shift[i] & mask;
}

void decode(matrix_element element, const std::uint32_t* bits, unsigned count, double* to) {
    with_decoder(element, [&](auto decode_one) {
        for (unsigned i = 0; i < count; ++i) to[i] = as_float(decode_one(bits[i]));
    });
}

template <class Type, modifiers Flags>
void encode_as(const double* sums, unsigned count, std::uint32_t* to) {
    for (unsigned i = 0; i < count; ++i)
        to[i] = cvt<Type, f64, rounding::nearest, Flags>::apply(as_bits(sums[i]));
}

void encode(matrix_element element, bool saturate, const double* sums, unsigned count,
            std::uint32_t* to) {
    if (element == matrix_element::f16)
        return saturate ? encode_as<f16, satfinite>(sums, count, to)
                        : encode_as<f16, plain>(sums, count, to);
    return saturate ? encode_as<f32, satfinite>(sums, count, to)
                    : encode_as<f32, plain>(sums, count, to);
}

}  // namespace

const matrix_functions& functions_of_target();
const matrix_functions& functions_of_target() {
    static constexpr matrix_functions functions{gather, decode, multiply, encode};
    return functions;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
