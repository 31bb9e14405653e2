// SPDX-License-Identifier: Apache-2.0
// Kernels of complete programs, in the manner of PolyBench and of NVIDIA's samples.
// scripts/measure-gpu measures them, and simtlm-calibrate compares them without using them.
#include "measure.h"

static inline __device__ u32 thread_of_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void vector_add(const float* a, const float* b, float* c, u32 n) {
    const u32 i = thread_of_grid();
    if (i < n) c[i] = a[i] + b[i];
}

/// Reads every eighth word.
__global__ void copy_strided(const float* a, float* b, u32 n) {
    const u32 i = thread_of_grid();
    if (i < n) b[i] = a[i * 8];
}

/// n x n, without shared memory: a warp stores to 32 lines. Blocks of 256.
__global__ void transpose_direct(const float* a, float* b, u32 n) {
    const u32 i = thread_of_grid(), row = i / n, column = i % n;
    if (row < n) b[column * n + row] = a[i];
}

/// n x n in tiles of 32 x 32. Blocks of 256.
__global__ void transpose_tiled(const float* a, float* b, u32 n) {
    __shared__ float tile[32][33];
    const u32 tiles = n / 32, x = blockIdx.x % tiles * 32, y = blockIdx.x / tiles * 32;
    const u32 column = threadIdx.x % 32, row = threadIdx.x / 32;
    for (u32 i = row; i < 32; i += 8) tile[i][column] = a[(y + i) * n + x + column];
    __syncthreads();
    for (u32 i = row; i < 32; i += 8) b[(x + i) * n + y + column] = tile[column][i];
}

/// 256 bins: in shared memory, then for the grid.
__global__ void histogram_256(const u32* values, u32* counts, u32 n) {
    __shared__ u32 bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = thread_of_grid(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[values[i] & 255], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void reduce_sum(const float* values, float* sum, u32 n) {
    __shared__ float parts[8];
    float s = 0;
    for (u32 i = thread_of_grid(); i < n; i += gridDim.x * blockDim.x) s += values[i];
    for (u32 distance = 16; distance != 0; distance /= 2) s += __shfl_down_sync(~0u, s, distance);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 i = 1; i < 8; ++i) s += parts[i];
        atomicAdd(sum, s);
    }
}

/// Inclusive sums of each block's 256 values.
__global__ void scan_blocks(const float* a, float* b, u32 n) {
    __shared__ float values[256];
    const u32 i = thread_of_grid(), t = threadIdx.x;
    values[t] = i < n ? a[i] : 0;
    for (u32 distance = 1; distance < 256; distance *= 2) {
        __syncthreads();
        const float before = t >= distance ? values[t - distance] : 0;
        __syncthreads();
        values[t] += before;
    }
    if (i < n) b[i] = values[t];
}

/// C = A B, one element per thread, as in PolyBench.
__global__ void gemm_direct(const float* a, const float* b, float* c, u32 n) {
    const u32 i = thread_of_grid(), row = i / n, column = i % n;
    if (row >= n) return;
    float sum = 0;
    for (u32 k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[i] = sum;
}

/// C = A B in tiles of 16 x 16. Blocks of 256.
__global__ void gemm_tiled(const float* a, const float* b, float* c, u32 n) {
    __shared__ float left[16][16], right[16][16];
    const u32 tiles = n / 16, row = blockIdx.x / tiles * 16 + threadIdx.x / 16;
    const u32 column = blockIdx.x % tiles * 16 + threadIdx.x % 16, x = threadIdx.x % 16,
              y = threadIdx.x / 16;
    float sum = 0;
    for (u32 k = 0; k < n; k += 16) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll
        for (u32 j = 0; j < 16; ++j) sum += left[y][j] * right[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/// y = A x: one row per thread, as in PolyBench's atax and mvt.
__global__ void rows_times_vector(const float* a, const float* x, float* y, u32 n) {
    const u32 row = thread_of_grid();
    if (row >= n) return;
    float sum = 0;
    for (u32 k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
    y[row] = sum;
}

/// y = A' x: one column per thread.
__global__ void columns_times_vector(const float* a, const float* x, float* y, u32 n) {
    const u32 column = thread_of_grid();
    if (column >= n) return;
    float sum = 0;
    for (u32 k = 0; k < n; ++k) sum += a[k * n + column] * x[k];
    y[column] = sum;
}

/// 3 x 3 coefficients.
__global__ void convolution(const float* a, float* b, u32 n) {
    const u32 i = thread_of_grid(), row = i / n, column = i % n;
    if (row == 0 || row >= n - 1 || column == 0 || column == n - 1) return;
    float sum = 0;
#pragma unroll
    for (u32 y = 0; y < 3; ++y)
#pragma unroll
        for (u32 x = 0; x < 3; ++x)
            sum += (0.1f * y - 0.2f * x + 0.3f) * a[(row + y - 1) * n + column + x - 1];
    b[i] = sum;
}

/// C = A A' with one element per thread.
__global__ void syrk(const float* a, const float*, float* c, u32 n) {
    const u32 i = thread_of_grid(), row = i / n, column = i % n;
    if (row >= n) return;
    float sum = 0;
    for (u32 k = 0; k < n; ++k) sum += a[row * n + k] * a[column * n + k];
    c[i] += sum;
}

/// Divergent arithmetic: lanes take different numbers of steps (Collatz).
__global__ void collatz(const u32*, u32* steps, u32 n) {
    const u32 i = thread_of_grid();
    if (i >= n) return;
    u32 v = i + 1, count = 0;
    while (v != 1 && count < 100) {
        v = v % 2 != 0 ? 3 * v + 1 : v / 2;
        ++count;
    }
    steps[i] = count;
}
