// SPDX-License-Identifier: Apache-2.0
// Bulk copies and warpgroup matrix products of sm_90a, for scripts/calibrate. Compiled with nvcc.
#include "measure.h"

static inline __device__ u32 shared_address(const void* p) {
    return static_cast<u32>(__cvta_generic_to_shared(p));
}

/// Copies bytes from global to shared memory and waits for them.
static inline __device__ void copy(u32 to, const char* from, u32 bytes, u32 barrier, u32 parity) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
    u32 done = 0;
    while (done == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
            "p; }"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
}
static inline __device__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/// Sum of the cycles of copies of one line each, after a warm-up copy.
extern "C" __global__ void latency_bulk_copy(u32* times, const char* data, u32 count) {
    __shared__ __align__(128) char line[128];
    __shared__ u64 barrier;
    const u32 b = shared_address(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    u32 sum = 0;
    for (u32 i = 0; i <= count; ++i) {
        expect(b, 128);
        const u32 start = now();
        copy(shared_address(line), data, 128, b, i & 1);
        if (i != 0) sum += now() - start;
    }
    note(times, 0, sum);
}

/// Every block performs `count` copies of a given size in sequence, from addresses across the data.
extern "C" __global__ void bandwidth_bulk_copy(u32* times, const char* data, u32 bytes, u32 count) {
    extern __shared__ __align__(128) char buffer[];
    __shared__ u64 barrier;
    const u32 b = shared_address(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    const u32 start = now();
    for (u32 i = 0; i < count; ++i) {
        expect(b, bytes);
        copy(shared_address(buffer), data + (static_cast<u64>(i) * gridDim.x + blockIdx.x) * bytes,
             bytes, b, i & 1);
    }
    note(times, start, now());
}

#define COMMA ,
#define R4(f, n) f(n), f(n + 1), f(n + 2), f(n + 3)
#define R16(f, n) R4(f, n), R4(f, n + 4), R4(f, n + 8), R4(f, n + 12)
#define R64(f, n) R16(f, n), R16(f, n + 16), R16(f, n + 32), R16(f, n + 48)
#define OUTPUT(n) "+f"(d[n])
#define REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define REGISTERS_128                                                                         \
    REGISTERS_16                                                                              \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, " \
    "%33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "   \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, "   \
    "%67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "   \
    "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, "  \
    "%101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, "    \
    "%115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/// A warpgroup starts `count` products in one group and waits for it. Operands are in shared memory
/// without swizzle; the strides of core matrices do not matter.
#define PRODUCTS(name, shape_and_types, registers, number, outputs, a, inputs, rest)           \
    extern "C" __global__ void __launch_bounds__(128)                                          \
        iteration_wgmma_##name(u32* times, float* sums, u32 count) {                           \
        extern __shared__ __align__(128) char buffer[];                                        \
        float d[number];                                                                       \
        for (float& x : d) x = 0;                                                              \
        const u64 matrix = (shared_address(buffer) >> 4) | u64(8) << 16 | u64(16) << 32;       \
        const u32 zero = 0;                                                                    \
        barrier();                                                                             \
        const u32 start = now();                                                               \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                \
        _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) asm volatile(                      \
            "wgmma.mma_async" shape_and_types " {" registers "}, " a ", " rest ";" : outputs : \
            inputs);                                                                           \
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::    \
                         : "memory");                                                          \
        const u32 end = now();                                                                 \
        for (const float x : d) sums[threadIdx.x] += x + zero;                                 \
        note(times, start, end);                                                               \
    }

#define SHARED_OPERANDS "l"(matrix), "l"(matrix)
#define HALVES_256 ".sync.aligned.m64n256k16.f32.f16.f16"
#define D_128 R64(OUTPUT, 0), R64(OUTPUT, 64)

PRODUCTS(f16, HALVES_256, REGISTERS_128, 128, D_128, "%128", SHARED_OPERANDS, "%129, 1, 1, 1, 0, 0")
PRODUCTS(f16_registers, HALVES_256, REGISTERS_128, 128, D_128, "{%128, %128, %128, %128}",
         "r"(zero)COMMA "l"(matrix), "%129, 1, 1, 1, 0")
PRODUCTS(f16_n32, ".sync.aligned.m64n32k16.f32.f16.f16", REGISTERS_16, 16, R16(OUTPUT, 0), "%16",
         SHARED_OPERANDS, "%17, 1, 1, 1, 0, 0")
PRODUCTS(e4m3, ".sync.aligned.m64n256k32.f32.e4m3.e4m3", REGISTERS_128, 128, D_128, "%128",
         SHARED_OPERANDS, "%129, 1, 1, 1")
PRODUCTS(tf32, ".sync.aligned.m64n256k8.f32.tf32.tf32", REGISTERS_128, 128, D_128, "%128",
         SHARED_OPERANDS, "%129, 1, 1, 1")
PRODUCTS(sparse, ".sp.sync.aligned.m64n256k32.f32.f16.f16", REGISTERS_128, 128, D_128, "%128",
         SHARED_OPERANDS COMMA "r"(zero), "%129, %130, 0, 1, 1, 1, 0, 0")
PRODUCTS(sparse_registers, ".sp.sync.aligned.m64n256k32.f32.f16.f16", REGISTERS_128, 128, D_128,
         "{%128, %128, %128, %128}", "r"(zero)COMMA "l"(matrix), "%129, %128, 0, 1, 1, 1, 0")
