// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace simtlm::blas {

/// Element types of matrices.
enum class element : std::uint8_t { f16, bf16, f32, f64, s8, s32 };

/// Bytes of an element.
unsigned bytes_of(element e);
/// Name of an element type, as PTX spells it.
const char* name_of(element e);

/// Unit and precision of the products and sums.
enum class arithmetic : std::uint8_t {
    half_tensor,  ///< f16 or bf16 products on tensor cores, f32 sums
    tf32_tensor,  ///< f32 operands rounded to tf32, f32 sums
    f64_tensor,   ///< f64 products on tensor cores (8.0 and later)
    f32,          ///< multiply-adds of f32, whatever the type of the operands
    f64,
    s32,
};

/// What follows the product: see cublasLtEpilogue_t.
enum class activation : std::uint8_t { none, relu, gelu, gelu_gradient };

/// Everything that selects the code of a matrix product, D = act(alpha op(A) op(B) + beta C +
/// bias). Matrices are stored by columns.
struct gemm_kernel {
    element a = element::f32, b = element::f32, d = element::f32;  ///< C has the type of D
    arithmetic unit = arithmetic::f32;
    bool transpose_a = false, transpose_b = false;
    /// Columns begin at multiples of 16 bytes: 16 bytes are loaded at a time.
    bool aligned = false;
    bool pairs = false;  ///< two consecutive elements of C and D can be accessed at a time
    bool large = true;   ///< tile of 128 x 128, or of 64 x 64
    bool split = false;  ///< store f32 sums of a part of k; the kernel reduce_ptx() adds them
    bool bias = false;
    element bias_type = element::f32;
    bool auxiliary = false;  ///< store the values before the activation
    activation act = activation::none;
    unsigned capability = 70;  ///< compute capability times ten

    /// Extent of a tile in m and n, and in k.
    unsigned tile() const { return large ? 128 : 64; }
    unsigned tile_k() const;
    unsigned threads() const;
    /// Bytes of dynamic shared memory.
    unsigned shared_bytes() const;
    /// Name of the kernel in statistics. It begins with simtlm_blas_, which distinguishes it from
    /// the vendor's.
    std::string name() const;
    /// PTX of the kernel. Its parameter is a gemm_arguments; its grid is
    /// (m / tile, n / tile, batch x splits).
    std::string ptx() const;
    /// PTX of the kernel that adds the parts of a split product and applies what follows it. Its
    /// grid is (m n / 512, 1, batch) of 256 threads.
    std::string reduce_ptx() const;
    std::string reduce_name() const { return name() + "_reduce"; }
};

/// Parameters of the kernels. Addresses of matrices are those of arrays of addresses, by batch, if
/// `pointer_arrays` is set; otherwise `stride_*` is the distance of two batches in bytes.
struct gemm_arguments {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0;
    std::int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;    ///< in elements
    std::uint64_t alpha_address = 0, beta_address = 0;  ///< in device memory; 0: the values below
    double alpha = 1, beta = 0;
    std::uint64_t bias = 0, auxiliary = 0;
    std::int64_t stride_bias = 0, stride_auxiliary = 0, ld_auxiliary = 0;
    std::uint64_t partial = 0;  ///< f32 sums by split, batch, n and m
    std::int32_t m = 0, n = 0, k = 0;
    std::int32_t k_split = 0;  ///< extent of a split in k
    std::int32_t splits = 1;
    std::int32_t pointer_arrays = 0;
    std::int32_t scalar_type = 0;  ///< of alpha and beta in device memory: an element
    std::int32_t batches = 1;
};

}  // namespace simtlm::blas
