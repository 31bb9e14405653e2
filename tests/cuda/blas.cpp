// SPDX-License-Identifier: Apache-2.0
// Products of matrices and operations on vectors of cuBLAS and cuBLASLt, compared with the host.
// The elements are multiples of 1/8 of small magnitude, so that all sums are exact in any order,
// and results are equal bit for bit.
#include "driver_subset.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetMathMode(void*, int);
int cublasSetPointerMode_v2(void*, int);
int cublasSetStream_v2(void*, void*);
const char* cublasGetStatusString(int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);
int cublasGemmStridedBatchedEx(void*, int, int, int, int, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int,
                               int, long long, int, int, int);
int cublasGemmBatchedEx(void*, int, int, int, int, int, const void*, const void* const*, int, int,
                        const void* const*, int, int, const void*, void* const*, int, int, int, int,
                        int);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int);
int cublasSgemv_v2(void*, int, int, int, const float*, const float*, int, const float*, int,
                   const float*, float*, int);
int cublasSaxpy_v2(void*, int, const float*, const float*, int, float*, int);
int cublasSdot_v2(void*, int, const float*, int, const float*, int, float*);
int cublasDnrm2_v2(void*, int, const double*, int, double*);
int cublasDotEx(void*, int, const void*, int, int, const void*, int, int, void*, int, int);
int cublasNrm2Ex(void*, int, const void*, int, int, void*, int, int);
int cublasScalEx(void*, int, const void*, int, void*, int, int, int);
int cublasAxpyEx(void*, int, const void*, int, const void*, int, int, void*, int, int, int);
int cublasIsamax_v2(void*, int, const float*, int, int*);
int cublasStrsmBatched(void*, int, int, int, int, int, int, const float*, const float* const*, int,
                       float* const*, int, int);
int cublasSgeam(void*, int, int, int, int, const float*, const float*, int, const float*,
                const float*, int, float*, int);
int cublasCgemm_v2(void*, int, int, int, int, int, const void*, const void*, int, const void*, int,
                   const void*, void*, int);
int cublasLtCreate(void**);
int cublasLtMatrixLayoutCreate(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
int cublasLtMatmulDescCreate(void**, int, int);
int cublasLtMatmulDescSetAttribute(void*, int, const void*, std::size_t);
int cublasLtMatmulPreferenceCreate(void**);
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*,
                                   int*);
int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
                   const void*, void*, void*, void*, const void*, void*, std::size_t, void*);
}

namespace {

// cudaDataType and cublasComputeType_t.
enum data_type { r_32f = 0, r_64f = 1, r_16f = 2, r_8i = 3, r_32i = 10, r_16bf = 14 };
enum compute_type { c_16f = 64, c_32f = 68, c_64f = 70, c_32i = 72, c_tf32 = 77 };

unsigned bytes_of(int type) {
    return type == r_8i ? 1 : type == r_16f || type == r_16bf ? 2 : type == r_64f ? 8 : 4;
}

/// Rounds to the nearest f16 or bf16 value, ties to even. Magnitudes are those of normal numbers.
std::uint16_t rounded(double v, int type) {
    const auto f = static_cast<float>(v);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &f, 4);
    if (type == r_16bf) return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    if (f == 0) return static_cast<std::uint16_t>(bits >> 16);
    const std::uint32_t even = bits + 0xfff + (bits >> 13 & 1);
    const auto exponent = static_cast<int>(even >> 23 & 255) - 127 + 15;
    return static_cast<std::uint16_t>(bits >> 16 & 0x8000) |
           static_cast<std::uint16_t>(exponent << 10) |
           static_cast<std::uint16_t>(even >> 13 & 1023);
}

void put(unsigned char* to, double v, int type) {
    const auto write = [&](auto x) { std::memcpy(to, &x, sizeof x); };
    switch (type) {
        case r_32f:
            write(static_cast<float>(v));
            break;
        case r_64f:
            write(v);
            break;
        case r_8i:
            write(static_cast<std::int8_t>(v));
            break;
        case r_32i:
            write(static_cast<std::int32_t>(v));
            break;
        default:
            write(rounded(v, type));
    }
}

/// A matrix on the host, with its copy on the device.
struct matrix {
    int type, rows, columns, ld;
    std::vector<double> values;
    std::vector<unsigned char> bytes;
    std::uint64_t device = 0;

    matrix(int t, int r, int c, int padding, unsigned seed, int shift = 0)
        : type(t), rows(r), columns(c), ld(std::max(r, 1) + padding) {
        values.resize(static_cast<std::size_t>(ld) * static_cast<unsigned>(columns));
        for (double& v : values) {
            seed = seed * 1664525 + 1013904223;
            const auto small = static_cast<int>(seed >> 24 & 15) - 8;
            v = type == r_8i || type == r_32i ? small : small / 8.0;
        }
        encode();
        const std::size_t offset = static_cast<std::size_t>(shift) * bytes_of(type);
        OK(cuMemAlloc_v2(&device, bytes.size() + offset + 16));
        device += offset;
        OK(cuMemcpyHtoD_v2(device, bytes.data(), bytes.size()));
    }
    void encode() {
        bytes.resize(values.size() * bytes_of(type));
        for (std::size_t i = 0; i < values.size(); ++i)
            put(&bytes[i * bytes_of(type)], values[i], type);
    }
    double& at(int row, int column) {
        return values[static_cast<std::size_t>(column) * static_cast<unsigned>(ld) +
                      static_cast<unsigned>(row)];
    }
    void* pointer() const { return reinterpret_cast<void*>(device); }
    /// Number of bytes of the device's copy that differ from the host's.
    unsigned differences() {
        encode();
        std::vector<unsigned char> result(bytes.size());
        OK(cuMemcpyDtoH_v2(result.data(), device, result.size()));
        unsigned n = 0;
        for (std::size_t i = 0; i < result.size(); ++i) n += result[i] != bytes[i];
        return n;
    }
};

void* handle = nullptr;
unsigned failures = 0;

void verdict(const std::string& what, unsigned differences) {
    if (differences == 0) return;
    std::printf("%s: %u bytes differ\n", what.c_str(), differences);
    ++failures;
}

/// A scalar of the type that a computation wants.
struct scalar {
    unsigned char bytes[8] = {};
    scalar(double v, int compute) {
        put(bytes, v,
            compute == c_64f   ? r_64f
            : compute == c_32i ? r_32i
            : compute == c_16f ? r_16f
                               : r_32f);
    }
};

double dot(matrix& a, bool ta, matrix& b, bool tb, int m, int n, int k) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
        sum += (ta ? a.at(i, m) : a.at(m, i)) * (tb ? b.at(n, i) : b.at(i, n));
    return sum;
}

void product(int type, int result, int compute, bool ta, bool tb, int m, int n, int k, int padding,
             int shift, double beta) {
    matrix a(type, ta ? k : m, ta ? m : k, padding, 1, shift),
        b(type, tb ? n : k, tb ? k : n, padding, 2, shift);
    matrix c(result, m, n, padding, 3, shift);
    const double factor = type == r_8i ? 3 : 0.5;
    const scalar alpha(factor, compute), beta_value(beta, compute);
    const int status =
        cublasGemmEx(handle, ta, tb, m, n, k, alpha.bytes, a.pointer(), type, a.ld, b.pointer(),
                     type, b.ld, beta_value.bytes, c.pointer(), result, c.ld, compute, -1);
    const std::string what = "product of type " + std::to_string(type) + " to " +
                             std::to_string(result) + ", computed as " + std::to_string(compute) +
                             ", " + (ta ? "t" : "n") + (tb ? "t" : "n") + " " + std::to_string(m) +
                             "x" + std::to_string(n) + "x" + std::to_string(k) + " padding " +
                             std::to_string(padding) + " shift " + std::to_string(shift);
    if (status != 0) {
        std::printf("%s: %s\n", what.c_str(), cublasGetStatusString(status));
        ++failures;
        return;
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            c.at(i, j) = factor * dot(a, ta, b, tb, i, j, k) + beta * c.at(i, j);
    verdict(what, c.differences());
}

void products(bool quick) {
    struct form {
        int type, result, compute;
    };
    int capability = 0;
    OK(cuDeviceGetAttribute(&capability, 75, 0));
    std::vector<form> forms = {
        {r_32f, r_32f, c_32f}, {r_16f, r_16f, c_32f},   {r_16f, r_32f, c_32f},
        {r_16f, r_16f, c_16f}, {r_16bf, r_16bf, c_32f}, {r_16bf, r_32f, c_32f},
        {r_64f, r_64f, c_64f}, {r_8i, r_32i, c_32i},    {r_32f, r_32f, c_tf32}};
    for (const form& f : forms)
        for (int t = 0; t < 4; ++t) {
            const bool ta = (t & 1) != 0, tb = (t & 2) != 0;
            product(f.type, f.result, f.compute, ta, tb, 64, 64, 64, 0, 0, 0);
            if (quick) continue;
            product(f.type, f.result, f.compute, ta, tb, 72, 40, 48, 8, 0,
                    1);  // aligned, partial tiles
            product(f.type, f.result, f.compute, ta, tb, 67, 35, 41, 3, 0, 1);  // not aligned
            product(f.type, f.result, f.compute, ta, tb, 64, 32, 32, 0, 1,
                    0);  // not aligned by address
            product(f.type, f.result, f.compute, ta, tb, 67, 1, 41, 3, 0, 1);  // one column
            product(f.type, f.result, f.compute, ta, tb, 40, 1, 304, 8, 0, 1);
            product(f.type, f.result, f.compute, ta, tb, 1, 9, 5, 0, 0, 0);
            product(f.type, f.result, f.compute, ta, tb, 33, 8, 0, 0, 0, 1);  // k = 0: D = beta C
            product(f.type, f.result, f.compute, ta, tb, 130, 96, 520, 6, 0, 1);  // divided in k
        }
    if (!quick) product(r_16f, r_16f, c_32f, false, false, 256, 200, 40, 0, 0, 0);
}

void batches() {
    constexpr int count = 3, m = 24, n = 17, k = 40;
    matrix a(r_16f, m, k * count, 0, 1), b(r_16f, k, n * count, 0, 2), c(r_32f, m, n * count, 0, 3),
        d(r_32f, m, n * count, 0, 3);
    const scalar one(1, c_32f), zero(0, c_32f);
    OK(cublasGemmStridedBatchedEx(handle, 0, 0, m, n, k, one.bytes, a.pointer(), r_16f, m, m * k,
                                  b.pointer(), r_16f, k, k * n, zero.bytes, c.pointer(), r_32f, m,
                                  m * n, count, c_32f, -1));
    std::uint64_t addresses[3][count], lists[3];
    for (int which = 0; which < 3; ++which) {
        const std::uint64_t bytes[] = {2U * m * k, 2U * k * n, 4U * m * n};
        const std::uint64_t first[] = {a.device, b.device, d.device};
        for (int i = 0; i < count; ++i)
            addresses[which][i] = first[which] + static_cast<unsigned>(i) * bytes[which];
        OK(cuMemAlloc_v2(&lists[which], sizeof addresses[which]));
        OK(cuMemcpyHtoD_v2(lists[which], addresses[which], sizeof addresses[which]));
    }
    const auto list = [&](int i) { return reinterpret_cast<void**>(lists[i]); };
    OK(cublasGemmBatchedEx(handle, 0, 0, m, n, k, one.bytes, list(0), r_16f, m, list(1), r_16f, k,
                           zero.bytes, list(2), r_32f, m, count, c_32f, -1));
    for (int batch = 0; batch < count; ++batch)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                double sum = 0;
                for (int x = 0; x < k; ++x) sum += a.at(i, batch * k + x) * b.at(x, batch * n + j);
                c.at(i, batch * n + j) = d.at(i, batch * n + j) = sum;
            }
    verdict("strided batches", c.differences());
    verdict("batches by address", d.differences());
    OK(cublasGemmBatchedEx(handle, 1, 0, k, 1, m, one.bytes, list(0), r_16f, m, list(1), r_16f, k,
                           zero.bytes, list(2), r_32f, k, count, c_32f, -1));
    for (int batch = 0; batch < count; ++batch)
        for (int j = 0; j < k; ++j) {
            double sum = 0;
            for (int x = 0; x < m; ++x) sum += a.at(x, batch * k + j) * b.at(x, batch * n);
            d.at(j % m, batch * n + j / m) = sum;
        }
    verdict("batches of one column by address", d.differences());
}

void vectors() {
    constexpr int m = 70, n = 45;
    matrix a(r_32f, m, n, 2, 1), x(r_32f, m, 1, 0, 2), y(r_32f, 2 * n, 1, 0, 3),
        z(r_32f, m, 1, 0, 4);
    const float two = 2, half = 0.5F;
    const auto f = [](const matrix& v) { return static_cast<float*>(v.pointer()); };
    OK(cublasSgemv_v2(handle, 1, m, n, &two, f(a), a.ld, f(x), 1, &half, f(y), -2));
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < m; ++i) sum += a.at(i, j) * x.at(i, 0);
        double& to = y.at(2 * (n - 1 - j), 0);
        to = 2 * sum + 0.5 * to;
    }
    verdict("gemv of a transposed matrix", y.differences());
    OK(cublasSgemv_v2(handle, 0, m, n, &two, f(a), a.ld, f(y), 2, &half, f(z), 1));
    for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += a.at(i, j) * y.at(2 * j, 0);
        z.at(i, 0) = 2 * sum + 0.5 * z.at(i, 0);
    }
    verdict("gemv", z.differences());
    float result = 0;
    OK(cublasSdot_v2(handle, m, f(x), 1, f(z), 1, &result));
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += x.at(i, 0) * z.at(i, 0);
    CHECK(std::fabs(result - sum) <= 1e-6 * std::fabs(sum) + 1e-6);
    OK(cublasSaxpy_v2(handle, m, &half, f(x), 1, f(z), 1));
    for (int i = 0; i < m; ++i) z.at(i, 0) += 0.5 * x.at(i, 0);
    verdict("axpy", z.differences());
    int index = 0, expected = 0;
    OK(cublasIsamax_v2(handle, m, f(z), 1, &index));
    for (int i = 1; i < m; ++i)
        if (std::fabs(z.at(i, 0)) > std::fabs(z.at(expected, 0))) expected = i;
    CHECK(index == expected + 1);
    matrix w(r_64f, 1000, 1, 0, 5);
    double norm = 0, squares = 0;
    OK(cublasDnrm2_v2(handle, 1000, static_cast<double*>(w.pointer()), 1, &norm));
    for (const double v : w.values) squares += v * v;
    CHECK(norm == std::sqrt(squares));
    matrix t(r_32f, n, m, 0, 6), u(r_32f, m, n, 0, 7);
    OK(cublasSgeam(handle, 1, 0, m, n, &two, f(t), t.ld, &half, f(u), u.ld, f(u), u.ld));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) u.at(i, j) = 2 * t.at(j, i) + 0.5 * u.at(i, j);
    verdict("sum of matrices", u.differences());
}

/// Vectors of halves, with f32 for scalars and sums.
void vectors_of_halves(int type) {
    constexpr int n = 300;
    matrix x(type, n, 1, 0, 8), y(type, n, 1, 0, 9), results(type, 2, 1, 0, 10);
    const float factor = 2;
    OK(cublasAxpyEx(handle, n, &factor, r_32f, x.pointer(), type, 1, y.pointer(), type, 1, r_32f));
    OK(cublasScalEx(handle, n, &factor, r_32f, x.pointer(), type, 1, r_32f));
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
        y.at(i, 0) += 2 * x.at(i, 0);
        x.at(i, 0) *= 2;
        sum += x.at(i, 0) * y.at(i, 0);
        squares += x.at(i, 0) * x.at(i, 0);
    }
    verdict("axpy of halves", y.differences());
    verdict("scal of halves", x.differences());
    auto* const to = static_cast<unsigned char*>(results.pointer());
    OK(cublasSetPointerMode_v2(handle, 1));
    OK(cublasDotEx(handle, n, x.pointer(), type, 1, y.pointer(), type, 1, to, type, r_32f));
    OK(cublasNrm2Ex(handle, n, x.pointer(), type, 1, to + bytes_of(type), type, r_32f));
    OK(cublasSetPointerMode_v2(handle, 0));
    results.at(0, 0) = sum;
    results.at(1, 0) = std::sqrt(squares);
    verdict("dot and nrm2 of halves", results.differences());
    std::uint16_t on_host = 0, expected = rounded(sum, type);
    OK(cublasDotEx(handle, n, x.pointer(), type, 1, y.pointer(), type, 1, &on_host, type, r_32f));
    CHECK(on_host == expected);
}

/// Triangular systems whose solution is known: B = op(A) X, or X op(A), with a diagonal of powers
/// of two.
void systems() {
    constexpr int size = 6, sides = 5;
    for (int form = 0; form < 16; ++form) {
        const bool right = (form & 1) != 0, upper = (form & 2) != 0, transposed = (form & 4) != 0,
                   unit = (form & 8) != 0;
        matrix a(r_32f, size, size, 1, 1),
            x(r_32f, right ? sides : size, right ? size : sides, 1, 2), b = x;
        for (int i = 0; i < size; ++i) a.at(i, i) = unit ? 1 : 2;
        a.encode();
        OK(cuMemcpyHtoD_v2(a.device, a.bytes.data(), a.bytes.size()));
        const auto of_a = [&](int i, int j) {
            if (transposed) std::swap(i, j);
            return i == j ? (unit ? 1 : 2) : (upper ? i < j : i > j) ? a.at(i, j) : 0;
        };
        for (int i = 0; i < x.rows; ++i)
            for (int j = 0; j < x.columns; ++j) {
                double sum = 0;
                for (int k = 0; k < size; ++k)
                    sum += right ? x.at(i, k) * of_a(k, j) : of_a(i, k) * x.at(k, j);
                b.at(i, j) = sum;
            }
        b.encode();
        OK(cuMemcpyHtoD_v2(x.device, b.bytes.data(), b.bytes.size()));
        std::uint64_t list = 0;
        const std::uint64_t addresses[2] = {a.device, x.device};
        OK(cuMemAlloc_v2(&list, sizeof addresses));
        OK(cuMemcpyHtoD_v2(list, addresses, sizeof addresses));
        const float one = 1;
        OK(cublasStrsmBatched(handle, right, upper, transposed, unit, x.rows, x.columns, &one,
                              reinterpret_cast<const float* const*>(list), a.ld,
                              reinterpret_cast<float* const*>(list + 8), x.ld, 1));
        verdict("triangular system " + std::to_string(form), x.differences());
    }
}

void epilogues() {
    constexpr int m = 40, n = 24, k = 32;
    enum attribute {
        transpose_a = 3,
        epilogue = 7,
        bias_pointer = 8,
        auxiliary_pointer = 11,
        auxiliary_ld = 12
    };
    void *lt = nullptr, *la = nullptr, *lb = nullptr, *ld = nullptr, *preference = nullptr;
    OK(cublasLtCreate(&lt));
    matrix a(r_32f, k, m, 0, 1), b(r_32f, k, n, 0, 2), d(r_32f, m, n, 0, 3),
        bias(r_32f, m, 1, 0, 4), aux(r_32f, m, n, 0, 5);
    OK(cublasLtMatrixLayoutCreate(&la, r_32f, k, m, k));
    OK(cublasLtMatrixLayoutCreate(&lb, r_32f, k, n, k));
    OK(cublasLtMatrixLayoutCreate(&ld, r_32f, m, n, m));
    OK(cublasLtMatmulPreferenceCreate(&preference));
    const float one = 1, zero = 0;
    const auto gelu = [](double x) {
        return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    };
    const auto run = [&](int which) {
        void* description = nullptr;
        OK(cublasLtMatmulDescCreate(&description, c_32f, r_32f));
        const int yes = 1;
        const std::int64_t leading = m;
        const void *bias_at = bias.pointer(), *aux_at = aux.pointer();
        OK(cublasLtMatmulDescSetAttribute(description, transpose_a, &yes, sizeof yes));
        OK(cublasLtMatmulDescSetAttribute(description, epilogue, &which, sizeof which));
        OK(cublasLtMatmulDescSetAttribute(description, bias_pointer, &bias_at, sizeof bias_at));
        OK(cublasLtMatmulDescSetAttribute(description, auxiliary_pointer, &aux_at, sizeof aux_at));
        OK(cublasLtMatmulDescSetAttribute(description, auxiliary_ld, &leading, sizeof leading));
        struct {
            std::uint64_t algorithm[8];
            std::size_t workspace;
            int state;
            float waves;
            int reserved[4];
        } found{};
        int count = 0;
        OK(cublasLtMatmulAlgoGetHeuristic(lt, description, la, lb, ld, ld, preference, 1, &found,
                                          &count));
        CHECK(count == 1);
        OK(cublasLtMatmul(lt, description, &one, a.pointer(), la, b.pointer(), lb, &zero,
                          d.pointer(), ld, d.pointer(), ld, &found.algorithm, nullptr, 0, nullptr));
    };
    constexpr int with_bias = 4, relu = 2, with_gelu = 32, auxiliary = 128,
                  gelu_gradient = 64 | 128, sums_of_b = 512;
    run(with_bias | relu);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            d.at(i, j) = std::fmax(0, dot(a, true, b, false, i, j, k) + bias.at(i, 0));
    verdict("product with bias and ReLU", d.differences());

    run(with_bias | with_gelu | auxiliary);
    std::vector<float> result(d.values.size());
    OK(cuMemcpyDtoH_v2(result.data(), d.device, 4 * result.size()));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            aux.at(i, j) = dot(a, true, b, false, i, j, k) + bias.at(i, 0);
            const double expected = gelu(aux.at(i, j));
            CHECK(std::fabs(result[static_cast<unsigned>(j * m + i)] - expected) <=
                  1e-5 * (1 + std::fabs(expected)));
        }
    verdict("values before GELU", aux.differences());

    run(gelu_gradient);
    OK(cuMemcpyDtoH_v2(result.data(), d.device, 4 * result.size()));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const double x = aux.at(i, j), step = 1e-4;
            const double expected =
                dot(a, true, b, false, i, j, k) * (gelu(x + step) - gelu(x - step)) / (2 * step);
            CHECK(std::fabs(result[static_cast<unsigned>(j * m + i)] - expected) <=
                  1e-4 * (1 + std::fabs(expected)));
        }

    matrix sums(r_32f, n, 1, 0, 6);
    bias.device = sums.device;
    run(sums_of_b);
    for (int j = 0; j < n; ++j) {
        sums.at(j, 0) = 0;
        for (int i = 0; i < k; ++i) sums.at(j, 0) += b.at(i, j);
    }
    verdict("sums of B", sums.differences());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) d.at(i, j) = dot(a, true, b, false, i, j, k);
    verdict("product beside the sums", d.differences());
}

void errors() {
    constexpr int invalid_value = 7, not_supported = 15, not_initialized = 1;
    const float one = 1;
    float* const somewhere = nullptr;
    CHECK(cublasSgemm_v2(handle, 0, 0, 8, 8, 8, &one, somewhere, 4, somewhere, 8, &one, somewhere,
                         8) == invalid_value);
    CHECK(cublasSgemm_v2(handle, 0, 0, -1, 8, 8, &one, somewhere, 8, somewhere, 8, &one, somewhere,
                         8) == invalid_value);
    int other = 0;
    CHECK(cublasSgemm_v2(&other, 0, 0, 8, 8, 8, &one, somewhere, 8, somewhere, 8, &one, somewhere,
                         8) == not_initialized);
    CHECK(cublasScalEx(handle, 8, &one, r_32f, somewhere, r_8i, 1, r_32f) == not_supported);
    CHECK(cublasCgemm_v2(handle, 0, 0, 8, 8, 8, &one, somewhere, 8, somewhere, 8, &one, somewhere,
                         8) == not_supported);
}

}  // namespace

int main(int, char** argv) {
    const bool timed = std::strcmp(argv[1], "timed") == 0;
    void* context = nullptr;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cublasCreate_v2(&handle));
    products(timed);
    if (!timed) {
        batches();
        vectors();
        vectors_of_halves(r_16f);
        vectors_of_halves(r_16bf);
        systems();
        epilogues();
        errors();
    }
    OK(cublasDestroy_v2(handle));
    CHECK(failures == 0);
    std::puts("blas: passed");
    return 0;
}
