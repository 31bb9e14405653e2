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

/// An element of A or B as a double.
double float_value(matrix_element element, std::uint32_t bits) {
    switch (element) {
        case matrix_element::f16:
            return as_float(detail::widen_half<f16>(static_cast<std::uint16_t>(bits)));
        case matrix_element::bf16:
            return as_float(detail::widen_half<bf16>(static_cast<std::uint16_t>(bits)));
        case matrix_element::tf32:
            return as_float(bits & 0xffffe000);  // the rest is not read
        default:
            return as_float(bits);
    }
}

int integer_value(matrix_element element, std::uint32_t bits) {
    const unsigned width = storage_bits(element);
    if (!is_signed(element)) return static_cast<int>(bits);
    return static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width);
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

    void set(std::size_t index, matrix_element element, std::uint32_t bits) {
        const double x = float_value(element, bits);
        const bool finite = std::isfinite(x);
        special = special || !finite;
        original[index] = x;
        value[index] = finite ? x : 0;
        exponent[index] = exponent_of(value[index], lowest_exponent(element));
    }
};

/// Flat indices of a fragment's elements: row by row, batch after batch.
std::vector<std::uint16_t> flatten(const matrix_fragment& fragment, unsigned rows,
                                   unsigned columns) {
    std::vector<std::uint16_t> indices;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned i = 0; i < fragment.per_lane(); ++i) {
            const matrix_place& at = fragment.place(lane, i);
            indices.push_back(
                static_cast<std::uint16_t>((at.batch * rows + at.row) * columns + at.column));
        }
    }
    return indices;
}

/// Calls visit(flat index, bits, lane, element) for every element of a fragment.
template <class Visit>
void for_elements(const matrix_fragment& fragment, const std::vector<std::uint16_t>& indices,
                  const std::uint32_t* const* registers, Visit visit) {
    const unsigned per_register = fragment.per_register(), bits = fragment.bits();
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    std::size_t next = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned r = 0; r < fragment.registers(); ++r) {
            const std::uint32_t word = registers[r][lane];
            for (unsigned e = 0; e < per_register; ++e) {
                visit(indices[next++], word >> (e * bits) & mask, lane);
            }
        }
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

void matrix_multiply::gather(operands& values, const std::uint32_t* const* a,
                             const std::uint32_t* const* b, const std::uint32_t* const* c,
                             const std::uint32_t* metadata) const {
    const matrix_element a_type = description_.a, b_type = description_.b;
    const bool floats = is_float(a_type);
    const unsigned stored_k = description_.sparse ? k_ / 2 : k_;
    if (description_.sparse) {
        const std::size_t all = std::size_t{description_.shape.m} * k_;
        std::fill_n(values.a_integer.begin(), all, 0);
        for (std::size_t i = 0; floats && i < all; ++i) values.a.set(i, a_type, 0);
    }
    for_elements(a_, a_index_, a, [&](std::size_t index, std::uint32_t bits, unsigned) {
        if (description_.sparse) {
            const auto row = static_cast<unsigned>(index / stored_k);
            const auto stored = static_cast<unsigned>(index % stored_k);
            index = std::size_t{row} * k_ + sparse_column(metadata, row, stored);
        }
        if (floats) {
            values.a.set(index, a_type, bits);
        } else {
            values.a_integer[index] = integer_value(a_type, bits);
        }
    });
    for_elements(b_, b_index_, b, [&](std::size_t index, std::uint32_t bits, unsigned) {
        if (floats) {
            values.b.set(index, b_type, bits);
        } else {
            values.b_integer[index] = integer_value(b_type, bits);
        }
    });
    for_elements(c_, c_index_, c, [&](std::size_t index, std::uint32_t bits, unsigned) {
        if (floats) {
            values.c[index] = float_value(description_.c, bits);
        } else {
            values.c_integer[index] = bits;
        }
    });
}

namespace {

/// Adds one group of products to the accumulators of a row, at once.
void accumulate_group(const double* a, const std::int32_t* a_exponent, const double* b,
                      const std::int32_t* b_exponent, unsigned products, unsigned n, int last_bit,
                      double* accumulator) {
    std::array<std::int32_t, max_n> largest;
    std::array<double, max_n> scale, sum;
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
                accumulate_group(&values.a.value[a_at + p], &values.a.exponent[a_at + p],
                                 &values.b.value[b_row], &values.b.exponent[b_row], products, n,
                                 last_bit, sums.data());
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

void matrix_multiply::multiply_integers(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            std::int64_t sum = static_cast<std::int32_t>(values.c_integer[i * n + j]);
            for (unsigned p = 0; p < k; ++p) {
                sum += std::int64_t{values.a_integer[i * k + p]} * values.b_integer[p * n + j];
            }
            if (description_.saturate) {
                sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                               std::numeric_limits<std::int32_t>::max());
            }
            values.c_integer[i * n + j] = static_cast<std::uint32_t>(sum);
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
    const unsigned per_register = d_.per_register();
    std::size_t next = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned r = 0; r < d_.registers(); ++r) {
            std::uint32_t word = 0;
            for (unsigned e = 0; e < per_register; ++e) {
                const std::size_t index = d_index_[next++];
                word |= (floats ? float_result(values.c[index]) : values.c_integer[index])
                        << (e * d_.bits());
            }
            d[r][lane] = word;
        }
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
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned r = 0; r < fragment.registers(); ++r) {
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
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned r = 0; r < d_.registers(); ++r) d[r][lane] = sums[d_index_[next++]];
    }
}

}  // namespace simtlm::execution::arithmetic
