// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/matrix_layout.h"

#include <algorithm>
#include <array>

namespace simtlm::execution::arithmetic {

unsigned storage_bits(matrix_element element) {
    switch (element) {
        case matrix_element::f16:
        case matrix_element::bf16:
            return 16;
        case matrix_element::e4m3:
        case matrix_element::e5m2:
        case matrix_element::e2m3:
        case matrix_element::e3m2:
        case matrix_element::s8:
        case matrix_element::u8:
            return 8;
        case matrix_element::e2m1:
        case matrix_element::s4:
        case matrix_element::u4:
            return 4;
        case matrix_element::f64:
            return 64;
        default:
            return 32;
    }
}

/// Creates a fragment from place(lane, element).
template <class Place>
matrix_fragment make_fragment(unsigned bits, unsigned registers, Place place) {
    matrix_fragment fragment;
    fragment.bits_ = bits;
    fragment.per_register_ = bits == 64 ? 1 : 32 / bits;
    fragment.registers_ = registers;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned i = 0; i < fragment.per_lane(); ++i) {
            fragment.places_.push_back(place(lane, i));
        }
    }
    return fragment;
}

namespace {

matrix_place make_place(unsigned row, unsigned column, unsigned batch = 0) {
    return {static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column),
            static_cast<std::uint16_t>(batch)};
}

/// k in stored elements: 32-bit words for b1.
unsigned stored_k(const matrix_shape& shape, matrix_element element) {
    return element == matrix_element::b1 ? shape.k / 32 : shape.k;
}

bool is_quad_pair(const matrix_shape& shape, matrix_element element, matrix_operand operand) {
    const bool half = element == matrix_element::f16 ||
                      (element == matrix_element::f32 && operand == matrix_operand::c);
    return half && shape.m == 8 && shape.n == 8 && shape.k == 4;
}

/// mma.m8n8k4 of f16: lanes 0-3 and 16-19 multiply one pair of matrices, 4-7 and 20-23 the next.
matrix_place quad_pair_place(matrix_operand operand, matrix_element element, matrix_layout layout,
                             unsigned lane, unsigned i) {
    const unsigned batch = lane % 16 / 4, upper = lane / 16 * 4, within = lane % 4;
    const bool by_row = layout == matrix_layout::row;
    if (operand == matrix_operand::a) {
        return by_row ? make_place(within + upper, i, batch) : make_place(i + upper, within, batch);
    }
    if (operand == matrix_operand::b) {
        return by_row ? make_place(within, i + upper, batch) : make_place(i, within + upper, batch);
    }
    if (element == matrix_element::f16) return make_place(within + upper, i, batch);
    return make_place((lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1), batch);
}

/// The common pattern: lane / 4 selects the row (column of B), lane % 4 a group of consecutive k.
matrix_place common_place(matrix_operand operand, unsigned m, unsigned per_register, unsigned lane,
                          unsigned i) {
    const unsigned group = lane / 4, within = lane % 4;
    if (operand == matrix_operand::c) {
        return make_place(group + i / 2 * 8, within * 2 + i % 2);
    }
    const unsigned reg = i / per_register;
    const unsigned k = within * per_register + i % per_register;
    const unsigned k_step = 4 * per_register;
    if (operand == matrix_operand::b) return make_place(k + reg * k_step, group);
    // A with 16 rows alternates between its two halves.
    return m == 8 ? make_place(group, k + reg * k_step)
                  : make_place(group + reg % 2 * 8, k + reg / 2 * k_step);
}

bool is_volta_wmma(const matrix_shape& shape, matrix_operand operand, matrix_element element) {
    const bool half = element == matrix_element::f16 ||
                      (element == matrix_element::f32 && operand == matrix_operand::c);
    return half && shape.m == 16 && shape.n == 16 && shape.k == 16;
}

/// wmma.m16n16k16 of f16: groups of four lanes hold four rows (columns of B), each of them twice.
matrix_place volta_place(matrix_operand operand, matrix_element element, matrix_layout layout,
                         unsigned lane, unsigned i) {
    constexpr std::array<unsigned, 8> first_line{0, 8, 0, 8, 4, 12, 4, 12};
    constexpr std::array<unsigned, 8> first_column{0, 0, 8, 8, 0, 0, 8, 8};
    const unsigned group = lane / 4, within = lane % 4;
    const unsigned line = first_line[group];
    if (operand == matrix_operand::c) {
        const unsigned column = first_column[group];
        if (element == matrix_element::f16) return make_place(line + within, column + i);
        return make_place(line + within % 2 + (i & 2), column + (within & 2) + (i & 4) + (i & 1));
    }
    // Along k if a line of the matrix is contiguous; otherwise in blocks of four lines.
    const bool along_k = (layout == matrix_layout::row) == (operand == matrix_operand::a);
    const unsigned at_line = along_k ? line + within : line + i % 4;
    const unsigned at_k = along_k ? i : within + i / 4 * 4;
    return operand == matrix_operand::a ? make_place(at_line, at_k) : make_place(at_k, at_line);
}

}  // namespace

matrix_fragment mma_fragment(matrix_shape shape, matrix_operand operand, matrix_element element,
                             matrix_layout layout) {
    const unsigned bits = storage_bits(element);
    const unsigned per_register = bits == 64 ? 1 : 32 / bits;
    if (is_quad_pair(shape, element, operand)) {
        const unsigned elements = operand == matrix_operand::c ? 8 : 4;
        return make_fragment(bits, elements / per_register, [=](unsigned lane, unsigned i) {
            return quad_pair_place(operand, element, layout, lane, i);
        });
    }
    const unsigned k = stored_k(shape, element);
    const unsigned elements = (operand == matrix_operand::a   ? shape.m * k
                               : operand == matrix_operand::b ? k * shape.n
                                                              : shape.m * shape.n) /
                              warp_lanes;
    return make_fragment(bits, elements / per_register, [=](unsigned lane, unsigned i) {
        return common_place(operand, shape.m, per_register, lane, i);
    });
}

matrix_fragment wmma_fragment(matrix_shape shape, matrix_operand operand, matrix_element element,
                              matrix_layout layout) {
    const unsigned k = stored_k(shape, element);
    const unsigned rows = operand == matrix_operand::b ? k : shape.m;
    const unsigned columns = operand == matrix_operand::a ? k : shape.n;
    const unsigned bits = storage_bits(element);
    const unsigned per_register = bits == 64 ? 1 : 32 / bits;
    unsigned registers = rows * columns / warp_lanes / per_register;
    // A and B of f16 have eight registers in every shape.
    if (element == matrix_element::f16 && operand != matrix_operand::c) registers = 8;
    if (is_volta_wmma(shape, operand, element)) {
        return make_fragment(bits, registers, [=](unsigned lane, unsigned i) {
            return volta_place(operand, element, layout, lane, i);
        });
    }
    const unsigned per_lane = registers * per_register;
    const bool by_row = operand == matrix_operand::c || layout == matrix_layout::row;
    return make_fragment(bits, registers, [=](unsigned lane, unsigned i) {
        const unsigned index = (lane * per_lane + i) % (rows * columns);
        return by_row ? make_place(index / columns, index % columns)
                      : make_place(index % rows, index / rows);
    });
}

void movmatrix(const std::uint32_t* from, std::uint32_t* to) {
    std::uint32_t result[warp_lanes];
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        result[lane] = 0;
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned row = lane % 4 * 2 + half, column = lane / 4;
            const std::uint32_t word = from[row * 4 + column / 2];
            result[lane] |= (word >> (16 * (column % 2)) & 0xffff) << (16 * half);
        }
    }
    std::copy(result, result + warp_lanes, to);
}

}  // namespace simtlm::execution::arithmetic
