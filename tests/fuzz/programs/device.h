// SPDX-License-Identifier: Apache-2.0
// What random programs use of the device beyond CUDA's own functions. host.h has the same for the
// host.
#pragma once

#define KERNEL extern "C" __global__ void
#define FUNCTION __device__ __noinline__
#define METHOD __device__ virtual

#include "common.h"

__device__ inline u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

/// __mul24 as an instruction: nvcc 13.0 takes the product of a number with itself for not negative,
/// although only its low 32 bits are kept.
__device__ inline int mul24(int a, int b) {
    int product;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
    return product;
}

// ---- asynchronous copies and barriers in shared memory
// --------------------------------------------

#if __CUDA_ARCH__ >= 800
template <int bytes>
__device__ inline void copy_async(void* to, const void* from) {
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
                     "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)),
                     "l"(from), "n"(bytes)
                     : "memory");
}
template <int bytes>
__device__ inline void copy_async(void* to, const void* from, u32 size) {
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(size)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                     "l"(from), "n"(bytes), "r"(size)
                     : "memory");
}
__device__ inline void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int n>
__device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
__device__ inline void barrier_init(u64* b, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                 : "memory");
}
__device__ inline void barrier_arrive(u64* b) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(b))
                 : "memory");
}
__device__ inline void barrier_arrive_drop(u64* b) {
    asm volatile(
        "{ .reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0]; }" ::"r"(shared_address(b))
        : "memory");
}
__device__ inline void barrier_wait(u64* b, u32 parity) {
    u32 done;
    do {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
            "p; }"
            : "=r"(done)
            : "r"(shared_address(b)), "r"(parity)
            : "memory");
    } while (done == 0);
}
#endif

// ---- half precision
// -------------------------------------------------------------------------------

/// NaNs as one number, as in bits().
__device__ inline u32 same_nan(u32 x, u32 infinity) {
    const u32 low = (x & 0x7fff) > infinity ? 0x7fff : x & 0xffff;
    const u32 high = (x >> 16 & 0x7fff) > infinity ? 0x7fff : x >> 16;
    return high << 16 | low;
}
#define IN_PAIRS(name, instruction, infinity)                       \
    __device__ inline u32 name(u32 a, u32 b) {                      \
        u32 d;                                                      \
        asm(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
        return same_nan(d, infinity);                               \
    }
#define OF_THREE(name, instruction, infinity)                                   \
    __device__ inline u32 name(u32 a, u32 b, u32 c) {                           \
        u32 d;                                                                  \
        asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
        return same_nan(d, infinity);                                           \
    }
IN_PAIRS(half_add, "add.rn.f16x2", 0x7c00)
IN_PAIRS(half_sub, "sub.rn.f16x2", 0x7c00)
IN_PAIRS(half_mul, "mul.rn.f16x2", 0x7c00)
OF_THREE(half_fma, "fma.rn.f16x2", 0x7c00)
#if __CUDA_ARCH__ >= 800
OF_THREE(bfloat_fma, "fma.rn.bf16x2", 0x7f80)
#endif
__device__ inline u32 half_of(float high, float low) {
    u32 d;
    asm("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %2; cvt.rn.f16.f32 h, %1; mov.b32 %0, {l, h}; }"
        : "=r"(d)
        : "f"(high), "f"(low));
    return same_nan(d, 0x7c00);
}
__device__ inline float float_of_half(u32 h) {
    float f;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(f) : "r"(h));
    return f;
}
