// SPDX-License-Identifier: Apache-2.0
// C (f32) = A (f16) x B (f16) transposed on sm_90a, warp-specialised: a thread copies tiles into a
// ring of buffers in shared memory, and a warpgroup multiplies them. Tiles of A are 64 x 64, those
// of B 128 x 64, stored in global memory in the layout of wgmma: 8 x 8 core matrices of 128 bytes.
#include <cuda_fp16.h>

#include <cstdint>

constexpr unsigned tile_m = 64, tile_n = 128, tile_k = 64, stages = 4;
constexpr unsigned a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;

/// Position of an element in a tile with `rows` rows.
__device__ unsigned place(unsigned row, unsigned k, unsigned rows) {
    return ((k / 8) * (rows / 8) + row / 8) * 64 + row % 8 * 8 + k % 8;
}
__device__ float value(unsigned row, unsigned k) {
    return static_cast<float>((row * 3 + k * 5) % 7) - 3;
}

/// Fills a matrix of rows x k, tile by tile.
extern "C" __global__ void fill(__half* to, unsigned rows_of_a_tile, unsigned k) {
    const unsigned row = blockIdx.x;
    const unsigned steps = k / tile_k, elements = rows_of_a_tile * tile_k;
    for (unsigned c = threadIdx.x; c < k; c += blockDim.x)
        to[(row / rows_of_a_tile * steps + c / tile_k) * elements +
           place(row % rows_of_a_tile, c % tile_k, rows_of_a_tile)] = __float2half(value(row, c));
}

/// Counts the elements of C that differ from the expected values.
extern "C" __global__ void compare(const float* c, unsigned n, unsigned k, unsigned* wrong) {
    const unsigned row = blockIdx.x;
    for (unsigned column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0;
        for (unsigned i = 0; i < k; ++i) sum += value(row, i) * value(column, i);
        if (sum != c[row * n + column]) atomicAdd(wrong, 1);
    }
}

__device__ uint32_t shared_address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void wait(uint64_t* barrier, unsigned parity) {
    uint32_t done = 0;
    while (done == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
            "p; }"
            : "=r"(done)
            : "r"(shared_address(barrier)), "r"(parity)
            : "memory");
}
__device__ void copy(void* to, const void* from, unsigned bytes, uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}
/// Descriptor of an unswizzled tile: core matrix strides along K and along the rows, / 16 bytes.
__device__ uint64_t descriptor(const void* tile, unsigned rows) {
    return (shared_address(tile) >> 4) | static_cast<uint64_t>(rows / 8 * 8) << 16 |
           static_cast<uint64_t>(8) << 32;
}

extern "C" __global__ void __launch_bounds__(256)
    gemm(const __half* a, const __half* b, float* c, unsigned n, unsigned k) {
    extern __shared__ __align__(128) char buffers[];
    __shared__ uint64_t full[stages], empty[stages];
    const unsigned steps = k / tile_k;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < stages; ++s) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
            asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(shared_address(&empty[s])));
        }
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 128) {  // producer
        if (threadIdx.x != 128) return;
        const char* from_a = reinterpret_cast<const char*>(a) + blockIdx.y * steps * a_bytes;
        const char* from_b = reinterpret_cast<const char*>(b) + blockIdx.x * steps * b_bytes;
        for (unsigned i = 0; i < steps; ++i) {
            const unsigned s = i % stages;
            char* const stage = buffers + s * (a_bytes + b_bytes);
            wait(&empty[s], (i / stages & 1) ^ 1);
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])),
                "r"(a_bytes + b_bytes)
                : "memory");
            copy(stage, from_a + i * a_bytes, a_bytes, &full[s]);
            copy(stage + a_bytes, from_b + i * b_bytes, b_bytes, &full[s]);
        }
        return;
    }
    float d[64];
    for (float& x : d) x = 0;
    for (unsigned i = 0; i < steps; ++i) {
        const unsigned s = i % stages;
        const char* const stage = buffers + s * (a_bytes + b_bytes);
        wait(&full[s], i / stages & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (unsigned part = 0; part < tile_k / 16; ++part) {
            const uint64_t da = descriptor(stage + part * 2 * tile_m * 16, tile_m);
            const uint64_t db = descriptor(stage + a_bytes + part * 2 * tile_n * 16, tile_n);
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                "%64, %65, 1, 1, 1, 0, 0;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                  "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                  "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                  "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                  "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                : "l"(da), "l"(db));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&empty[s]))
                     : "memory");
    }
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned row = blockIdx.y * tile_m + warp * 16 + lane / 4;
    const unsigned column = blockIdx.x * tile_n + lane % 4 * 2;
    for (unsigned j = 0; j < 16; ++j)
        for (unsigned h = 0; h < 4; ++h)
            c[(row + h / 2 * 8) * n + column + j * 8 + h % 2] = d[j * 4 + h];
}
