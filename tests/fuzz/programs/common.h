// SPDX-License-Identifier: Apache-2.0
// Helper functions of random programs; the same source for the device and for the host.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

/// The bits of a number. NaNs differ in sign and payload between processors: one for all.
__device__ inline u32 bits(float x) {
    return x != x ? 0x7fffffffu : __float_as_uint(x);
}
__device__ inline u64 bits(double x) {
    return x != x ? 0x7fffffffffffffffull : (u64)__double_as_longlong(x);
}

/// Conversions to integers saturate; those of NaNs differ by width.
__device__ inline u32 to_s32(float x) {
    return x != x ? 0u : (u32)__float2int_rz(x);
}
__device__ inline u32 to_u32(float x) {
    return x != x ? 0u : __float2uint_rz(x);
}
__device__ inline u64 to_s64(float x) {
    return x != x ? 0u : (u64)__float2ll_rz(x);
}
__device__ inline u32 to_s32(double x) {
    return x != x ? 0u : (u32)__double2int_rz(x);
}
__device__ inline u32 to_u32(double x) {
    return x != x ? 0u : __double2uint_rz(x);
}
__device__ inline u64 to_u64(double x) {
    return x != x ? 0u : __double2ull_rz(x);
}

/// The lane of the n-th member of a mask, modulo their number.
__device__ inline int member(u32 mask, u32 n) {
    for (n %= (u32)__popc(mask); n != 0; --n) mask &= mask - 1;
    return __ffs(mask) - 1;
}

/// Lanes of the warp of this thread that exist.
__device__ inline u32 warp_of(u32 thread, u32 threads) {
    const u32 left = threads - (thread & ~31u);
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}

__device__ inline u32 mix(u32 h, u32 x) {
    h ^= x;
    h *= 0x9e3779b1u;
    return h ^ (h >> 15);
}
__device__ inline u32 mix(u32 h, u64 x) {
    return mix(mix(h, (u32)x), (u32)(x >> 32));
}

/// Metadata of a sparse matrix made of random bits: two different positions of four in ascending
/// order, of two bits each, in every four bits.
__device__ inline u32 quads_metadata(u32 x) {
    u32 m = 0;
    for (u32 i = 0; i < 32; i += 4) m |= (0xe4ed9c84u >> (x >> i & 7) * 4 & 15) << i;
    return m;
}
/// The same of one position of two.
__device__ inline u32 pairs_metadata(u32 x) {
    u32 m = 0;
    for (u32 i = 0; i < 32; i += 4) m |= ((x >> i & 1) != 0 ? 14u : 4u) << i;
    return m;
}

// ---- integers of 128 bits -----------------------------------------------------------------------

typedef unsigned __int128 u128;

__device__ inline u128 wide_of(u64 high, u64 low) {
    return (u128)high << 64 | low;
}
/// Both halves of a number in one.
__device__ inline u64 folded(u128 x) {
    return (u64)(x >> 64) ^ ((u64)x << 1 | (u64)x >> 63);
}
__device__ inline u64 wide_sum(u64 a, u64 b, u64 c, u64 d) {
    return folded(wide_of(a, b) + wide_of(c, d));
}
__device__ inline u64 wide_difference(u64 a, u64 b, u64 c, u64 d) {
    return folded(wide_of(a, b) - wide_of(c, d));
}
__device__ inline u64 wide_product(u64 a, u64 b, u64 c) {
    return folded(wide_of(a, b) * c);
}
__device__ inline u64 wide_square(u64 a, u64 b) {
    return folded((u128)a * b + wide_of(b, a));
}
__device__ inline u64 wide_left(u64 a, u64 b, u32 n) {
    return folded(wide_of(a, b) << (n & 127));
}
__device__ inline u64 wide_right(u64 a, u64 b, u32 n) {
    return folded((u128)((__int128)wide_of(a, b) >> (n & 127)));
}
__device__ inline bool wide_less(u64 a, u64 b, u64 c, u64 d) {
    return (__int128)wide_of(a, b) < (__int128)wide_of(c, d);
}
__device__ inline bool wide_below(u64 a, u64 b, u64 c, u64 d) {
    return wide_of(a, b) <= wide_of(c, d);
}
