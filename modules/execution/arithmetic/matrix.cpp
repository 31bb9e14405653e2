// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/matrix.h"

#include "modules/execution/arithmetic/bit_field.h"
#include "modules/execution/arithmetic/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simtlm::execution::arithmetic {
namespace {

constexpr unsigned max_n = 32;
constexpr unsigned max_float_elements = 512;     // of A or B, at most: m32n8k16
constexpr unsigned max_integer_elements = 2048;  // m16n8k128 of sparse 4-bit elements
constexpr unsigned max_results = 256;

/// Exponent that stands for a zero: below that of every product.
constexpr int no_exponent = -1000;

bool is_float(matrix_element element) {
    return element <= matrix_element::f64;
}

bool is_signed(matrix_element element) {
    return element == matrix_element::s8 || element == matrix_element::s4;
}

/// Calls visit with a function that makes a float of the bits of an element.
template <class Visit>
void with_float_decoder(matrix_element element, Visit visit) {
    switch (element) {
        case matrix_element::f16:
            return visit([](std::uint32_t bits) {
                return as_float(detail::widen_half<f16>(static_cast<std::uint16_t>(bits)));
            });
        case matrix_element::bf16:
            return visit([](std::uint32_t bits) { return as_float(bits << 16); });
        case matrix_element::tf32:  // the rest of the register is not read
            return visit([](std::uint32_t bits) { return as_float(bits & 0xffffe000); });
        default:
            return visit([](std::uint32_t bits) { return as_float(bits); });
    }
}

/// The exponent of a number as a format with the smallest normal exponent `lowest` stores it.
int exponent_of(double value, int lowest) {
    if (value == 0) return no_exponent;
    const int exponent = static_cast<int>(as_bits(value) >> 52 & 0x7ff) - 1023;
    return std::max(exponent, lowest);
}

int lowest_exponent(matrix_element element) {
    return element == matrix_element::f16 ? -14 : -126;
}

double power_of_two(int exponent) {
    return as_double(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Towards zero; |value| is below 2^31.
double cut(double value) {
    return static_cast<double>(static_cast<std::int32_t>(value));
}

/// Towards zero to f32; beyond its range, infinity.
double cut_to_f32(double value) {
    const float kept = as_float(detail::narrow_to_f32<rounding::zero>(value));
    return std::fabs(value) < 0x1p128 ? kept : value * std::numeric_limits<double>::infinity();
}

/// A factor matrix: the values, with 0 for what is not finite, and their exponents.
struct factor {
    std::array<double, max_float_elements> value;
    std::array<std::int32_t, max_float_elements> exponent;
    /// The values with infinities and NaN; meaningful if `special`.
    std::array<double, max_float_elements> original;
    bool special = false;
};

/// Flat indices of a fragment's elements, row by row and batch after batch, in the order of
/// for_elements().
std::vector<std::uint16_t> flatten(const matrix_fragment& fragment, unsigned rows,
                                   unsigned columns) {
    std::vector<std::uint16_t> indices;
    for (unsigned i = 0; i < fragment.per_lane(); ++i) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            const matrix_place& at = fragment.place(lane, i);
            indices.push_back(
                static_cast<std::uint16_t>((at.batch * rows + at.row) * columns + at.column));
        }
    }
    return indices;
}

using lane_words = std::array<std::uint32_t, warp_lanes>;

/// Calls visit(flat indices, bits) with element i of all lanes, for every i of a fragment.
template <class Visit>
void for_elements(const matrix_fragment& fragment, const std::uint16_t* index,
                  const std::uint32_t* const* registers, Visit visit) {
    const unsigned per_register = fragment.per_register(), bits = fragment.bits();
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (unsigned r = 0; r < fragment.registers(); ++r) {
        for (unsigned e = 0; e < per_register; ++e, index += warp_lanes) {
            lane_words element;
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                element[lane] = registers[r][lane] >> (e * bits) & mask;
            }
            visit(index, element);
        }
    }
}

/// Element i of all lanes into a factor matrix.
template <class Decode>
void set_floats(factor& to, const std::uint16_t* index, const lane_words& bits, Decode decode,
                int lowest) {
    std::array<double, warp_lanes> original, value;
    std::array<std::int32_t, warp_lanes> exponent;
    std::uint32_t special = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const std::uint32_t x = as_bits(decode(bits[lane]));
        const bool finite = (x & f32::exponent_mask) != f32::exponent_mask;
        const std::uint32_t kept = finite ? x : 0;
        special |= finite ? 0 : 1;
        original[lane] = as_float(x);
        value[lane] = as_float(kept);
        // Subnormals count as of the smallest normal exponent.
        const int stored = static_cast<int>(kept >> 23 & 0xff) - 127;
        const bool zero = (kept & f32::magnitude_mask) == 0;
        exponent[lane] = zero ? no_exponent : std::max(stored, lowest);
    }
    to.special = to.special || special != 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        to.original[index[lane]] = original[lane];
        to.value[index[lane]] = value[lane];
        to.exponent[index[lane]] = exponent[lane];
    }
}

void set_integers(std::int32_t* to, const std::uint16_t* index, const lane_words& bits,
                  matrix_element element) {
    const unsigned width = storage_bits(element);
    const bool extend = is_signed(element);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const auto at_top = static_cast<std::int32_t>(bits[lane] << (32 - width));
        to[index[lane]] = extend ? at_top >> (32 - width) : static_cast<std::int32_t>(bits[lane]);
    }
}

}  // namespace

/// The matrices of one instruction, out of their registers.
struct matrix_multiply::operands {
    factor a, b;
    std::array<std::int32_t, max_integer_elements> a_integer, b_integer;
    std::array<double, 4 * 256> c;  // and D, of floats
    std::array<std::uint32_t, 4 * 256> c_integer;
};

matrix_multiply::matrix_multiply(const matrix_description& description)
    : description_(description) {
    const auto& [m, n, k] = description.shape;
    const unsigned per_word = description.b == matrix_element::b1 ? 32 : 1;
    k_ = k / per_word;
    matrix_shape a_shape = description.shape;
    if (description.sparse) a_shape.k /= 2;
    const auto make = [&](matrix_shape shape, matrix_operand operand, matrix_element element,
                          matrix_layout layout) {
        return description.wmma ? wmma_fragment(shape, operand, element, layout)
                                : mma_fragment(shape, operand, element, layout);
    };
    a_ = make(a_shape, matrix_operand::a, description.a, description.a_layout);
    b_ = make(description.shape, matrix_operand::b, description.b, description.b_layout);
    c_ = make(description.shape, matrix_operand::c, description.c, matrix_layout::row);
    d_ = make(description.shape, matrix_operand::c, description.d, matrix_layout::row);
    const bool four = !description.wmma && description.a == matrix_element::f16 && m == 8 && n == 8;
    batches_ = four ? 4 : 1;
    a_index_ = flatten(a_, m, a_shape.k / per_word);
    b_index_ = flatten(b_, k_, n);
    c_index_ = flatten(c_, m, n);
    d_index_ = flatten(d_, m, n);
}

/// The column of the whole A that the stored column of a row stands for.
///
/// Each group of four columns (two of tf32, eight of 4-bit elements) has four bits of metadata: two
/// positions of two bits. A lane holds those of four groups for row lane / 4 in its low half, and
/// for row lane / 4 + 8 in its high half; neighbouring lanes hold the next groups. The selector
/// names the lane, or pair of lanes, of each four lanes that is read.
unsigned matrix_multiply::sparse_column(const std::uint32_t* metadata, unsigned row,
                                        unsigned stored) const {
    const unsigned bits = storage_bits(description_.a);
    const unsigned stored_per_group = bits == 32 ? 1 : bits == 4 ? 4 : 2;
    const unsigned group = stored / stored_per_group, within = stored % stored_per_group;
    const unsigned groups = k_ / (stored_per_group * 2);
    const unsigned lanes = std::max(1u, groups / 4);
    const unsigned lane = row % 8 * 4 + (description_.selector * lanes + group / 4) % 4;
    const unsigned code = metadata[lane] >> (row / 8 * 16 + group % 4 * 4) & 15;
    if (bits == 32) return group * 2 + (code >> 2 == 3 ? 1 : 0);  // 0b0100 or 0b1110
    if (bits == 4) return group * 8 + (code >> (within / 2 * 2) & 3) * 2 + within % 2;
    return group * 4 + (code >> (within * 2) & 3);
}

/// Of a sparse A, where the metadata put the stored elements.
void matrix_multiply::place_sparse(const std::uint32_t* metadata, std::uint16_t* index) const {
    const unsigned stored_k = k_ / 2;
    for (const std::uint16_t at : a_index_) {
        const unsigned row = at / stored_k, stored = at % stored_k;
        *index++ = static_cast<std::uint16_t>(row * k_ + sparse_column(metadata, row, stored));
    }
}

void matrix_multiply::gather_floats(operands& values, const std::uint16_t* a_index,
                                    const std::uint32_t* const* a, const std::uint32_t* const* b,
                                    const std::uint32_t* const* c) const {
    const int lowest = lowest_exponent(description_.a);
    with_float_decoder(description_.a, [&](auto decode) {
        for_elements(a_, a_index, a, [&](const std::uint16_t* index, const lane_words& bits) {
            set_floats(values.a, index, bits, decode, lowest);
        });
        for_elements(b_, b_index_.data(), b,
                     [&](const std::uint16_t* index, const lane_words& bits) {
                         set_floats(values.b, index, bits, decode, lowest);
                     });
    });
    with_float_decoder(description_.c, [&](auto decode) {
        for_elements(c_, c_index_.data(), c,
                     [&](const std::uint16_t* index, const lane_words& bits) {
                         for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                             values.c[index[lane]] = decode(bits[lane]);
                         }
                     });
    });
}

void matrix_multiply::gather_integers(operands& values, const std::uint16_t* a_index,
                                      const std::uint32_t* const* a, const std::uint32_t* const* b,
                                      const std::uint32_t* const* c) const {
    for_elements(a_, a_index, a, [&](const std::uint16_t* index, const lane_words& bits) {
        set_integers(values.a_integer.data(), index, bits, description_.a);
    });
    for_elements(b_, b_index_.data(), b, [&](const std::uint16_t* index, const lane_words& bits) {
        set_integers(values.b_integer.data(), index, bits, description_.b);
    });
    for_elements(c_, c_index_.data(), c, [&](const std::uint16_t* index, const lane_words& bits) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            values.c_integer[index[lane]] = bits[lane];
        }
    });
}

void matrix_multiply::gather(operands& values, const std::uint32_t* const* a,
                             const std::uint32_t* const* b, const std::uint32_t* const* c,
                             const std::uint32_t* metadata) const {
    const bool floats = is_float(description_.a);
    std::array<std::uint16_t, max_integer_elements / 2> sparse;
    if (description_.sparse) {
        place_sparse(metadata, sparse.data());
        const std::size_t all_of_a = std::size_t{description_.shape.m} * k_;
        if (floats) {
            std::fill_n(values.a.value.begin(), all_of_a, 0.0);
            std::fill_n(values.a.original.begin(), all_of_a, 0.0);
            std::fill_n(values.a.exponent.begin(), all_of_a, no_exponent);
        } else {
            std::fill_n(values.a_integer.begin(), all_of_a, 0);
        }
    }
    const std::uint16_t* a_index = description_.sparse ? sparse.data() : a_index_.data();
    if (floats) {
        gather_floats(values, a_index, a, b, c);
    } else {
        gather_integers(values, a_index, a, b, c);
    }
}

namespace {

/// Adds one group of products to the n accumulators of a row, at once.
template <unsigned n>
void accumulate_group(const double* a, const std::int32_t* a_exponent, const double* b,
                      const std::int32_t* b_exponent, unsigned products, int last_bit,
                      double* accumulator) {
    std::array<std::int32_t, n> largest;
    std::array<double, n> scale, sum;
    for (unsigned j = 0; j < n; ++j) largest[j] = exponent_of(accumulator[j], -126);
    for (unsigned p = 0; p < products; ++p) {
        for (unsigned j = 0; j < n; ++j) {
            largest[j] = std::max(largest[j], a_exponent[p] + b_exponent[p * n + j]);
        }
    }
    for (unsigned j = 0; j < n; ++j) {
        largest[j] = std::max(largest[j], -400);  // nothing but zeros
        scale[j] = power_of_two(last_bit - largest[j]);
        sum[j] = cut(accumulator[j] * scale[j]);
    }
    for (unsigned p = 0; p < products; ++p) {
        for (unsigned j = 0; j < n; ++j) sum[j] += cut(a[p] * b[p * n + j] * scale[j]);
    }
    for (unsigned j = 0; j < n; ++j) {
        const double result = cut_to_f32(sum[j] * power_of_two(largest[j] - last_bit));
        // After an overflow it stays infinite.
        accumulator[j] = std::isfinite(accumulator[j]) ? result : accumulator[j];
    }
}

using accumulate = void (*)(const double*, const std::int32_t*, const double*, const std::int32_t*,
                            unsigned, int, double*);
accumulate accumulate_of(unsigned n) {
    return n == 8 ? accumulate_group<8> : n == 16 ? accumulate_group<16> : accumulate_group<max_n>;
}

/// An element of D with infinity or NaN among its operands: the sum that IEEE arithmetic gives.
double special_sum(const double* a, const double* b, unsigned k, unsigned n, double sum) {
    for (unsigned p = 0; p < k; ++p) sum += a[p] * b[std::size_t{p} * n];
    return sum;
}

bool all_finite(const double* values, unsigned count, unsigned step) {
    for (unsigned i = 0; i < count; ++i) {
        if (!std::isfinite(values[std::size_t{i} * step])) return false;
    }
    return true;
}

}  // namespace

void matrix_multiply::multiply_floats(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    const int last_bit = 23 + static_cast<int>(description_.sum.extra_bits);
    const accumulate add_group = accumulate_of(n);
    for (unsigned batch = 0; batch < batches_; ++batch) {
        const std::size_t b_at = std::size_t{batch} * k * n;
        for (unsigned i = 0; i < m; ++i) {
            const std::size_t a_at = (std::size_t{batch} * m + i) * k;
            double* row = &values.c[(std::size_t{batch} * m + i) * n];
            std::array<double, max_n> sums;
            for (unsigned j = 0; j < n; ++j) sums[j] = std::isfinite(row[j]) ? row[j] : 0;
            for (unsigned p = 0; p < k; p += description_.sum.products) {
                const unsigned products = std::min(description_.sum.products, k - p);
                const std::size_t b_row = b_at + std::size_t{p} * n;
                add_group(&values.a.value[a_at + p], &values.a.exponent[a_at + p],
                          &values.b.value[b_row], &values.b.exponent[b_row], products, last_bit,
                          sums.data());
            }
            const bool look = values.a.special || values.b.special || !all_finite(row, n, 1);
            for (unsigned j = 0; j < n; ++j) {
                const bool special =
                    look && !(std::isfinite(row[j]) && all_finite(&values.a.original[a_at], k, 1) &&
                              all_finite(&values.b.original[b_at + j], k, n));
                row[j] = special ? special_sum(&values.a.original[a_at],
                                               &values.b.original[b_at + j], k, n, row[j])
                                 : sums[j];
            }
        }
    }
}

/// Sums of products fit into 32 bits; only the addition of C can leave them.
void matrix_multiply::multiply_integers(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    for (unsigned i = 0; i < m; ++i) {
        std::array<std::int32_t, max_n> sums{};
        for (unsigned p = 0; p < k; ++p) {
            const std::int32_t factor_a = values.a_integer[i * k + p];
            for (unsigned j = 0; j < n; ++j) sums[j] += factor_a * values.b_integer[p * n + j];
        }
        for (unsigned j = 0; j < n; ++j) {
            std::uint32_t& c = values.c_integer[i * n + j];
            const auto sum = static_cast<std::uint32_t>(sums[j]);
            c = description_.saturate ? add<s32, rounding::nearest, sat>::apply(c, sum) : c + sum;
        }
    }
}

void matrix_multiply::multiply_bits(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            std::uint32_t sum = values.c_integer[i * n + j];
            for (unsigned p = 0; p < k_; ++p) {
                const auto x = static_cast<std::uint32_t>(values.a_integer[i * k_ + p]);
                const auto y = static_cast<std::uint32_t>(values.b_integer[p * n + j]);
                sum += popc<b32>::apply(description_.bit_and ? x & y : x ^ y);
            }
            values.c_integer[i * n + j] = sum;
        }
    }
}

std::uint32_t matrix_multiply::float_result(double sum) const {
    constexpr auto near = rounding::nearest;
    const std::uint64_t bits = as_bits(sum);
    if (description_.d == matrix_element::f16) {
        return description_.saturate ? cvt<f16, f64, near, satfinite>::apply(bits)
                                     : cvt<f16, f64>::apply(bits);
    }
    return description_.saturate ? cvt<f32, f64, near, satfinite>::apply(bits)
                                 : cvt<f32, f64>::apply(bits);
}

void matrix_multiply::scatter(const operands& values, std::uint32_t* const* d) const {
    const bool floats = is_float(description_.a);
    const std::uint16_t* index = d_index_.data();
    for (unsigned r = 0; r < d_.registers(); ++r) {
        lane_words words{};
        for (unsigned e = 0; e < d_.per_register(); ++e, index += warp_lanes) {
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                words[lane] |=
                    (floats ? float_result(values.c[index[lane]]) : values.c_integer[index[lane]])
                    << (e * d_.bits());
            }
        }
        std::copy(words.begin(), words.end(), d[r]);
    }
}

void matrix_multiply::apply(const std::uint32_t* const* a, const std::uint32_t* const* b,
                            const std::uint32_t* const* c, std::uint32_t* const* d,
                            const std::uint32_t* metadata) const {
    operands values;  // left uninitialised: gather() fills what the shape has
    gather(values, a, b, c, metadata);
    if (is_float(description_.a)) {
        multiply_floats(values);
    } else if (description_.a == matrix_element::b1) {
        multiply_bits(values);
    } else {
        multiply_integers(values);
    }
    scatter(values, d);
}

namespace {

std::uint64_t fused(rounding mode, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    switch (mode) {
        case rounding::zero:
            return fma<f64, rounding::zero>::apply(a, b, c);
        case rounding::down:
            return fma<f64, rounding::down>::apply(a, b, c);
        case rounding::up:
            return fma<f64, rounding::up>::apply(a, b, c);
        default:
            return fma<f64>::apply(a, b, c);
    }
}

void gather64(const matrix_fragment& fragment, const std::vector<std::uint16_t>& indices,
              const std::uint64_t* const* registers, std::uint64_t* values) {
    std::size_t next = 0;
    for (unsigned r = 0; r < fragment.registers(); ++r) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            values[indices[next++]] = registers[r][lane];
        }
    }
}

}  // namespace

void matrix_multiply::apply(const std::uint64_t* const* a, const std::uint64_t* const* b,
                            const std::uint64_t* const* c, std::uint64_t* const* d) const {
    const auto& [m, n, k] = description_.shape;
    std::array<std::uint64_t, 256> left, right, sums;  // m16n8k16 at most
    gather64(a_, a_index_, a, left.data());
    gather64(b_, b_index_, b, right.data());
    gather64(c_, c_index_, c, sums.data());
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            std::uint64_t& sum = sums[i * n + j];
            for (unsigned p = 0; p < k; ++p) {
                sum = fused(description_.f64_rounding, left[i * k + p], right[p * n + j], sum);
            }
        }
    }
    std::size_t next = 0;
    for (unsigned r = 0; r < d_.registers(); ++r) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) d[r][lane] = sums[d_index_[next++]];
    }
}

}  // namespace simtlm::execution::arithmetic
