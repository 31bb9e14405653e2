// SPDX-License-Identifier: Apache-2.0
// Bulk copies and warpgroup matrix products of sm_90a, for scripts/calibrate. Compiled with nvcc.
#include "measure.h"

static inline __device__ u32 shared_address(const void* p) {
    return static_cast<u32>(__cvta_generic_to_shared(p));
}

static inline __device__ void init(u32 barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(barrier) : "memory");
}

/// Ends a copy in the order of the measurements (HPMLL/NVIDIA-Hopper-Benchmark, NewFeatures/TMA):
/// the copy is followed by expect_tx, arrive and the wait.
static inline __device__ void wait_for(u32 bytes, u32 barrier, u32 parity) {
    asm volatile(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%1], %0;"
        "mbarrier.arrive.shared.b64 _, [%1];" ::"r"(bytes),
        "r"(barrier)
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

/// Copies bytes from global to shared memory and waits for them.
static inline __device__ void copy(u32 to, const char* from, u32 bytes, u32 barrier, u32 parity) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
    wait_for(bytes, barrier, parity);
}

/// Copies a box of a one-dimensional tensor.
static inline __device__ void copy_box(u32 to, const char* map, u32 element, u32 bytes, u32 barrier,
                                       u32 parity) {
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2}], [%3];" ::"r"(to),
        "l"(map), "r"(element), "r"(barrier)
        : "memory");
    wait_for(bytes, barrier, parity);
}

/// Cycles of `count` copies of 16 bytes after a first; each copy loads the address of the next.
extern "C" __global__ void latency_bulk_copy(u32* times, char* data, u32 count) {
    __shared__ __align__(16) const char* volatile next[2];
    __shared__ u64 barrier;
    const u32 b = shared_address(&barrier), to = shared_address((const void*)next);
    *reinterpret_cast<char* volatile*>(data) = data;
    next[0] = data;
    init(b);
    copy(to, next[0], 16, b, 0);
    const u32 start = now();
    for (u32 i = 1; i <= count; ++i) copy(to, next[0], 16, b, i & 1);
    note(times, start, now());
}

/// Code of the blocks that measure the bandwidth of copies: each block makes `count` copies of a
/// given number of bytes, one at a time, each from another position in data that has room for
/// `rounds` copies per block. In the measurements, the blocks make thousands of copies without
/// synchronising, so that their copies start at different times and in different rounds. Here they
/// start in that state, within 1,024 cycles and in any round.
/// @param copy_from  copies from a position and waits, in a phase of the mbarrier
template <class Copy>
static inline __device__ void copy_rounds(u32* times, u32 bytes, u32 count, u32 rounds, u32 barrier,
                                          Copy copy_from) {
    const u32 random = blockIdx.x * 0x9e3779b1u;
    const u64 line = static_cast<u64>(gridDim.x) * bytes, first = blockIdx.x * u64(bytes);
    const u64 end = first + rounds * line;
    u64 from = first + (random >> 12) % rounds * line;
    init(barrier);
    const u32 early = now();
    while (now() - early < random >> 22) {
    }
    const u32 start = now();
    for (u32 i = 0; i < count; ++i) {
        copy_from(from, i & 1);
        from += line;
        if (from == end) from = first;
    }
    note(times, start, now());
}

extern "C" __global__ void bandwidth_bulk_copy(u32* times, const char* data, u32 bytes, u32 count,
                                               u32 rounds) {
    extern __shared__ __align__(128) char buffer[];
    __shared__ u64 barrier;
    const u32 b = shared_address(&barrier), to = shared_address(buffer);
    copy_rounds(times, bytes, count, rounds, b,
                [=](u64 from, u32 parity) { copy(to, data + from, bytes, b, parity); });
}

/// @param map  of 64-bit elements in one dimension and boxes of that size; its address is replaced
extern "C" __global__ void bandwidth_tensor_copy(u32* times, const char* data, char* map, u32 bytes,
                                                 u32 count, u32 rounds) {
    extern __shared__ __align__(128) char buffer[];
    __shared__ u64 barrier;
    const u32 b = shared_address(&barrier), to = shared_address(buffer);
    asm volatile(
        "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;"
        "fence.proxy.tensormap::generic.release.gpu;"
        "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map),
        "l"(data)
        : "memory");
    copy_rounds(times, bytes, count, rounds, b, [=](u64 from, u32 parity) {
        copy_box(to, map, static_cast<u32>(from / 8), bytes, b, parity);
    });
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
