// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/matrix.h"
#include "modules/execution/memory_access.h"
#include "modules/execution/operation.h"

#include <cstdint>
#include <vector>

// Matrix instructions. What their text fixes is made once, at load; operation::immediate points to
// it.
namespace simtlm::execution {

/// wmma.load and wmma.store: how a fragment lies in registers and in memory.
struct fragment_access {
    fragment_access(arithmetic::matrix_fragment fragment, arithmetic::matrix_layout layout);

    arithmetic::matrix_fragment fragment;
    arithmetic::matrix_layout layout = arithmetic::matrix_layout::row;
    unsigned default_stride = 0;  ///< elements
    unsigned packed = 1;          ///< elements of PTX that one of the fragment's holds: 32 of b1
    bool is_wide = false;         ///< registers of 64 bits

    /// Where every register of 32 bits is contiguous in memory: of register r of lane l, at 32 r +
    /// l, the line of the matrix and the element in it that it begins with. Else empty.
    std::vector<std::uint32_t> line, element;
    std::uint32_t last_line = 0, last_element = 0;  ///< the largest of these
};

/// mma, mma.sp, wmma.mma. immediate: a matrix_multiply; list: registers of D, A, B, C; source[0]:
/// metadata, or no_slot
const operation* multiply_matrices(warp& w, const operation* op);
/// wmma.load. immediate: a fragment_access; list: registers; source[0], detail: address;
/// source[1]: stride or no_slot; source[2]: offset of the address, in the lane's place
const operation* load_fragment(warp& w, const operation* op);
const operation* store_fragment(warp& w, const operation* op);
/// ldmatrix. list: registers; source[0], immediate: address; destination2: how many registers;
/// guard as usual; source[3]: 1 if transposed
const operation* load_matrices(warp& w, const operation* op);
/// stmatrix; operands as of ldmatrix.
const operation* store_matrices(warp& w, const operation* op);
/// What wmma.load or wmma.store, or ldmatrix, accesses.
void visit_fragment(const warp& w, const operation* op, const range_visitor& f);
void visit_matrix_rows(const warp& w, const operation* op, const range_visitor& f);
/// movmatrix. destination, source[0]: words
const operation* transpose_matrix(warp& w, const operation* op);

}  // namespace simtlm::execution
