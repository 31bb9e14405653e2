// SPDX-License-Identifier: Apache-2.0
#include "runtimes/blas/gemm.h"

#include "runtimes/blas/column_kernel.h"
#include "runtimes/blas/gpu.h"
#include "runtimes/blas/types.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace simtlm::blas {

namespace {

std::int64_t divided_up(std::int64_t x, std::int64_t by) {
    return (x + by - 1) / by;
}

std::uint64_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

double half_value(std::uint16_t bits) {
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31)
        return sign * (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : std::numeric_limits<double>::infinity());
    if (exponent == 0) return sign * fraction / (1 << 24);
    return sign * (1 + fraction / 1024.0) *
           (exponent >= 15 ? 1 << (exponent - 15) : 1.0 / (1 << (15 - exponent)));
}

/// A scalar in host memory.
double host_value(const void* at, element type) {
    const auto read = [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return value;
    };
    switch (type) {
        case element::f64:
            return read(double{});
        case element::s32:
            return read(std::int32_t{});
        case element::f16:
            return half_value(read(std::uint16_t{}));
        default:
            return static_cast<double>(read(float{}));
    }
}

arithmetic unit_of(const gemm_problem& p, unsigned capability) {
    if (p.compute == compute_32i || p.compute == compute_32i_pedantic) return arithmetic::s32;
    if (p.a.type == element::f64) {
        // Others have f64 tensor instructions, but not the rate.
        const bool fast = capability == 80 || capability == 90 || capability == 100;
        return fast ? arithmetic::f64_tensor : arithmetic::f64;
    }
    const bool pedantic = p.compute == compute_32f_pedantic || p.compute == compute_16f_pedantic;
    if (p.a.type != p.b.type || pedantic) return arithmetic::f32;
    if (p.a.type == element::f16)
        return capability >= 70 ? arithmetic::half_tensor : arithmetic::f32;
    if (p.a.type == element::bf16)
        return capability >= 80 ? arithmetic::half_tensor : arithmetic::f32;
    if (p.a.type == element::f32 && p.allow_tf32 && capability >= 80)
        return arithmetic::tf32_tensor;
    return arithmetic::f32;
}

/// Whether every column of every batch begins at a multiple of 16 bytes.
bool is_aligned(const matrix& x, bool arrays, std::int64_t batches) {
    constexpr std::int64_t chunk = 16;
    const auto bytes = static_cast<std::int64_t>(bytes_of(x.type));
    return !arrays && address(x.at) % chunk == 0 && x.ld * bytes % chunk == 0 &&
           (batches == 1 || x.stride * bytes % chunk == 0);
}

bool has_pairs(const matrix& x, bool arrays, std::int64_t batches) {
    const auto pair = 2 * static_cast<std::int64_t>(bytes_of(x.type));
    return !arrays && address(x.at) % static_cast<std::uint64_t>(pair) == 0 && x.ld % 2 == 0 &&
           (batches == 1 || x.stride % 2 == 0);
}

bool has_wide_sums(const gemm_kernel& k) {
    return k.unit == arithmetic::f64 || k.unit == arithmetic::f64_tensor;
}

std::int64_t tiles_of(const gemm_problem& p, unsigned tile) {
    return divided_up(p.m, tile) * divided_up(p.n, tile) * p.batches;
}

/// The kernel of a product that is not split.
gemm_kernel kernel_of(const gemm_problem& p, const gpu& g) {
    gemm_kernel kernel;
    kernel.capability = g.capability();
    kernel.a = p.a.type;
    kernel.b = p.b.type;
    kernel.d = p.d.type;
    kernel.unit = unit_of(p, g.capability());
    kernel.transpose_a = p.transpose_a;
    kernel.transpose_b = p.transpose_b;
    kernel.aligned = is_aligned(p.a, p.pointer_arrays, p.batches) &&
                     is_aligned(p.b, p.pointer_arrays, p.batches);
    kernel.pairs =
        has_pairs(p.c, p.pointer_arrays, p.batches) && has_pairs(p.d, p.pointer_arrays, p.batches);
    kernel.bias = p.bias != nullptr;
    kernel.bias_type = p.bias_type;
    kernel.act = p.act;
    kernel.auxiliary = p.auxiliary != nullptr && p.act != activation::gelu_gradient;
    kernel.large =
        !has_wide_sums(kernel) && p.m > 64 && p.n > 64 && tiles_of(p, 128) >= g.multiprocessors();
    return kernel;
}

/// Extent of a split in k. The products of few tiles are divided among the multiprocessors.
std::int64_t split_extent(const gemm_problem& p, const gemm_kernel& kernel, const gpu& g) {
    std::int64_t splits = 1;
    constexpr std::int64_t min_k = 256, max_splits = 32;
    if (!has_wide_sums(kernel) && kernel.unit != arithmetic::s32) {
        splits =
            std::min({g.multiprocessors() / tiles_of(p, kernel.tile()), p.k / min_k, max_splits});
        const std::int64_t sums = p.m * p.n * p.batches * static_cast<std::int64_t>(sizeof(float));
        splits = std::min(splits, static_cast<std::int64_t>(p.workspace_bytes) / sums);
        splits = std::max<std::int64_t>(splits, 1);
    }
    return divided_up(divided_up(std::max<std::int64_t>(p.k, 1), splits), kernel.tile_k()) *
           kernel.tile_k();
}

/// The parameters of a launch, except the number of batches and the splits.
/// @param first  batch
gemm_arguments arguments_of(const gemm_problem& p, std::int64_t first) {
    gemm_arguments x;
    const auto place = [&](const matrix& from, std::uint64_t& to, std::int64_t& stride,
                           std::int64_t& ld) {
        const auto bytes = static_cast<std::int64_t>(bytes_of(from.type));
        stride = from.stride * bytes;
        ld = from.ld;
        to = address(from.at) + static_cast<std::uint64_t>(first * (p.pointer_arrays ? 8 : stride));
    };
    place(p.a, x.a, x.stride_a, x.lda);
    place(p.b, x.b, x.stride_b, x.ldb);
    place(p.c, x.c, x.stride_c, x.ldc);
    place(p.d, x.d, x.stride_d, x.ldd);
    x.scalar_type = static_cast<std::int32_t>(p.scalar_type);
    if (p.alpha.on_device)
        x.alpha_address = address(p.alpha.at);
    else
        x.alpha = host_value(p.alpha.at, p.scalar_type);
    if (p.beta.on_device)
        x.beta_address = address(p.beta.at);
    else
        x.beta = host_value(p.beta.at, p.scalar_type);
    x.stride_bias = p.bias_stride * bytes_of(p.bias_type);
    x.bias = address(p.bias) + static_cast<std::uint64_t>(first * x.stride_bias);
    x.stride_auxiliary = p.auxiliary_stride * bytes_of(p.d.type);
    x.auxiliary = address(p.auxiliary) + static_cast<std::uint64_t>(first * x.stride_auxiliary);
    x.ld_auxiliary = p.ld_auxiliary;
    x.partial = p.workspace;
    x.m = static_cast<std::int32_t>(p.m);
    x.n = static_cast<std::int32_t>(p.n);
    x.k = static_cast<std::int32_t>(p.k);
    x.pointer_arrays = p.pointer_arrays ? 1 : 0;
    return x;
}

/// Computes a product with one column, if there is a kernel for it. @return whether
bool multiply_column(const gemm_problem& p, gpu& g) {
    const bool half = p.a.type == element::f16 || p.a.type == element::bf16;
    constexpr std::int64_t max_in_z = 65535;
    if (p.n != 1 || !p.transpose_a || p.transpose_b || !half || p.b.type != p.a.type ||
        p.bias != nullptr || p.act != activation::none || p.batches > max_in_z)
        return false;
    const column_kernel kernel{p.a.type, p.d.type, column_kernel::lanes_for(p.k), g.capability()};
    gemm_arguments x = arguments_of(p, 0);
    g.launch(
        kernel.name(), [&] { return kernel.ptx(); },
        {static_cast<std::uint64_t>(divided_up(p.m, kernel.rows_per_block())), 1,
         static_cast<std::uint64_t>(p.batches), column_kernel::threads, 0},
        p.stream, &x);
    return true;
}

}  // namespace

void check_types(const gemm_problem& p) {
    const element a = p.a.type, d = p.d.type;
    const bool real = a == element::f16 || a == element::bf16 || a == element::f32;
    switch (p.compute) {
        case compute_16f:
        case compute_16f_pedantic:
            require(a == element::f16 && p.b.type == a && d == a, not_supported);
            break;
        case compute_64f:
        case compute_64f_pedantic:
            require(a == element::f64 && p.b.type == a && d == a, not_supported);
            break;
        case compute_32i:
        case compute_32i_pedantic:
            require(a == element::s8 && p.b.type == a && d == element::s32 &&
                        p.scalar_type == element::s32,
                    not_supported);
            break;
        case compute_32f:
        case compute_32f_pedantic:
        case compute_32f_fast_16f:
        case compute_32f_fast_16bf:
        case compute_32f_fast_tf32:
            require((real || a == element::s8) && p.b.type == a, not_supported);
            require(d == element::f32 || (d == a && real), not_supported);
            break;
        default:
            throw failure{invalid_value};
    }
    const bool other_sums = p.compute == compute_64f || p.compute == compute_64f_pedantic ||
                            p.compute == compute_32i || p.compute == compute_32i_pedantic;
    require(!other_sums || (p.bias == nullptr && p.act == activation::none), not_supported);
}

void gemm(const gemm_problem& p) {
    require(p.m >= 0 && p.n >= 0 && p.k >= 0 && p.batches >= 0);
    require(p.a.ld >= std::max<std::int64_t>(1, p.transpose_a ? p.k : p.m));
    require(p.b.ld >= std::max<std::int64_t>(1, p.transpose_b ? p.n : p.k));
    require(p.c.ld >= std::max<std::int64_t>(1, p.m) && p.d.ld >= std::max<std::int64_t>(1, p.m));
    require(p.alpha.at != nullptr && p.beta.at != nullptr);
    check_types(p);
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max() / 2;
    require(p.m <= largest && p.n <= largest && p.k <= largest, not_supported);
    if (p.m == 0 || p.n == 0 || p.batches == 0) return;

    gpu& g = gpu::current();
    if (multiply_column(p, g)) return;
    gemm_kernel kernel = kernel_of(p, g);
    const std::int64_t k_split = split_extent(p, kernel, g);
    const std::int64_t splits = divided_up(std::max<std::int64_t>(p.k, 1), k_split);
    kernel.split = splits > 1;

    constexpr std::int64_t max_in_z = 65535;
    const std::int64_t at_once = max_in_z / splits;
    for (std::int64_t first = 0; first < p.batches; first += at_once) {
        const std::int64_t batches = std::min(at_once, p.batches - first);
        gemm_arguments x = arguments_of(p, first);
        x.k_split = static_cast<std::int32_t>(k_split);
        x.splits = static_cast<std::int32_t>(splits);
        x.batches = static_cast<std::int32_t>(batches);
        const auto blocks = [&](std::int64_t extent) {
            return static_cast<std::uint64_t>(divided_up(extent, kernel.tile()));
        };
        g.launch(
            kernel.name(), [&] { return kernel.ptx(); },
            {blocks(p.m), blocks(p.n), static_cast<std::uint64_t>(batches * splits),
             kernel.threads(), kernel.shared_bytes()},
            p.stream, &x);
        if (kernel.split) {
            constexpr std::int64_t threads = 256;
            const auto pairs = divided_up(p.m, 2) * p.n;
            g.launch(
                kernel.reduce_name(), [&] { return kernel.reduce_ptx(); },
                {static_cast<std::uint64_t>(divided_up(pairs, threads)), 1,
                 static_cast<std::uint64_t>(batches), threads, 0},
                p.stream, &x);
        }
    }
}

}  // namespace simtlm::blas
