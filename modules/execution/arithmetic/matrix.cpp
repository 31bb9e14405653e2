// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/matrix.h"

#include "modules/execution/arithmetic/bit_field.h"
#include "modules/execution/arithmetic/convert.h"
#include "modules/execution/arithmetic/ieee.h"
#include "modules/execution/arithmetic/integer.h"
#include "modules/execution/arithmetic/matrix_lanes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace simtlm::execution::arithmetic {
namespace {

constexpr unsigned max_a = max_elements(matrix_operand::a);
constexpr unsigned max_b = max_elements(matrix_operand::b);
constexpr unsigned max_results = max_elements(matrix_operand::c);
constexpr unsigned max_registers = 32;  // per fragment

bool is_float(matrix_element element) {
    return element <= matrix_element::f64;
}

bool is_signed(matrix_element element) {
    return element == matrix_element::s8 || element == matrix_element::s4;
}

/// Sign-extends integer elements to 32 bits.
void extend(matrix_element element, std::uint32_t* elements, unsigned count) {
    if (!is_signed(element)) return;
    const unsigned unused = 32 - storage_bits(element);
    for (unsigned i = 0; i < count; ++i)
        elements[i] =
            static_cast<std::uint32_t>(static_cast<std::int32_t>(elements[i] << unused) >> unused);
}

}  // namespace

namespace on_baseline {
const matrix_functions& functions_of_target();
}
#ifdef SIMTLM_HAS_SIMD_MATRICES
namespace on_avx2 {
const matrix_functions& functions_of_target();
}
namespace on_avx512 {
const matrix_functions& functions_of_target();
}
#endif

const matrix_functions& matrix_functions_of_host() {
#ifdef SIMTLM_HAS_SIMD_MATRICES
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return on_avx512::functions_of_target();
    if (avx2) return on_avx2::functions_of_target();
#endif
    return on_baseline::functions_of_target();
}

/// The matrices of one instruction in row-major order, read from registers.
struct matrix_multiply::operands {
    alignas(64) std::uint32_t a[max_a], b[max_b], c[max_results];
    alignas(64) double sums[max_results];  ///< of floating-point products
};

matrix_multiply::element_places matrix_multiply::places_of(const matrix_fragment& fragment,
                                                           unsigned rows, unsigned columns,
                                                           unsigned batches) {
    element_places places;
    const unsigned count = batches * rows * columns;
    places.word.resize(count);
    places.shift.resize(count);
    places.mask = fragment.bits() >= 32 ? ~0u : (1u << fragment.bits()) - 1;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned i = 0; i < fragment.per_lane(); ++i) {
            const matrix_place& at = fragment.place(lane, i);
            const unsigned index = (at.batch * rows + at.row) * columns + at.column;
            places.word[index] =
                static_cast<std::int32_t>(i / fragment.per_register() * warp_lanes + lane);
            places.shift[index] = i % fragment.per_register() * fragment.bits();
        }
    }
    return places;
}

namespace {

/// The size of buffers is known for these shapes only.
void check_shape(const matrix_description& d) {
    const auto& [m, n, k] = d.shape;
    if (d.a == matrix_element::f64) return;
    const unsigned stored_k = d.a == matrix_element::b1 ? k / 32 : k;
    const auto is_it = [&, m = m, n = n](const matrix_product_kind& p) {
        return p.shape.m == m && p.shape.n == n && p.shape.k == stored_k &&
               p.bits == storage_bits(d.a) && storage_bits(d.b) == p.bits;
    };
    const bool known =
        is_float(d.a)
            ? std::any_of(std::begin(float_products), std::end(float_products), is_it)
            : std::any_of(std::begin(integer_products), std::end(integer_products), is_it);
    if (!known)
        throw std::invalid_argument("there is no matrix product of this shape and these elements");
}

}  // namespace

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
    check_shape(description);
    const bool four = !description.wmma && description.a == matrix_element::f16 && m == 8 && n == 8;
    batches_ = four ? 4 : 1;
    a_places_ = places_of(a_, m, a_shape.k / per_word, batches_);
    b_places_ = places_of(b_, k_, n, batches_);
    c_places_ = places_of(c_, m, n, batches_);
    for (unsigned i = 0; i < d_.per_lane(); ++i) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            const matrix_place& at = d_.place(lane, i);
            d_index_.push_back(static_cast<std::uint16_t>((at.batch * m + at.row) * n + at.column));
        }
    }
}

// Each group of four columns (two of tf32, eight of 4-bit elements) has four bits of metadata: two
// positions of two bits. With elements of 16 or 32 bits, a lane holds those of four groups for row
// lane / 4 in its low half, and for row lane / 4 + 8 in its high half, and the next lane holds the
// next groups. With 4 or 8 bits, a lane holds those of eight groups for row lane / 4, the next lane
// those for row lane / 4 + 8, and the next two lanes the next groups (CUTLASS, reorder_meta for
// metadata of 32 bits, and ELayout_64x64). The selector determines which lane, or pair of lanes, of
// each four lanes is read.
unsigned sparse_column(matrix_element a, unsigned k, unsigned selector,
                       const std::uint32_t* metadata, unsigned row, unsigned stored) {
    const unsigned bits = storage_bits(a);
    const unsigned stored_per_group = bits == 32 ? 1 : bits == 4 ? 4 : 2;
    const unsigned group = stored / stored_per_group, within = stored % stored_per_group;
    const unsigned groups = k / (stored_per_group * 2);
    const unsigned lanes = std::max(1u, groups / 4);
    const bool narrow = bits <= 8;
    const unsigned of_four = narrow ? group / 8 * 2 + row / 8 : group / 4;
    const unsigned lane = row % 8 * 4 + (selector * lanes + of_four) % 4;
    const unsigned shift = narrow ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4;
    return group * stored_per_group * 2 +
           sparse_position(bits, metadata[lane] >> shift & 15, within);
}

unsigned sparse_position(unsigned bits, unsigned code, unsigned within) {
    if (bits == 32) return code >> 2 == 3 ? 1 : 0;  // 0b0100 or 0b1110
    if (bits == 4) return (code >> (within / 2 * 2) & 3) * 2 + within % 2;
    return code >> (within * 2) & 3;
}

/// Expands a sparse A to a dense one: the metadata give the positions of the stored elements.
void matrix_multiply::place_sparse(const std::uint32_t* metadata, const std::uint32_t* stored,
                                   std::uint32_t* whole) const {
    const unsigned stored_k = k_ / 2;
    std::fill_n(whole, std::size_t{description_.shape.m} * k_, 0);
    for (unsigned row = 0; row < description_.shape.m; ++row)
        for (unsigned i = 0; i < stored_k; ++i)
            whole[row * k_ + sparse_column(description_.a, k_, description_.selector, metadata, row,
                                           i)] = stored[row * stored_k + i];
}

void matrix_multiply::multiply_floats(operands& values) const {
    const matrix_functions& functions = matrix_functions_of_host();
    functions.decode(description_.c, values.c, c_places_.count(), values.sums);
    float_product product;
    product.description = &description_;
    product.batches = batches_;
    product.a = values.a;
    product.b = values.b;
    product.sums = values.sums;
    functions.multiply_floats(product);
    functions.encode(description_.d, description_.saturate, values.sums, c_places_.count(),
                     values.c);
}

namespace {

/// The scale factor of a block.
double scale_of(const block_scaling& scaling, const std::uint32_t* lanes, unsigned lane,
                unsigned byte) {
    return scaling.value(lanes[lane % warp_lanes] >> byte % 4 * 8 & 0xff);
}

}  // namespace

double block_scaling::value(std::uint32_t byte) const {
    if (!ue4m3) {
        if (byte == 0xff) return std::numeric_limits<double>::quiet_NaN();
        return std::ldexp(1.0, static_cast<int>(byte) - 127);
    }
    const std::uint32_t single = cvt<f32, e4m3>::apply(static_cast<std::uint8_t>(byte & 0x7f));
    return as_float(single);
}

void matrix_multiply::multiply_blocks(operands& values, const scale_registers& scales) const {
    const auto& [m, n, k] = description_.shape;
    const matrix_functions& functions = matrix_functions_of_host();
    std::array<double, max_a> a;
    std::array<double, max_b> b;
    functions.decode(description_.a, values.a, m * k, a.data());
    functions.decode(description_.b, values.b, k * n, b.data());
    functions.decode(description_.c, values.c, m * n, values.sums);
    const block_scaling& scaling = description_.scaling;
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            double sum = 0;
            for (unsigned first = 0; first < k; first += scaling.block) {
                double block = 0;
                for (unsigned p = first; p < first + scaling.block; ++p)
                    block += a[i * k + p] * b[p * n + j];
                const unsigned q = first / scaling.block;
                sum += block *
                       scale_of(scaling, scales.a, i % 8 * 4 + scales.a_lane * 2 + i / 8,
                                scales.a_byte + q) *
                       scale_of(scaling, scales.b, j * 4 + scales.b_lane, scales.b_byte + q);
            }
            sum += values.sums[i * n + j];
            values.c[i * n + j] = cvt<f32, f64, rounding::zero>::apply(as_bits(sum));
        }
    }
}

/// Sums of products fit in 32 bits; only the addition of C can overflow.
void matrix_multiply::multiply_integers(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    for (unsigned i = 0; i < m; ++i) {
        std::array<std::int32_t, 32> sums{};
        for (unsigned p = 0; p < k; ++p) {
            const auto factor_a = static_cast<std::int32_t>(values.a[i * k + p]);
            for (unsigned j = 0; j < n; ++j)
                sums[j] += factor_a * static_cast<std::int32_t>(values.b[p * n + j]);
        }
        for (unsigned j = 0; j < n; ++j) {
            std::uint32_t& c = values.c[i * n + j];
            const auto sum = static_cast<std::uint32_t>(sums[j]);
            c = description_.saturate ? add<s32, rounding::nearest, sat>::apply(c, sum) : c + sum;
        }
    }
}

void matrix_multiply::multiply_bits(operands& values) const {
    const auto& [m, n, k] = description_.shape;
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            std::uint32_t sum = values.c[i * n + j];
            for (unsigned p = 0; p < k_; ++p) {
                const std::uint32_t x = values.a[i * k_ + p];
                const std::uint32_t y = values.b[p * n + j];
                sum += popc<b32>::apply(description_.bit_and ? x & y : x ^ y);
            }
            values.c[i * n + j] = sum;
        }
    }
}

void matrix_multiply::scatter(const std::uint32_t* results, std::uint32_t* const* d) const {
    const std::uint16_t* index = d_index_.data();
    for (unsigned r = 0; r < d_.registers(); ++r) {
        std::array<std::uint32_t, warp_lanes> words{};
        for (unsigned e = 0; e < d_.per_register(); ++e, index += warp_lanes)
            for (unsigned lane = 0; lane < warp_lanes; ++lane)
                words[lane] |= results[index[lane]] << (e * d_.bits());
        std::copy(words.begin(), words.end(), d[r]);
    }
}

void matrix_multiply::apply(const std::uint32_t* const* a, const std::uint32_t* const* b,
                            const std::uint32_t* const* c, std::uint32_t* const* d,
                            const std::uint32_t* metadata, const scale_registers& scales) const {
    const matrix_functions& functions = matrix_functions_of_host();
    operands values;  // uninitialised: only the elements of the shape are set
    const auto gather = [&](const matrix_fragment& fragment, const element_places& places,
                            bool negate, const std::uint32_t* const* registers, std::uint32_t* to) {
        alignas(64) std::array<std::uint32_t, max_registers * warp_lanes> words;
        const unsigned count = fragment.registers() * warp_lanes;
        for (unsigned r = 0; r < fragment.registers(); ++r)
            std::copy_n(registers[r], warp_lanes, words.data() + r * warp_lanes);
        // A register is negated like an f32, as ptxas understands it: it replaces 0xc0004000, two
        // halves of B, by -0x40004000, and combines neg.f32 with HMMA, but not neg.f16x2.
        for (unsigned i = 0; negate && i < count; ++i) words[i] ^= 0x80000000;
        functions.gather(places.word.data(), places.shift.data(), places.mask, places.count(),
                         words.data(), to);
    };
    if (description_.sparse) {
        alignas(64) std::array<std::uint32_t, max_a / 2> stored;
        gather(a_, a_places_, description_.negate_a, a, stored.data());
        place_sparse(metadata, stored.data(), values.a);
    } else {
        gather(a_, a_places_, description_.negate_a, a, values.a);
    }
    gather(b_, b_places_, description_.negate_b, b, values.b);
    gather(c_, c_places_, description_.negate_c, c, values.c);
    if (description_.scaling.block != 0) {
        multiply_blocks(values, scales);
    } else if (is_float(description_.a)) {
        multiply_floats(values);
    } else {
        const unsigned a_count = description_.shape.m * k_;
        extend(description_.a, values.a, a_count);
        extend(description_.b, values.b, b_places_.count());
        if (description_.a == matrix_element::b1)
            multiply_bits(values);
        else
            multiply_integers(values);
    }
    scatter(values.c, d);
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

void gather64(const std::vector<std::int32_t>& words, const std::uint64_t* const* registers,
              std::uint64_t* values) {
    for (const std::int32_t word : words) {
        const auto at = static_cast<unsigned>(word);
        *values++ = registers[at / warp_lanes][at % warp_lanes];
    }
}

}  // namespace

void matrix_multiply::apply(const std::uint64_t* const* a, const std::uint64_t* const* b,
                            const std::uint64_t* const* c, std::uint64_t* const* d) const {
    const auto& [m, n, k] = description_.shape;
    std::array<std::uint64_t, 256> left, right, sums;  // m16n8k16 at most
    gather64(a_places_.word, a, left.data());
    gather64(b_places_.word, b, right.data());
    gather64(c_places_.word, c, sums.data());
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
