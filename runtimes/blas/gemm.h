// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/blas/gemm_kernel.h"

#include <cstdint>

namespace simtlm::blas {

/// One matrix or vector scalar of a call: alpha or beta.
struct scalar_pointer {
    const void* at = nullptr;
    bool on_device = false;
};

/// A matrix of a product.
struct matrix {
    element type = element::f32;
    const void* at = nullptr;  ///< device address; of an array of addresses, if the batch is one
    std::int64_t ld = 0;       ///< elements between columns
    std::int64_t stride = 0;   ///< elements between batches
};

/// D = act(alpha op(A) op(B) + beta C + bias), matrices stored by columns. C has the type of D.
struct gemm_problem {
    matrix a, b, c, d;
    bool transpose_a = false, transpose_b = false;
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t batches = 1;
    bool pointer_arrays = false;
    int compute = 0;          ///< compute_type
    bool allow_tf32 = false;  ///< f32 products may be rounded to tf32
    element scalar_type = element::f32;
    scalar_pointer alpha, beta;
    // Epilogue.
    const void* bias = nullptr;  ///< added to each row of D; nullptr: none
    element bias_type = element::f32;
    std::int64_t bias_stride = 0;
    activation act = activation::none;
    void* auxiliary = nullptr;  ///< values before the activation: stored, or read by its gradient
    std::int64_t ld_auxiliary = 0, auxiliary_stride = 0;
    // Memory for the sums of split products.
    std::uint64_t workspace = 0;
    std::uint64_t workspace_bytes = 0;
    void* stream = nullptr;
};

/// Throws unless the types are supported: f16, bf16, f32 with f32 sums (D as A or f32), f64, and s8
/// with s32 or f32 sums. @throws failure
void check_types(const gemm_problem& p);

/// Computes a product. @throws failure
void gemm(const gemm_problem& p);

}  // namespace simtlm::blas
