// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/blas/gemm_kernel.h"

#include <cstdint>
#include <string>

namespace simtlm::blas {

/// Operations on vectors, and on matrices without products of matrices.
enum class vector_operation : std::uint8_t {
    axpy,         ///< y = alpha x + y
    scal,         ///< x = alpha x
    copy,         ///< y = x
    swap,         ///< x <-> y
    dot,          ///< result = x . y
    nrm2,         ///< result = sqrt(x . x)
    asum,         ///< result = sum |x|
    iamax,        ///< result = first index of the largest |x|, from 1
    iamin,        ///< result = first index of the smallest |x|, from 1
    gemv_n,       ///< y = alpha A x + beta y
    gemv_t,       ///< y = alpha A^T x + beta y
    geam,         ///< C = alpha op(A) + beta op(B)
    trsm,         ///< solves op(A) X = alpha B, or X op(A) = alpha B
    column_sums,  ///< y[j] = sum of row or column j of A: gradients of a bias
};

/// Parameters of the kernels of vector_kernel(). Vectors and matrices are those of the BLAS
/// interface; a negative increment begins at the last element.
struct vector_arguments {
    std::uint64_t x = 0, y = 0, z = 0, result = 0;
    std::int64_t stride_x = 0, stride_y = 0, stride_z = 0;  ///< elements between batches
    std::int64_t inc_x = 1, inc_y = 1, inc_z = 1;           ///< or elements between columns
    std::uint64_t alpha_address = 0, beta_address = 0;  ///< in device memory; 0: the values below
    double alpha = 1, beta = 0;
    std::int32_t m = 0, n = 0;
    std::int32_t flags = 0;           ///< of geam and trsm, see below
    std::int32_t pointer_arrays = 0;  ///< x and y are arrays of addresses (trsm)
};

// Flags of geam: transpositions; of trsm: as in the interface.
constexpr std::int32_t flag_transpose_a = 1, flag_transpose_b = 2;
constexpr std::int32_t flag_right = 4, flag_upper = 8, flag_unit_diagonal = 16;

/// The kernel of an operation on f32 or f64 elements; those on vectors, also on f16 and bf16 ones,
/// with which they compute in f32.
struct vector_kernel {
    vector_operation operation;
    element type;

    std::string name() const;
    /// Threads of a block.
    unsigned threads() const;
    /// Blocks of a launch: in x, by operation, and one per batch in z.
    std::uint64_t blocks(const vector_arguments& a) const;
    std::string ptx(unsigned capability) const;
};

}  // namespace simtlm::blas
