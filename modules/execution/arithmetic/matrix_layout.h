// SPDX-License-Identifier: Apache-2.0
// Mapping of matrix elements to the registers of a warp: mma, wmma, ldmatrix, movmatrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::execution::arithmetic {

constexpr unsigned warp_lanes = 32;

/// D = A (m x k) * B (k x n) + C (m x n).
struct matrix_shape {
    unsigned m = 0, n = 0, k = 0;
};

/// A matrix of the product; D has the layout of C.
enum class matrix_operand : std::uint8_t { a, b, c };

enum class matrix_layout : std::uint8_t { row, column };

/// Types of matrix elements.
enum class matrix_element : std::uint8_t {
    f16,
    bf16,
    tf32,
    e4m3,
    e5m2,
    e2m3,  ///< in the low bits of a byte; e2m1 as a byte has the same encoding, shifted by two bits
    e3m2,
    e2m1,  ///< two of them in a byte
    f32,
    f64,
    s8,
    u8,
    s4,
    u4,
    b1,
    s32
};

/// Bits of an element in a register. b1 is treated as 32-bit words, with k being 1/32 of the
/// shape's.
unsigned storage_bits(matrix_element element);

/// A product that instructions compute: mma.sync, mma.sp, wmma.mma, or a tile of wgmma.
struct matrix_product_kind {
    matrix_shape shape;
    unsigned bits;         ///< of an element of A and B
    unsigned batches = 1;  ///< products at once
};
/// Shapes of products of floating-point numbers of up to 32 bits, with the full A of sparse ones.
constexpr matrix_product_kind float_products[] = {
    {{8, 8, 4}, 16, 4}, {{16, 8, 8}, 16},  {{16, 8, 16}, 16}, {{16, 8, 32}, 16},  // mma, mma.sp
    {{16, 16, 16}, 16}, {{32, 8, 16}, 16}, {{8, 32, 16}, 16}, {{16, 16, 8}, 32},  // wmma
    {{16, 8, 4}, 32},   {{16, 8, 8}, 32},  {{16, 8, 16}, 32},                     // tf32
    {{16, 8, 16}, 8},   {{16, 8, 32}, 8},  {{16, 8, 64}, 8},                      // 8-bit floats
    {{16, 8, 64}, 4},   {{16, 8, 128}, 4},                                        // block-scaled
    {{16, 32, 16}, 16}, {{16, 32, 8}, 32}, {{16, 16, 32}, 8},                     // wgmma
};
/// Shapes of products of integers; those of single bits in elements of 32 bits.
constexpr matrix_product_kind integer_products[] = {
    {{16, 16, 16}, 8}, {{32, 8, 16}, 8}, {{8, 32, 16}, 8}, {{8, 8, 16}, 8},  {{16, 8, 16}, 8},
    {{16, 8, 32}, 8},  {{16, 8, 64}, 8}, {{8, 8, 32}, 4},  {{16, 8, 32}, 4}, {{16, 8, 64}, 4},
    {{16, 8, 128}, 4}, {{8, 8, 4}, 32},  {{16, 8, 4}, 32}, {{16, 8, 8}, 32},
};
/// The largest number of elements that a matrix of some products has.
template <std::size_t n>
constexpr unsigned max_elements(const matrix_product_kind (&kinds)[n], matrix_operand operand) {
    unsigned most = 0;
    for (const matrix_product_kind& p : kinds) {
        const unsigned rows = operand == matrix_operand::b ? p.shape.k : p.shape.m;
        const unsigned columns = operand == matrix_operand::a ? p.shape.k : p.shape.n;
        const unsigned count = p.batches * rows * columns;
        most = count > most ? count : most;
    }
    return most;
}
/// The largest number of columns of some products.
template <std::size_t n>
constexpr unsigned max_columns(const matrix_product_kind (&kinds)[n]) {
    unsigned most = 0;
    for (const matrix_product_kind& p : kinds) most = p.shape.n > most ? p.shape.n : most;
    return most;
}
/// Elements of A, B or C of any product.
constexpr unsigned max_elements(matrix_operand operand) {
    const unsigned floats = max_elements(float_products, operand);
    const unsigned integers = max_elements(integer_products, operand);
    return floats > integers ? floats : integers;
}

/// Position of an element in its matrix. mma.m8n8k4 of f16 multiplies four matrices at once, one
/// per group of eight lanes, identified by `batch`, which is 0 otherwise.
struct matrix_place {
    std::uint16_t row = 0, column = 0, batch = 0;
};

/// Distribution of a matrix over the registers of a warp.
///
/// Lane l holds elements 0 .. per_lane() - 1; element e is in register e / per_register(), at bit
/// (e % per_register()) * bits(). Registers have 32 bits, or 64 for f64. wmma fragments may hold an
/// element in several lanes.
class matrix_fragment {
public:
    matrix_fragment() = default;

    unsigned bits() const { return bits_; }
    unsigned per_register() const { return per_register_; }
    unsigned registers() const { return registers_; }
    unsigned per_lane() const { return registers_ * per_register_; }
    /// The row and column of an element of a lane.
    const matrix_place& place(unsigned lane, unsigned element) const {
        return places_[std::size_t{lane} * per_lane() + element];
    }

private:
    template <class Place>
    friend matrix_fragment make_fragment(unsigned bits, unsigned registers, Place place);

    unsigned bits_ = 0, per_register_ = 0, registers_ = 0;
    std::vector<matrix_place> places_;
};

/// The fragment of an mma.sync operand, as specified in the PTX manual. For mma.sp the shape of A
/// is the stored one (half the k). `layout` only matters for m8n8k4 of f16: otherwise A is
/// row-major and B is column-major. Element types of C are f16, f32, f64 or s32.
matrix_fragment mma_fragment(matrix_shape shape, matrix_operand operand, matrix_element element,
                             matrix_layout layout);

/// The fragment of a wmma operand, with the number of registers required by PTX, which does not
/// specify the mapping. m16n16k16 of f16 is mapped as on Volta (Raihan, Goli and Aamodt, "Modeling
/// Deep Learning Accelerator Enabled GPUs", 2019), with every element of A and B in two lanes;
/// otherwise lanes hold consecutive elements along the rows (or columns) of the matrix.
matrix_fragment wmma_fragment(matrix_shape shape, matrix_operand operand, matrix_element element,
                              matrix_layout layout);

/// Offset in elements of a position in a matrix accessed by wmma.load and wmma.store.
constexpr std::size_t matrix_offset(const matrix_place& place, matrix_layout layout,
                                    std::size_t stride) {
    return layout == matrix_layout::row ? place.row * stride + place.column
                                        : place.column * stride + place.row;
}

/// Source of a half register in ldmatrix (8 x 8 of 16 bits): the row whose address is given by
/// `address_lane`, and the element of this row.
struct ldmatrix_source {
    unsigned address_lane, element;
};
/// The source of one of the two 16-bit elements of a register. @param half  0: low, 1: high
constexpr ldmatrix_source ldmatrix_place(unsigned lane, unsigned register_index, unsigned half,
                                         bool transposed) {
    const unsigned across = lane % 4 * 2 + half, down = lane / 4;
    return {register_index * 8 + (transposed ? across : down), transposed ? down : across};
}

/// movmatrix.trans: transposes an 8 x 8 matrix of 16 bits held by a warp. `to` may alias `from`.
void movmatrix(const std::uint32_t* from, std::uint32_t* to);

}  // namespace simtlm::execution::arithmetic
