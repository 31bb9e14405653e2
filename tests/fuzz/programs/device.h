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
/// Comparison of two halves each: 1 or 0 as f16.
IN_PAIRS(half_less, "set.lt.f16x2.f16x2", 0x7c00)
IN_PAIRS(half_not_above, "set.leu.f16x2.f16x2", 0x7c00)
__device__ inline u32 half_negated(u32 a) {
    u32 d;
    asm("neg.f16x2 %0, %1;" : "=r"(d) : "r"(a));
    return same_nan(d, 0x7c00);
}
__device__ inline u32 int_of_half(u32 h) {
    s32 d;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rni.s32.f16 %0, l; }" : "=r"(d) : "r"(h));
    return (h & 0x7fff) > 0x7c00 ? 0u : (u32)d;
}
__device__ inline u32 half_of_int(u32 x) {
    u32 d;
    asm("{ .reg .b16 l, h; cvt.rn.f16.s32 l, %1; mov.b32 %0, {l, l}; }" : "=r"(d) : "r"(x));
    return d;
}
#if __CUDA_ARCH__ >= 800
IN_PAIRS(half_min, "min.f16x2", 0x7c00)
IN_PAIRS(half_max, "max.f16x2", 0x7c00)
OF_THREE(half_fma_relu, "fma.rn.relu.f16x2", 0x7c00)
IN_PAIRS(bfloat_min, "min.bf16x2", 0x7f80)
IN_PAIRS(bfloat_max, "max.bf16x2", 0x7f80)
OF_THREE(bfloat_fma_relu, "fma.rn.relu.bf16x2", 0x7f80)
__device__ inline u32 bfloat_of(float high, float low) {
    u32 d;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
    return same_nan(d, 0x7f80);
}
#endif
#if __CUDA_ARCH__ >= 890
#define OF_FP8(type)                                                                         \
    __device__ inline u32 type##_of(float high, float low) {                                 \
        u16 d;                                                                               \
        asm("cvt.rn.satfinite." #type "x2.f32 %0, %1, %2;" : "=h"(d) : "f"(high), "f"(low)); \
        return d;                                                                            \
    }                                                                                        \
    __device__ inline u32 type##_of_halves(u32 halves) {                                     \
        u16 d;                                                                               \
        asm("cvt.rn.satfinite." #type "x2.f16x2 %0, %1;" : "=h"(d) : "r"(halves));           \
        return d;                                                                            \
    }                                                                                        \
    __device__ inline u32 halves_of_##type(u32 x) {                                          \
        u32 d;                                                                               \
        asm("cvt.rn.f16x2." #type "x2 %0, %1;" : "=r"(d) : "h"((u16)x));                     \
        return same_nan(d, 0x7c00);                                                          \
    }
OF_FP8(e4m3)
OF_FP8(e5m2)
#endif

// ---- carries, bits -----------------------------------------------------------------------

__device__ inline u32 saturating_sum(u32 a, u32 b) {
    u32 d;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    return d;
}
__device__ inline u32 saturating_difference(u32 a, u32 b) {
    u32 d;
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    return d;
}
/// Sums and differences of three words, with carries from one to the next.
__device__ inline u32 carry_sum(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f) {
    u32 x, y, z;
    asm("add.cc.u32 %0, %3, %6; addc.cc.u32 %1, %4, %7; addc.u32 %2, %5, %8;"
        : "=&r"(x), "=&r"(y), "=r"(z)
        : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
    return x ^ (y << 7 | y >> 25) ^ (z << 13 | z >> 19);
}
__device__ inline u32 borrow_difference(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f) {
    u32 x, y, z;
    asm("sub.cc.u32 %0, %3, %6; subc.cc.u32 %1, %4, %7; subc.u32 %2, %5, %8;"
        : "=&r"(x), "=&r"(y), "=r"(z)
        : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
    return x ^ (y << 7 | y >> 25) ^ (z << 13 | z >> 19);
}
/// a * b + c:d, of 64 bits, and its carry.
__device__ inline u32 carry_product(u32 a, u32 b, u32 c, u32 d) {
    u32 x, y, z;
    asm("mad.lo.cc.u32 %0, %3, %4, %6; madc.hi.cc.u32 %1, %3, %4, %5; addc.u32 %2, 0, 0;"
        : "=&r"(x), "=&r"(y), "=r"(z)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return x ^ (y << 7 | y >> 25) ^ z;
}
__device__ inline u64 carry_sum64(u64 a, u64 b, u64 c, u64 d) {
    u64 x, y;
    asm("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;"
        : "=&l"(x), "=l"(y)
        : "l"(a), "l"(b), "l"(c), "l"(d));
    return x ^ (y << 7 | y >> 57);
}
__device__ inline u32 bits_at(u32 x, u32 position, u32 length) {
    u32 d;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(position & 31), "r"(length & 31));
    return d;
}
__device__ inline u32 signed_bits_at(u32 x, u32 position, u32 length) {
    s32 d;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(position & 31), "r"(length & 31));
    return (u32)d;
}
__device__ inline u32 with_bits(u32 x, u32 into, u32 position, u32 length) {
    u32 d;
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(d)
        : "r"(x), "r"(into), "r"(position & 31), "r"(length & 31));
    return d;
}
template <u32 table>
__device__ inline u32 logic(u32 a, u32 b, u32 c) {
    u32 d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(table));
    return d;
}
__device__ inline u32 highest_bit(u32 x) {
    u32 d;
    asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(x));
    return d;
}
__device__ inline u32 highest_difference(u32 x) {
    u32 d;
    asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(x));
    return d;
}
__device__ inline u32 sign_extended(u32 x, u32 length) {
    u32 d;
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(length));
    return d;
}
__device__ inline u32 mask_of(u32 position, u32 length) {
    u32 d;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(position), "r"(length));
    return d;
}
