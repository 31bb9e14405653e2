// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/matrix.h"
#include "modules/execution/common/operation.h"
#include "modules/execution/state/memory_access.h"

#include <cstdint>
#include <vector>

// Matrix instructions. The description of an instruction is created at load time;
// operation::immediate points to it.
namespace simtlm::execution {

/// wmma.load and wmma.store: mapping of a fragment to registers and memory.
struct fragment_access {
    fragment_access(arithmetic::matrix_fragment fragment, arithmetic::matrix_layout layout);

    arithmetic::matrix_fragment fragment;
    arithmetic::matrix_layout layout = arithmetic::matrix_layout::row;
    unsigned default_stride = 0;  ///< elements
    unsigned packed = 1;          ///< PTX elements per element of the fragment: 32 for b1
    bool is_wide = false;         ///< 64-bit registers

    /// If every 32-bit register is contiguous in memory: for register r of lane l, at index 32 r +
    /// l, the line of the matrix and the element at which it starts. Otherwise empty.
    std::vector<std::uint32_t> line, element;
    std::uint32_t last_line = 0, last_element = 0;  ///< the maxima of these
};

/// mma, mma.sp, wmma.mma. immediate: a matrix_multiply; list: registers of D, A, B, C; source[0]:
/// metadata, or no_operand; of block-scaled products source[1], source[2]: scale factors of A and
/// B, and after C in the list their byte and lane, those of A first
const operation* multiply_matrices(warp& w, const operation* op);
/// wmma.load. immediate: a fragment_access; list: registers; source[0], detail: address; source[1]:
/// stride or no_operand; source[2]: offset of the address
const operation* load_fragment(warp& w, const operation* op);
const operation* store_fragment(warp& w, const operation* op);
/// How ldmatrix and stmatrix distribute a row of 16 bytes; packed: 16 elements of 4 or 6 bits in
/// its first 8 or 12 bytes are read as bytes (.b4x16_p64, .b6x16_p32); bytes: matrices of bytes,
/// transposed
/// (.m16n16, .m16n8).
enum class matrix_rows : std::uint8_t {
    plain,
    transposed,
    packed4,
    packed6,
    bytes,
    bytes_packed4,
    bytes_packed6
};
/// ldmatrix. list: registers; source[0], immediate: address; destination2: number of registers;
/// source[3]: matrix_rows
const operation* load_matrices(warp& w, const operation* op);
/// stmatrix; operands as for ldmatrix.
const operation* store_matrices(warp& w, const operation* op);
/// Visits the ranges accessed by wmma.load or wmma.store, or by ldmatrix.
void visit_fragment(const warp& w, const operation* op, const range_visitor& f);
void visit_matrix_rows(const warp& w, const operation* op, const range_visitor& f);
/// movmatrix. destination, source[0]: words
const operation* transpose_matrix(warp& w, const operation* op);

}  // namespace simtlm::execution
