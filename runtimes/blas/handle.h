// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/blas/gemm.h"
#include "runtimes/blas/types.h"

#include <cstdint>
#include <exception>

namespace simtlm::blas {

/// cublasHandle_t, and cublasLtHandle_t, which a program may obtain by a cast.
struct handle {
    void* stream = nullptr;
    int pointer_mode = 0;  ///< 1: scalars and results are in device memory
    int math_mode = 0;
    int atomics_mode = 0;
    int sm_count = 0;
    std::uint64_t own_workspace = 0;
    std::uint64_t workspace = 0, workspace_bytes = 0;  ///< as set by the program

    scalar_pointer scalar(const void* at) const { return {at, pointer_mode == 1}; }
};

/// Creates a handle in the current context. Says once that the kernels are not the vendor's.
/// @throws failure  if there is no GPU, or no memory
handle* create_handle();
void destroy_handle(handle* h);
/// The handle of a call. @throws failure  unless it is a handle
handle& handle_of(void* h);

/// Names an entry point, once, that does not support its arguments.
/// @param symbol  simtlm_blas_ and the name
void name_unsupported(const char* symbol) noexcept;

/// Runs an entry point. @return its status
template <class Body>
int call(Body&& body, const char* symbol = __builtin_FUNCTION()) noexcept {
    try {
        body();
        return success;
    } catch (const failure& f) {
        if (f.result == not_supported) name_unsupported(symbol);
        return f.result;
    } catch (const std::exception&) {
        return internal_error;
    }
}

/// Name and description of a status.
const char* status_name(int status);
const char* status_text(int status);

/// The version that the library reports: that of CUDA 13.0.
constexpr int version = 130001;
/// Its major version, minor version or patch level (0 to 2). @throws failure  for another number
int version_part(int which);

}  // namespace simtlm::blas

/// Defines an entry point; see cublas_entry_points.def.
#define BLAS(name) extern "C" __attribute__((visibility("default"))) int simtlm_blas_##name
