// SPDX-License-Identifier: Apache-2.0
// cuBLAS: handles, modes, products of matrices. Every function has a variant, NAME_64, with 64-bit
// sizes.
#include "runtimes/blas/driver.h"
#include "runtimes/blas/handle.h"

#include <cstdio>
#include <cstring>

using namespace simtlm::blas;

namespace {

constexpr int tf32_mode = 3, mode_mask = 15;

/// A transposition of the interface; conjugation does nothing to real matrices.
bool transposed(int operation) {
    require(operation >= 0 && operation <= 2);
    return operation != 0;
}

element checked_element(int data_type) {
    const std::optional<element> e = element_of(data_type);
    require(e.has_value(), not_supported);
    return *e;
}

int compute_of(element e) {
    return e == element::f64 ? compute_64f : e == element::f16 ? compute_16f : compute_32f;
}

/// The type of alpha and beta.
element scalar_of(int compute) {
    switch (compute) {
        case compute_16f:
        case compute_16f_pedantic:
            return element::f16;
        case compute_64f:
        case compute_64f_pedantic:
            return element::f64;
        case compute_32i:
        case compute_32i_pedantic:
            return element::s32;
        default:
            return element::f32;
    }
}

/// What all products have in common.
gemm_problem problem(void* h, int transpose_a, int transpose_b, std::int64_t m, std::int64_t n,
                     std::int64_t k, int compute, const void* alpha, const void* beta) {
    const handle& owner = handle_of(h);
    gemm_problem p;
    p.transpose_a = transposed(transpose_a);
    p.transpose_b = transposed(transpose_b);
    p.m = m;
    p.n = n;
    p.k = k;
    p.compute = compute;
    p.scalar_type = scalar_of(compute);
    p.alpha = owner.scalar(alpha);
    p.beta = owner.scalar(beta);
    p.allow_tf32 = (owner.math_mode & mode_mask) == tf32_mode || compute == compute_32f_fast_tf32 ||
                   compute == compute_32f_fast_16f || compute == compute_32f_fast_16bf;
    p.workspace = owner.workspace;
    p.workspace_bytes = owner.workspace_bytes;
    p.stream = owner.stream;
    return p;
}

void set_matrices(gemm_problem& p, element a, element b, element c, const void* at_a,
                  std::int64_t lda, const void* at_b, std::int64_t ldb, void* at_c,
                  std::int64_t ldc) {
    p.a = {a, at_a, lda, 0};
    p.b = {b, at_b, ldb, 0};
    p.c = {c, at_c, ldc, 0};
    p.d = p.c;
}

void set_batches(gemm_problem& p, std::int64_t batches, std::int64_t a, std::int64_t b,
                 std::int64_t c) {
    p.batches = batches;
    p.a.stride = a;
    p.b.stride = b;
    p.c.stride = p.d.stride = c;
}

}  // namespace

// ---- handles and modes ----

BLAS(cublasCreate_v2)(void** to) {
    return call([&] {
        require(to != nullptr);
        *to = create_handle();
    });
}
BLAS(cublasDestroy_v2)(void* h) {
    return call([&] { destroy_handle(&handle_of(h)); });
}
BLAS(cublasGetVersion_v2)(void*, int* to) {
    return call([&] {
        require(to != nullptr);
        *to = version;
    });
}
BLAS(cublasGetProperty)(int which, int* to) {
    return call([&] {
        require(to != nullptr);
        *to = version_part(which);
    });
}
extern "C" __attribute__((visibility("default"))) std::size_t simtlm_blas_cublasGetCudartVersion() {
    return 13000;
}
extern "C" __attribute__((visibility("default"))) const char* simtlm_blas_cublasGetStatusName(
    int status) {
    return status_name(status);
}
extern "C" __attribute__((visibility("default"))) const char* simtlm_blas_cublasGetStatusString(
    int status) {
    return status_text(status);
}
BLAS(cublasSetStream_v2)(void* h, void* stream) {
    return call([&] { handle_of(h).stream = stream; });
}
BLAS(cublasGetStream_v2)(void* h, void** to) {
    return call([&] {
        require(to != nullptr);
        *to = handle_of(h).stream;
    });
}
BLAS(cublasSetWorkspace_v2)(void* h, void* workspace, std::size_t bytes) {
    return call([&] {
        handle& x = handle_of(h);
        x.workspace = reinterpret_cast<std::uintptr_t>(workspace);
        x.workspace_bytes = workspace == nullptr ? 0 : bytes;
    });
}
#define MODE(set, get, member, last)              \
    BLAS(set)(void* h, int mode) {                \
        return call([&] {                         \
            require(mode >= 0 && mode <= (last)); \
            handle_of(h).member = mode;           \
        });                                       \
    }                                             \
    BLAS(get)(void* h, int* to) {                 \
        return call([&] {                         \
            require(to != nullptr);               \
            *to = handle_of(h).member;            \
        });                                       \
    }
MODE(cublasSetPointerMode_v2, cublasGetPointerMode_v2, pointer_mode, 1)
MODE(cublasSetAtomicsMode, cublasGetAtomicsMode, atomics_mode, 1)
MODE(cublasSetMathMode, cublasGetMathMode, math_mode, 255)
MODE(cublasSetSmCountTarget, cublasGetSmCountTarget, sm_count, 1 << 20)
#undef MODE
BLAS(cublasLoggerConfigure)(int, int, int, const char*) {
    return success;
}
BLAS(cublasSetLoggerCallback)(void*) {
    return success;
}
BLAS(cublasGetLoggerCallback)(void** to) {
    return call([&] {
        require(to != nullptr);
        *to = nullptr;
    });
}

// ---- copies of vectors and matrices ----

namespace {

/// CUDA_MEMCPY2D.
struct copy_2d {
    std::size_t from_x = 0, from_y = 0;
    unsigned from_type = 0;
    const void* from_host = nullptr;
    std::uint64_t from_device = 0;
    void* from_array = nullptr;
    std::size_t from_pitch = 0;
    std::size_t to_x = 0, to_y = 0;
    unsigned to_type = 0;
    void* to_host = nullptr;
    std::uint64_t to_device = 0;
    void* to_array = nullptr;
    std::size_t to_pitch = 0;
    std::size_t width = 0, height = 0;
};

void copy(bool to_device, std::int64_t rows, std::int64_t columns, int bytes, const void* from,
          std::int64_t from_ld, void* to, std::int64_t to_ld, void* stream, bool wait) {
    require(rows >= 0 && columns >= 0 && bytes > 0 && from_ld > 0 && to_ld > 0);
    if (rows == 0 || columns == 0) return;
    constexpr unsigned host = 1, device = 2;
    copy_2d c;
    c.from_type = to_device ? host : device;
    c.to_type = to_device ? device : host;
    c.from_host = from;
    c.from_device = reinterpret_cast<std::uintptr_t>(from);
    c.to_host = to;
    c.to_device = reinterpret_cast<std::uintptr_t>(to);
    const auto size = static_cast<std::size_t>(bytes);
    c.from_pitch = static_cast<std::size_t>(from_ld) * size;
    c.to_pitch = static_cast<std::size_t>(to_ld) * size;
    c.width = static_cast<std::size_t>(rows) * size;
    c.height = static_cast<std::size_t>(columns);
    require(cuMemcpy2DAsync_v2(&c, stream) == 0, execution_failed);
    if (wait) require(cuStreamSynchronize(stream) == 0, execution_failed);
}

}  // namespace

#define COPIES(suffix, size)                                                                       \
    BLAS(cublasSetMatrix##suffix)                                                                  \
    (size rows, size columns, int bytes, const void* from, size ldf, void* to, size ldt) {         \
        return call([&] { copy(true, rows, columns, bytes, from, ldf, to, ldt, nullptr, true); }); \
    }                                                                                              \
    BLAS(cublasGetMatrix##suffix)                                                                  \
    (size rows, size columns, int bytes, const void* from, size ldf, void* to, size ldt) {         \
        return call(                                                                               \
            [&] { copy(false, rows, columns, bytes, from, ldf, to, ldt, nullptr, true); });        \
    }                                                                                              \
    BLAS(cublasSetMatrixAsync##suffix)                                                             \
    (size rows, size columns, int bytes, const void* from, size ldf, void* to, size ldt,           \
     void* stream) {                                                                               \
        return call([&] { copy(true, rows, columns, bytes, from, ldf, to, ldt, stream, false); }); \
    }                                                                                              \
    BLAS(cublasGetMatrixAsync##suffix)                                                             \
    (size rows, size columns, int bytes, const void* from, size ldf, void* to, size ldt,           \
     void* stream) {                                                                               \
        return call(                                                                               \
            [&] { copy(false, rows, columns, bytes, from, ldf, to, ldt, stream, false); });        \
    }                                                                                              \
    BLAS(cublasSetVector##suffix)                                                                  \
    (size n, int bytes, const void* from, size inc_f, void* to, size inc_t) {                      \
        return call([&] { copy(true, 1, n, bytes, from, inc_f, to, inc_t, nullptr, true); });      \
    }                                                                                              \
    BLAS(cublasGetVector##suffix)                                                                  \
    (size n, int bytes, const void* from, size inc_f, void* to, size inc_t) {                      \
        return call([&] { copy(false, 1, n, bytes, from, inc_f, to, inc_t, nullptr, true); });     \
    }                                                                                              \
    BLAS(cublasSetVectorAsync##suffix)                                                             \
    (size n, int bytes, const void* from, size inc_f, void* to, size inc_t, void* stream) {        \
        return call([&] { copy(true, 1, n, bytes, from, inc_f, to, inc_t, stream, false); });      \
    }                                                                                              \
    BLAS(cublasGetVectorAsync##suffix)                                                             \
    (size n, int bytes, const void* from, size inc_f, void* to, size inc_t, void* stream) {        \
        return call([&] { copy(false, 1, n, bytes, from, inc_f, to, inc_t, stream, false); });     \
    }
COPIES(, int)
COPIES(_64, std::int64_t)
#undef COPIES

// ---- products of matrices ----

#define GEMM(letter, type, suffix, size)                                                          \
    BLAS(cublas##letter##gemm##suffix)                                                            \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* a, size lda, \
     const void* b, size ldb, const void* beta, void* c, size ldc) {                              \
        return call([&] {                                                                         \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute_of(type), alpha, beta);          \
            set_matrices(p, type, type, type, a, lda, b, ldb, c, ldc);                            \
            gemm(p);                                                                              \
        });                                                                                       \
    }
#define GEMM_BATCHED(letter, type, suffix, size)                                                  \
    BLAS(cublas##letter##gemmBatched##suffix)                                                     \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* a, size lda, \
     const void* b, size ldb, const void* beta, void* c, size ldc, size batches) {                \
        return call([&] {                                                                         \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute_of(type), alpha, beta);          \
            set_matrices(p, type, type, type, a, lda, b, ldb, c, ldc);                            \
            set_batches(p, batches, 0, 0, 0);                                                     \
            p.pointer_arrays = true;                                                              \
            gemm(p);                                                                              \
        });                                                                                       \
    }                                                                                             \
    BLAS(cublas##letter##gemmStridedBatched##suffix)                                              \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* a, size lda, \
     long long stride_a, const void* b, size ldb, long long stride_b, const void* beta, void* c,  \
     size ldc, long long stride_c, size batches) {                                                \
        return call([&] {                                                                         \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute_of(type), alpha, beta);          \
            set_matrices(p, type, type, type, a, lda, b, ldb, c, ldc);                            \
            set_batches(p, batches, stride_a, stride_b, stride_c);                                \
            gemm(p);                                                                              \
        });                                                                                       \
    }
GEMM(S, element::f32, _v2, int)
GEMM(S, element::f32, _v2_64, std::int64_t)
GEMM(D, element::f64, _v2, int)
GEMM(D, element::f64, _v2_64, std::int64_t)
GEMM(H, element::f16, , int)
GEMM(H, element::f16, _64, std::int64_t)
GEMM_BATCHED(S, element::f32, , int)
GEMM_BATCHED(S, element::f32, _64, std::int64_t)
GEMM_BATCHED(D, element::f64, , int)
GEMM_BATCHED(D, element::f64, _64, std::int64_t)
GEMM_BATCHED(H, element::f16, , int)
GEMM_BATCHED(H, element::f16, _64, std::int64_t)
#undef GEMM
#undef GEMM_BATCHED

#define GEMM_EX(suffix, size)                                                                  \
    BLAS(cublasSgemmEx##suffix)                                                                \
    (void* h, int ta, int tb, size m, size n, size k, const float* alpha, const void* a,       \
     int a_type, size lda, const void* b, int b_type, size ldb, const float* beta, void* c,    \
     int c_type, size ldc) {                                                                   \
        return call([&] {                                                                      \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute_32f, alpha, beta);            \
            set_matrices(p, checked_element(a_type), checked_element(b_type),                  \
                         checked_element(c_type), a, lda, b, ldb, c, ldc);                     \
            gemm(p);                                                                           \
        });                                                                                    \
    }                                                                                          \
    BLAS(cublasGemmEx##suffix)                                                                 \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* a,        \
     int a_type, size lda, const void* b, int b_type, size ldb, const void* beta, void* c,     \
     int c_type, size ldc, int compute, int) {                                                 \
        return call([&] {                                                                      \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute, alpha, beta);                \
            set_matrices(p, checked_element(a_type), checked_element(b_type),                  \
                         checked_element(c_type), a, lda, b, ldb, c, ldc);                     \
            gemm(p);                                                                           \
        });                                                                                    \
    }                                                                                          \
    BLAS(cublasGemmBatchedEx##suffix)                                                          \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* const* a, \
     int a_type, size lda, const void* const* b, int b_type, size ldb, const void* beta,       \
     void* const* c, int c_type, size ldc, size batches, int compute, int) {                   \
        return call([&] {                                                                      \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute, alpha, beta);                \
            set_matrices(p, checked_element(a_type), checked_element(b_type),                  \
                         checked_element(c_type), a, lda, b, ldb, const_cast<void**>(c), ldc); \
            set_batches(p, batches, 0, 0, 0);                                                  \
            p.pointer_arrays = true;                                                           \
            gemm(p);                                                                           \
        });                                                                                    \
    }                                                                                          \
    BLAS(cublasGemmStridedBatchedEx##suffix)                                                   \
    (void* h, int ta, int tb, size m, size n, size k, const void* alpha, const void* a,        \
     int a_type, size lda, long long stride_a, const void* b, int b_type, size ldb,            \
     long long stride_b, const void* beta, void* c, int c_type, size ldc, long long stride_c,  \
     size batches, int compute, int) {                                                         \
        return call([&] {                                                                      \
            gemm_problem p = problem(h, ta, tb, m, n, k, compute, alpha, beta);                \
            set_matrices(p, checked_element(a_type), checked_element(b_type),                  \
                         checked_element(c_type), a, lda, b, ldb, c, ldc);                     \
            set_batches(p, batches, stride_a, stride_b, stride_c);                             \
            gemm(p);                                                                           \
        });                                                                                    \
    }
GEMM_EX(, int)
GEMM_EX(_64, std::int64_t)
#undef GEMM_EX

// A rank-1 update, A = alpha x y^T + A, is a product with k = 1; increments are leading dimensions.
#define GER(letter, type, suffix, size)                                                       \
    BLAS(cublas##letter##ger##suffix)                                                         \
    (void* h, size m, size n, const void* alpha, const void* x, size inc_x, const void* y,    \
     size inc_y, void* a, size lda) {                                                         \
        return call([&] {                                                                     \
            require(inc_x > 0 && inc_y > 0,                                                   \
                    inc_x == 0 || inc_y == 0 ? invalid_value : not_supported);                \
            static const double one_f64 = 1;                                                  \
            static const float one_f32 = 1;                                                   \
            gemm_problem p = problem(h, 1, 0, m, n, 1, compute_of(type), alpha, alpha);       \
            p.beta = {(type) == element::f64 ? static_cast<const void*>(&one_f64) : &one_f32, \
                      false};                                                                 \
            set_matrices(p, type, type, type, x, inc_x, y, inc_y, a, lda);                    \
            gemm(p);                                                                          \
        });                                                                                   \
    }
GER(S, element::f32, _v2, int)
GER(S, element::f32, _v2_64, std::int64_t)
GER(D, element::f64, _v2, int)
GER(D, element::f64, _v2_64, std::int64_t)
#undef GER
