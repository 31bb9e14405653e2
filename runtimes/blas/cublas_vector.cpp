// SPDX-License-Identifier: Apache-2.0
// cuBLAS: operations on vectors, products of a matrix and a vector, triangular systems.
#include "runtimes/blas/gpu.h"
#include "runtimes/blas/handle.h"
#include "runtimes/blas/vector_kernels.h"

#include <cstring>
#include <limits>

using namespace simtlm::blas;

namespace {

std::uint64_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

std::int32_t size_of(std::int64_t n) {
    require(n >= 0);
    require(n <= std::numeric_limits<std::int32_t>::max() / 2, not_supported);
    return static_cast<std::int32_t>(n);
}

void set_scalar(const handle& h, element type, const void* at, std::uint64_t& on_device,
                double& value) {
    require(at != nullptr);
    if (h.pointer_mode == 1) {
        on_device = address(at);
    } else if (type == element::f64) {
        std::memcpy(&value, at, sizeof value);
    } else {
        float f = 0;
        std::memcpy(&f, at, sizeof f);
        value = static_cast<double>(f);
    }
}

void launch(const handle& h, vector_operation operation, element type, const vector_arguments& a,
            std::int64_t batches = 1) {
    const vector_kernel k{operation, type};
    gpu& g = gpu::current();
    const std::uint64_t blocks = k.blocks(a);
    if (blocks == 0 || batches == 0) return;
    constexpr unsigned bytes_of_a_thread = 12;
    g.launch(
        k.name(), [&] { return k.ptx(g.capability()); },
        {blocks, 1, static_cast<std::uint64_t>(batches), k.threads(),
         k.threads() * bytes_of_a_thread},
        h.stream, &a);
}

void elementwise(void* h, vector_operation operation, element type, std::int64_t n,
                 const void* alpha, const void* x, std::int64_t inc_x, const void* y,
                 std::int64_t inc_y) {
    const handle& owner = handle_of(h);
    vector_arguments a;
    if (n <= 0) return;
    a.n = size_of(n);
    if (alpha != nullptr) set_scalar(owner, type, alpha, a.alpha_address, a.alpha);
    a.x = address(x);
    a.y = address(y);
    a.inc_x = inc_x;
    a.inc_y = inc_y;
    launch(owner, operation, type, a);
}

/// A reduction; the result is in host or device memory, as the pointer mode says.
void reduce(void* h, vector_operation operation, element type, std::int64_t n, const void* x,
            std::int64_t inc_x, const void* y, std::int64_t inc_y, void* result,
            std::size_t result_bytes) {
    const handle& owner = handle_of(h);
    require(result != nullptr);
    const bool on_device = owner.pointer_mode == 1;
    const bool index = operation == vector_operation::iamax || operation == vector_operation::iamin;
    if (!on_device && (n <= 0 || (operation != vector_operation::dot && inc_x <= 0))) {
        std::memset(result, 0, result_bytes);
        return;
    }
    require(n > 0 || !index, not_supported);
    vector_arguments a;
    a.n = size_of(std::max<std::int64_t>(n, 0));
    a.x = address(x);
    a.y = address(y);
    a.inc_x = inc_x;
    a.inc_y = inc_y;
    a.result = on_device ? address(result) : owner.own_workspace;
    launch(owner, operation, type, a);
    if (on_device) return;
    if (index && result_bytes == sizeof(std::int64_t)) {
        std::int32_t value = 0;
        gpu::read(&value, a.result, sizeof value, owner.stream);
        const std::int64_t wide = value;
        std::memcpy(result, &wide, sizeof wide);
    } else {
        gpu::read(result, a.result, result_bytes, owner.stream);
    }
}

void gemv(void* h, element type, int transpose, std::int64_t m, std::int64_t n, const void* alpha,
          const void* matrix, std::int64_t lda, std::int64_t stride_a, const void* x,
          std::int64_t inc_x, std::int64_t stride_x, const void* beta, void* y, std::int64_t inc_y,
          std::int64_t stride_y, std::int64_t batches) {
    const handle& owner = handle_of(h);
    require(transpose >= 0 && transpose <= 2 && inc_x != 0 && inc_y != 0 &&
            lda >= std::max<std::int64_t>(1, m));
    vector_arguments a;
    a.m = size_of(m);
    a.n = size_of(n);
    a.x = address(matrix);
    a.inc_x = lda;
    a.stride_x = stride_a;
    a.y = address(x);
    a.inc_y = inc_x;
    a.stride_y = stride_x;
    a.z = address(y);
    a.inc_z = inc_y;
    a.stride_z = stride_y;
    set_scalar(owner, type, alpha, a.alpha_address, a.alpha);
    set_scalar(owner, type, beta, a.beta_address, a.beta);
    launch(owner, transpose == 0 ? vector_operation::gemv_n : vector_operation::gemv_t, type, a,
           batches);
}

void trsm(void* h, element type, int side, int fill, int transpose, int diagonal, std::int64_t m,
          std::int64_t n, const void* alpha, const void* matrix, std::int64_t lda, void* b,
          std::int64_t ldb, bool arrays, std::int64_t batches) {
    const handle& owner = handle_of(h);
    require(side >= 0 && side <= 1 && fill >= 0 && fill <= 1 && transpose >= 0 && transpose <= 2 &&
            diagonal >= 0 && diagonal <= 1);
    require(lda >= std::max<std::int64_t>(1, side == 0 ? m : n) &&
            ldb >= std::max<std::int64_t>(1, m));
    vector_arguments a;
    a.m = size_of(m);
    a.n = size_of(n);
    a.x = address(matrix);
    a.inc_x = lda;
    a.y = address(b);
    a.inc_y = ldb;
    a.pointer_arrays = arrays ? 1 : 0;
    a.flags = (side == 1 ? flag_right : 0) | (fill == 1 ? flag_upper : 0) |
              (transpose != 0 ? flag_transpose_a : 0) | (diagonal == 1 ? flag_unit_diagonal : 0);
    set_scalar(owner, type, alpha, a.alpha_address, a.alpha);
    if (a.m == 0 || a.n == 0) return;
    launch(owner, vector_operation::trsm, type, a, batches);
}

void geam(void* h, element type, int ta, int tb, std::int64_t m, std::int64_t n, const void* alpha,
          const void* a, std::int64_t lda, const void* beta, const void* b, std::int64_t ldb,
          void* c, std::int64_t ldc) {
    const handle& owner = handle_of(h);
    require(ta >= 0 && ta <= 2 && tb >= 0 && tb <= 2 && ldc >= std::max<std::int64_t>(1, m));
    vector_arguments x;
    x.m = size_of(m);
    x.n = size_of(n);
    require(m * n <= std::numeric_limits<std::int32_t>::max(), not_supported);
    x.x = address(a);
    x.inc_x = lda;
    x.y = address(b);
    x.inc_y = ldb;
    x.z = address(c);
    x.inc_z = ldc;
    x.flags = (ta != 0 ? flag_transpose_a : 0) | (tb != 0 ? flag_transpose_b : 0);
    set_scalar(owner, type, alpha, x.alpha_address, x.alpha);
    set_scalar(owner, type, beta, x.beta_address, x.beta);
    launch(owner, vector_operation::geam, type, x);
}

element ex_element(int type, int execution) {
    const std::optional<element> e = element_of(type);
    require(e.has_value(), not_supported);
    const bool half = *e == element::f16 || *e == element::bf16;
    const element computes = half ? element::f32 : *e;
    require(
        element_of(execution) == computes && (computes == element::f32 || computes == element::f64),
        not_supported);
    return *e;
}

}  // namespace

#define VECTORS(letter, lower, type, c_type, suffix, size)                                         \
    BLAS(cublas##letter##axpy##suffix)                                                             \
    (void* h, size n, const void* alpha, const void* x, size inc_x, void* y, size inc_y) {         \
        return call(                                                                               \
            [&] { elementwise(h, vector_operation::axpy, type, n, alpha, x, inc_x, y, inc_y); });  \
    }                                                                                              \
    BLAS(cublas##letter##scal##suffix)(void* h, size n, const void* alpha, void* x, size inc_x) {  \
        return call([&] {                                                                          \
            elementwise(h, vector_operation::scal, type, n, alpha, x, inc_x, nullptr, 1);          \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##copy##suffix)                                                             \
    (void* h, size n, const void* x, size inc_x, void* y, size inc_y) {                            \
        return call([&] {                                                                          \
            elementwise(h, vector_operation::copy, type, n, nullptr, x, inc_x, y, inc_y);          \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##swap##suffix)                                                             \
    (void* h, size n, void* x, size inc_x, void* y, size inc_y) {                                  \
        return call([&] {                                                                          \
            elementwise(h, vector_operation::swap, type, n, nullptr, x, inc_x, y, inc_y);          \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##dot##suffix)                                                              \
    (void* h, size n, const void* x, size inc_x, const void* y, size inc_y, void* result) {        \
        return call([&] {                                                                          \
            reduce(h, vector_operation::dot, type, n, x, inc_x, y, inc_y, result, sizeof(c_type)); \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##nrm2##suffix)(void* h, size n, const void* x, size inc_x, void* result) { \
        return call([&] {                                                                          \
            reduce(h, vector_operation::nrm2, type, n, x, inc_x, x, inc_x, result,                 \
                   sizeof(c_type));                                                                \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##asum##suffix)(void* h, size n, const void* x, size inc_x, void* result) { \
        return call([&] {                                                                          \
            reduce(h, vector_operation::asum, type, n, x, inc_x, x, inc_x, result,                 \
                   sizeof(c_type));                                                                \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublasI##lower##amax##suffix)(void* h, size n, const void* x, size inc_x, size* result) { \
        return call([&] {                                                                          \
            reduce(h, vector_operation::iamax, type, n, x, inc_x, x, inc_x, result, sizeof(size)); \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublasI##lower##amin##suffix)(void* h, size n, const void* x, size inc_x, size* result) { \
        return call([&] {                                                                          \
            reduce(h, vector_operation::iamin, type, n, x, inc_x, x, inc_x, result, sizeof(size)); \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##gemv##suffix)                                                             \
    (void* h, int t, size m, size n, const void* alpha, const void* a, size lda, const void* x,    \
     size inc_x, const void* beta, void* y, size inc_y) {                                          \
        return call(                                                                               \
            [&] { gemv(h, type, t, m, n, alpha, a, lda, 0, x, inc_x, 0, beta, y, inc_y, 0, 1); }); \
    }                                                                                              \
    BLAS(cublas##letter##trsm##suffix)                                                             \
    (void* h, int side, int fill, int t, int diagonal, size m, size n, const void* alpha,          \
     const void* a, size lda, void* b, size ldb) {                                                 \
        return call([&] {                                                                          \
            trsm(h, type, side, fill, t, diagonal, m, n, alpha, a, lda, b, ldb, false, 1);         \
        });                                                                                        \
    }
VECTORS(S, s, element::f32, float, _v2, int)
VECTORS(S, s, element::f32, float, _v2_64, std::int64_t)
VECTORS(D, d, element::f64, double, _v2, int)
VECTORS(D, d, element::f64, double, _v2_64, std::int64_t)
#undef VECTORS

#define MATRICES(letter, type, suffix, size)                                                       \
    BLAS(cublas##letter##geam##suffix)                                                             \
    (void* h, int ta, int tb, size m, size n, const void* alpha, const void* a, size lda,          \
     const void* beta, const void* b, size ldb, void* c, size ldc) {                               \
        return call([&] { geam(h, type, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc); });    \
    }                                                                                              \
    BLAS(cublas##letter##trsmBatched##suffix)                                                      \
    (void* h, int side, int fill, int t, int diagonal, size m, size n, const void* alpha,          \
     const void* const* a, size lda, void* const* b, size ldb, size batches) {                     \
        return call([&] {                                                                          \
            trsm(h, type, side, fill, t, diagonal, m, n, alpha, a, lda, const_cast<void**>(b),     \
                 ldb, true, batches);                                                              \
        });                                                                                        \
    }                                                                                              \
    BLAS(cublas##letter##gemvStridedBatched##suffix)                                               \
    (void* h, int t, size m, size n, const void* alpha, const void* a, size lda,                   \
     long long stride_a, const void* x, size inc_x, long long stride_x, const void* beta, void* y, \
     size inc_y, long long stride_y, size batches) {                                               \
        return call([&] {                                                                          \
            gemv(h, type, t, m, n, alpha, a, lda, stride_a, x, inc_x, stride_x, beta, y, inc_y,    \
                 stride_y, batches);                                                               \
        });                                                                                        \
    }
MATRICES(S, element::f32, , int)
MATRICES(S, element::f32, _64, std::int64_t)
MATRICES(D, element::f64, , int)
MATRICES(D, element::f64, _64, std::int64_t)
#undef MATRICES

#define VECTORS_EX(suffix, size)                                                                \
    BLAS(cublasAxpyEx##suffix)                                                                  \
    (void* h, size n, const void* alpha, int alpha_type, const void* x, int x_type, size inc_x, \
     void* y, int y_type, size inc_y, int execution) {                                          \
        return call([&] {                                                                       \
            require(alpha_type == execution && y_type == x_type, not_supported);                \
            elementwise(h, vector_operation::axpy, ex_element(x_type, execution), n, alpha, x,  \
                        inc_x, y, inc_y);                                                       \
        });                                                                                     \
    }                                                                                           \
    BLAS(cublasScalEx##suffix)                                                                  \
    (void* h, size n, const void* alpha, int alpha_type, void* x, int x_type, size inc_x,       \
     int execution) {                                                                           \
        return call([&] {                                                                       \
            require(alpha_type == execution, not_supported);                                    \
            elementwise(h, vector_operation::scal, ex_element(x_type, execution), n, alpha, x,  \
                        inc_x, nullptr, 1);                                                     \
        });                                                                                     \
    }                                                                                           \
    BLAS(cublasNrm2Ex##suffix)                                                                  \
    (void* h, size n, const void* x, int x_type, size inc_x, void* result, int result_type,     \
     int execution) {                                                                           \
        return call([&] {                                                                       \
            require(result_type == x_type, not_supported);                                      \
            const element e = ex_element(x_type, execution);                                    \
            reduce(h, vector_operation::nrm2, e, n, x, inc_x, x, inc_x, result, bytes_of(e));   \
        });                                                                                     \
    }                                                                                           \
    BLAS(cublasDotEx##suffix)                                                                   \
    (void* h, size n, const void* x, int x_type, size inc_x, const void* y, int y_type,         \
     size inc_y, void* result, int result_type, int execution) {                                \
        return call([&] {                                                                       \
            require(result_type == x_type && y_type == x_type, not_supported);                  \
            const element e = ex_element(x_type, execution);                                    \
            reduce(h, vector_operation::dot, e, n, x, inc_x, y, inc_y, result, bytes_of(e));    \
        });                                                                                     \
    }
VECTORS_EX(, int)
VECTORS_EX(_64, std::int64_t)
#undef VECTORS_EX
