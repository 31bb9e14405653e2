// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/blas/gemm_kernel.h"

#include <optional>

// Values of cuBLAS' interface, as documented in NVIDIA's cuBLAS library manual.
namespace simtlm::blas {

/// cublasStatus_t.
enum status : int {
    success = 0,
    not_initialized = 1,
    allocation_failed = 3,
    invalid_value = 7,
    architecture_mismatch = 8,
    execution_failed = 13,
    internal_error = 14,
    not_supported = 15,
};

/// Thrown by functions of the library; an entry point returns the status.
struct failure {
    status result;
};

/// @throws failure  with invalid_value unless the condition holds
inline void require(bool condition, status otherwise = invalid_value) {
    if (!condition) throw failure{otherwise};
}

/// cudaDataType_t, as far as matrices of these types are computed. @return no value for the others
inline std::optional<element> element_of(int data_type) {
    switch (data_type) {
        case 0:
            return element::f32;
        case 1:
            return element::f64;
        case 2:
            return element::f16;
        case 3:
            return element::s8;
        case 10:
            return element::s32;
        case 14:
            return element::bf16;
        default:
            return std::nullopt;
    }
}

/// cublasComputeType_t.
enum compute_type : int {
    compute_16f = 64,
    compute_16f_pedantic = 65,
    compute_32f = 68,
    compute_32f_pedantic = 69,
    compute_64f = 70,
    compute_64f_pedantic = 71,
    compute_32i = 72,
    compute_32i_pedantic = 73,
    compute_32f_fast_16f = 74,
    compute_32f_fast_16bf = 75,
    compute_32f_fast_tf32 = 77,
};

}  // namespace simtlm::blas
