// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/blas/gemm_kernel.h"

#include <cstdint>
#include <string>

namespace simtlm::blas {

/// The kernel of a product with a single column, D = alpha op(A) b + beta C with op(A) = A^T, of
/// f16 or bf16 operands with f32 sums: a row of op(A), which is contiguous, for a few lanes of a
/// warp. A tile of gemm_kernel would compute 64 columns.
struct column_kernel {
    element type = element::f16;  ///< of A and b
    element d = element::f16;     ///< of C and D: f32 or `type`
    unsigned lanes = 32;          ///< of a row: a power of two, at most 32
    unsigned capability = 70;     ///< compute capability times ten

    static constexpr unsigned threads = 128;
    /// Elements that a lane reads at a time where rows and b begin at multiples of 16 bytes.
    static constexpr unsigned chunk = 8;
    /// The number of lanes for rows of this length.
    static unsigned lanes_for(std::int64_t k);

    /// Rows that are computed one after the other, so that they share addresses and factors.
    static constexpr unsigned rows_per_lane = 4;

    unsigned rows_at_a_time() const { return threads / lanes; }
    unsigned rows_per_block() const { return rows_per_lane * rows_at_a_time(); }
    std::string name() const;
    /// PTX of the kernel. Its parameter is a gemm_arguments; its grid is (m / rows_per_block(), 1,
    /// batch).
    std::string ptx() const;
};

}  // namespace simtlm::blas
