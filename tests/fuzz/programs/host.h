// SPDX-License-Identifier: Apache-2.0
// Emulation of CUDA for random programs on the host: each thread of a block is a fiber. It shares
// no code with the simulator, whose results are compared with its.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#define __device__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define KERNEL static void
#define FUNCTION __attribute__((noinline))
#define METHOD virtual

namespace host {

struct index {
    unsigned x, y, z;
};
extern index thread, block, block_size, grid_size;  // of the running fiber

/// Executes a kernel, block by block. A block that cannot go on ends the program with a message.
void run(const char* kernel, unsigned blocks, unsigned threads, void (*body)(void*),
         void* arguments);

/// What the lanes of a warp exchange. All lanes of the mask that have not exited take part.
enum class exchange {
    sync,
    shfl,
    ballot,
    match,
    gather,
    add,
    min,
    max,
    smin,
    smax,
    band,
    bor,
    bxor
};
/// @param source  lane to read (shfl)
/// @return for gather the address of the values of the 32 lanes, valid until the next exchange
std::uint64_t collective(exchange what, unsigned mask, std::uint64_t value, unsigned source = 0);

/// Waits for all threads of the block that have not exited.
/// @return how many of them gave a value that is not 0
unsigned barrier(bool value);
void yield();

}  // namespace host

#define threadIdx (::host::thread)
#define blockIdx (::host::block)
#define blockDim (::host::block_size)
#define gridDim (::host::grid_size)

template <typename To, typename From>
To same_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "");
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}

// ---- numbers ------------------------------------------------------------------------------------

inline unsigned __float_as_uint(float x) {
    return same_bits<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
    return same_bits<float>(x);
}
inline long long __double_as_longlong(double x) {
    return same_bits<long long>(x);
}
inline double __longlong_as_double(long long x) {
    return same_bits<double>(x);
}

/// Towards zero; beyond the range the nearest integer.
template <typename To, typename From>
To saturated(From x) {
    const long double value = std::trunc((long double)x);
    const To least = std::is_signed<To>::value ? To(To(1) << (sizeof(To) * 8 - 1)) : To(0);
    const To most = To(~least);
    if (value <= (long double)least) return least;
    if (value >= (long double)most) return most;
    return (To)value;
}
inline int __float2int_rz(float x) {
    return saturated<int>(x);
}
inline unsigned __float2uint_rz(float x) {
    return saturated<unsigned>(x);
}
inline long long __float2ll_rz(float x) {
    return saturated<long long>(x);
}
inline int __double2int_rz(double x) {
    return saturated<int>(x);
}
inline unsigned __double2uint_rz(double x) {
    return saturated<unsigned>(x);
}
inline unsigned long long __double2ull_rz(double x) {
    return saturated<unsigned long long>(x);
}

/// NaNs lose against numbers, and -0 is less than 0.
template <typename T>
T least(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T>
T greatest(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}
#define fminf(a, b) least<float>(a, b)
#define fmaxf(a, b) greatest<float>(a, b)
#define fmin(a, b) least<double>(a, b)
#define fmax(a, b) greatest<double>(a, b)
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
    return std::fma(a, b, c);
}

template <typename T>
T min(T a, T b) {
    return a < b ? a : b;
}
template <typename T>
T max(T a, T b) {
    return a > b ? a : b;
}

inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
inline int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long y = 0;
    for (int i = 0; i < 64; ++i) y |= (x >> i & 1) << (63 - i);
    return y;
}
inline unsigned __brev(unsigned x) {
    return (unsigned)(__brevll(x) >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
inline int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
inline int mul24(int a, int b) {
    const int x = (int)((unsigned)a << 8) >> 8, y = (int)((unsigned)b << 8) >> 8;
    return (int)((unsigned)x * (unsigned)y);
}
inline unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffff) * (b & 0xffffff);
}
inline unsigned __sad(int a, int b, unsigned c) {
    return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return c + (a > b ? a - b : b - a);
}
inline int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
inline int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long all = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        result |= (unsigned)(all >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}
inline int __dp4a(int a, int b, int c) {
    unsigned sum = (unsigned)c;
    for (int i = 0; i < 32; i += 8)
        sum += (unsigned)((signed char)(a >> i) * (signed char)(b >> i));
    return (int)sum;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
    return c;
}

// ---- warps and blocks ---------------------------------------------------------------------------

inline void __syncthreads() {
    host::barrier(false);
}
inline int __syncthreads_count(int value) {
    return (int)host::barrier(value != 0);
}
inline void __syncwarp(unsigned mask) {
    host::collective(host::exchange::sync, mask, 0);
}
template <typename T>
T shuffle(unsigned mask, T value, unsigned source) {
    std::uint64_t sent = 0;
    std::memcpy(&sent, &value, sizeof value);
    sent = host::collective(host::exchange::shfl, mask, sent, source);
    std::memcpy(&value, &sent, sizeof value);
    return value;
}
inline unsigned lane() {
    return threadIdx.x & 31;
}
template <typename T>
T __shfl_sync(unsigned mask, T value, unsigned source, unsigned width = 32) {
    return shuffle(mask, value, (lane() & ~(width - 1)) | (source & (width - 1)));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, unsigned with, unsigned width = 32) {
    const unsigned from = lane() ^ with;
    return shuffle(mask, value, from > (lane() | (width - 1)) ? lane() : from);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, unsigned width = 32) {
    return shuffle(mask, value, (lane() & (width - 1)) < by ? lane() : lane() - by);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, unsigned width = 32) {
    return shuffle(mask, value, (lane() & (width - 1)) + by >= width ? lane() : lane() + by);
}
inline unsigned __ballot_sync(unsigned mask, int value) {
    return (unsigned)host::collective(host::exchange::ballot, mask, value != 0);
}
inline int __any_sync(unsigned mask, int value) {
    return __ballot_sync(mask, value) != 0;
}
inline int __all_sync(unsigned mask, int value) {
    return __ballot_sync(mask, value) == mask;
}
inline unsigned __match_any_sync(unsigned mask, std::uint64_t value) {
    return (unsigned)host::collective(host::exchange::match, mask, value);
}
inline unsigned __match_all_sync(unsigned mask, std::uint64_t value, int* all) {
    *all = __match_any_sync(mask, value) == mask;
    return *all ? mask : 0;
}
inline unsigned reduce(host::exchange what, unsigned mask, std::uint64_t value) {
    return (unsigned)host::collective(what, mask, value);
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::add, mask, x);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::min, mask, x);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::max, mask, x);
}
inline int __reduce_min_sync(unsigned mask, int x) {
    return (int)reduce(host::exchange::smin, mask, (std::uint64_t)x);
}
inline int __reduce_max_sync(unsigned mask, int x) {
    return (int)reduce(host::exchange::smax, mask, (std::uint64_t)x);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::band, mask, x);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::bor, mask, x);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned x) {
    return reduce(host::exchange::bxor, mask, x);
}

template <typename T, typename F>
T replace(T* at, F with) {
    const T old = *at;
    *at = with(old);
    return old;
}
template <typename T>
T atomicAdd(T* at, T x) {
    return replace(at, [=](T old) { return T(old + x); });
}
template <typename T>
T atomicSub(T* at, T x) {
    return replace(at, [=](T old) { return T(old - x); });
}
template <typename T>
T atomicMin(T* at, T x) {
    return replace(at, [=](T old) { return old < x ? old : x; });
}
template <typename T>
T atomicMax(T* at, T x) {
    return replace(at, [=](T old) { return old > x ? old : x; });
}
template <typename T>
T atomicAnd(T* at, T x) {
    return replace(at, [=](T old) { return old & x; });
}
template <typename T>
T atomicOr(T* at, T x) {
    return replace(at, [=](T old) { return old | x; });
}
template <typename T>
T atomicXor(T* at, T x) {
    return replace(at, [=](T old) { return old ^ x; });
}
template <typename T>
T atomicExch(T* at, T x) {
    return replace(at, [=](T) { return x; });
}
template <typename T>
T atomicCAS(T* at, T compare, T x) {
    return replace(at, [=](T old) { return old == compare ? x : old; });
}
inline unsigned atomicInc(unsigned* at, unsigned most) {
    return replace(at, [=](unsigned old) { return old >= most ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned* at, unsigned most) {
    return replace(at, [=](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}

inline unsigned __ldg(const unsigned* at) {
    return *at;
}
inline unsigned __ldcg(const unsigned* at) {
    return *at;
}
inline unsigned __ldcs(const unsigned* at) {
    return *at;
}
inline unsigned __ldcv(const unsigned* at) {
    return *at;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

#include "common.h"

// ---- asynchronous copies and barriers in shared memory
// --------------------------------------------

/// Copies at once; what is left of `bytes` is zero.
template <int bytes>
void copy_async(void* to, const void* from, u32 size = bytes) {
    std::memset(to, 0, bytes);
    std::memcpy(to, from, size);
}
inline void commit_copies() {}
template <int n>
void wait_for_copies() {}

/// A barrier as a number: phase in bit 63, arrivals that are missing, arrivals of a phase.
struct barrier_state {
    u32 phase, missing, count;
};
inline u64 pack(barrier_state b) {
    return (u64)b.phase << 63 | (u64)b.missing << 20 | b.count;
}
inline barrier_state unpack(u64 b) {
    return {(u32)(b >> 63), (u32)(b >> 20) & 0xfffffu, (u32)b & 0xfffffu};
}
inline void barrier_init(u64* b, u32 count) {
    *b = pack({0, count, count});
}
inline void barrier_arrive(u64* at, u32 count = 1, bool drop = false) {
    barrier_state b = unpack(*at);
    b.missing -= count;
    if (drop) b.count -= count;
    if (b.missing == 0) b = {b.phase ^ 1, b.count, b.count};
    *at = pack(b);
}
inline void barrier_arrive_drop(u64* at) {
    barrier_arrive(at, 1, true);
}
inline void barrier_wait(u64* at, u32 parity) {
    while (unpack(*at).phase == parity) host::yield();
}

// ---- half precision
// -------------------------------------------------------------------------------

/// Rounds to the nearest number of `digits` significant bits, at least 2^least apart; ties to even.
inline double rounded(double x, int digits, int least) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent;
    std::frexp(x, &exponent);
    const int unit = std::max(exponent - digits, least);
    return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}
/// a * b + c in double precision, rounded to odd if inexact, so that a second rounding is exact.
inline double odd_fma(double a, double b, double c) {
    const double p = a * b, s = p + c;
    if (!std::isfinite(s)) return s;
    const double t = s - p, error = (p - (s - t)) + (c - t);
    if (error == 0 || (same_bits<u64>(s) & 1) != 0) return s;
    return std::nextafter(s, error > 0 ? INFINITY : -INFINITY);
}
struct half_format {
    static constexpr int digits = 11, least = -24;
    static constexpr double limit = 65520;
    static double value(u32 h) {
        const int exponent = h >> 10 & 31;
        const double m = h & 1023;
        const double x = exponent == 31  ? (m != 0 ? NAN : INFINITY)
                         : exponent == 0 ? std::ldexp(m, -24)
                                         : std::ldexp(m + 1024, exponent - 25);
        return (h & 0x8000) != 0 ? -x : x;
    }
    static u32 code(double x) {
        if (x != x) return 0x7fff;
        const u32 sign = std::signbit(x) ? 0x8000 : 0;
        x = std::fabs(x);
        if (x >= limit) return sign | 0x7c00;
        if (x < std::ldexp(1, -14)) return sign | (u32)std::ldexp(x, 24);
        int exponent;
        const double m = std::frexp(x, &exponent);
        return sign | (u32)((exponent + 14) << 10) | ((u32)std::ldexp(m, 11) & 1023);
    }
    static u32 round(double x) { return code(rounded(x, digits, least)); }
};
struct bfloat_format {
    static double value(u32 h) { return same_bits<float>(h << 16); }
    static u32 round(double x) {
        if (x != x) return 0x7fff;
        if (std::isinf(x)) return x > 0 ? 0x7f80 : 0xff80;
        x = rounded(x, 8, -133);
        return same_bits<u32>((float)x) >> 16;
    }
};
template <typename Format, typename F>
u32 in_pairs(F f, u32 a, u32 b, u32 c) {
    const auto one = [&](u32 shift) {
        return Format::round(f(Format::value(a >> shift & 0xffff),
                               Format::value(b >> shift & 0xffff),
                               Format::value(c >> shift & 0xffff)));
    };
    return one(0) | one(16) << 16;
}
inline u32 half_add(u32 a, u32 b) {
    return in_pairs<half_format>([](double x, double y, double) { return x + y; }, a, b, 0);
}
inline u32 half_sub(u32 a, u32 b) {
    return in_pairs<half_format>([](double x, double y, double) { return x - y; }, a, b, 0);
}
inline u32 half_mul(u32 a, u32 b) {
    return in_pairs<half_format>([](double x, double y, double) { return x * y; }, a, b, 0);
}
inline u32 half_fma(u32 a, u32 b, u32 c) {
    return in_pairs<half_format>(odd_fma, a, b, c);
}
inline u32 bfloat_fma(u32 a, u32 b, u32 c) {
    return in_pairs<bfloat_format>(odd_fma, a, b, c);
}
inline u32 half_of(float high, float low) {
    return half_format::round(high) << 16 | half_format::round(low);
}
inline float float_of_half(u32 h) {
    return (float)half_format::value(h & 0xffff);
}

inline u32 half_less(u32 a, u32 b) {
    return in_pairs<half_format>([](double x, double y, double) { return x < y; }, a, b, 0);
}
inline u32 half_not_above(u32 a, u32 b) {
    return in_pairs<half_format>([](double x, double y, double) { return !(x > y); }, a, b, 0);
}
inline u32 half_negated(u32 a) {
    return in_pairs<half_format>([](double x, double, double) { return -x; }, a, 0, 0);
}
inline u32 int_of_half(u32 h) {
    const double x = half_format::value(h & 0xffff);
    return x != x ? 0u : (u32)saturated<int>(std::nearbyint(x));
}
inline u32 half_of_int(u32 x) {
    return half_format::round((s32)x) * 0x10001u;
}
/// The smaller number; -0 is smaller than 0, and numbers are preferred to NaNs.
inline double smaller(double x, double y, double) {
    if (x != x || y != y) return x != x ? y : x;
    return x < y || (x == y && std::signbit(x)) ? x : y;
}
inline double larger(double x, double y, double z) {
    return x != x || y != y ? smaller(x, y, z) : -smaller(-x, -y, z);
}
inline double odd_fma_relu(double a, double b, double c) {
    const double x = odd_fma(a, b, c);
    return x != x || x > 0 ? x : 0;
}
inline u32 half_min(u32 a, u32 b) {
    return in_pairs<half_format>(smaller, a, b, 0);
}
inline u32 half_max(u32 a, u32 b) {
    return in_pairs<half_format>(larger, a, b, 0);
}
inline u32 half_fma_relu(u32 a, u32 b, u32 c) {
    return in_pairs<half_format>(odd_fma_relu, a, b, c);
}
inline u32 bfloat_min(u32 a, u32 b) {
    return in_pairs<bfloat_format>(smaller, a, b, 0);
}
inline u32 bfloat_max(u32 a, u32 b) {
    return in_pairs<bfloat_format>(larger, a, b, 0);
}
inline u32 bfloat_fma_relu(u32 a, u32 b, u32 c) {
    return in_pairs<bfloat_format>(odd_fma_relu, a, b, c);
}
inline u32 bfloat_of(float high, float low) {
    return bfloat_format::round(high) << 16 | bfloat_format::round(low);
}
/// Numbers of eight bits. Conversions to them saturate. @tparam mantissa  bits of it: 3 or 2
template <int mantissa>
struct fp8_format {
    static double value(u32 x) {
        const u32 magnitude = x & 127;
        double y = std::ldexp((magnitude & ((1u << mantissa) - 1)) + (double)(1u << mantissa),
                              (int)(magnitude >> mantissa) - (mantissa == 3 ? 10 : 17));
        if (magnitude >> mantissa == 0) y = std::ldexp(magnitude, mantissa == 3 ? -9 : -16);
        if (mantissa == 3 && magnitude == 127) y = NAN;
        if (mantissa == 2 && magnitude >= 0x7c) y = magnitude == 0x7c ? INFINITY : NAN;
        return (x & 128) != 0 ? -y : y;
    }
    static u32 round(double x) {
        if (x != x) return 0x7f;
        const double y =
            std::min<double>(rounded(std::fabs(x), mantissa + 1, mantissa == 3 ? -9 : -16),
                             mantissa == 3 ? 448 : 57344);
        u32 code = 0;
        while (code < 126 && value(code + 1) <= y) ++code;
        return code | (std::signbit(x) ? 128u : 0u);
    }
};
#define OF_FP8(type, mantissa)                                                            \
    inline u32 type##_of(float high, float low) {                                         \
        return fp8_format<mantissa>::round(high) << 8 | fp8_format<mantissa>::round(low); \
    }                                                                                     \
    inline u32 type##_of_halves(u32 x) {                                                  \
        return type##_of((float)half_format::value(x >> 16),                              \
                         (float)half_format::value(x & 0xffff));                          \
    }                                                                                     \
    inline u32 halves_of_##type(u32 x) {                                                  \
        return half_format::round(fp8_format<mantissa>::value(x >> 8 & 255)) << 16 |      \
               half_format::round(fp8_format<mantissa>::value(x & 255));                  \
    }
OF_FP8(e4m3, 3)
OF_FP8(e5m2, 2)

// ---- carries, bits -----------------------------------------------------------------------

inline u32 saturating_sum(u32 a, u32 b) {
    return (u32)saturated<int>((double)(s32)a + (s32)b);
}
inline u32 saturating_difference(u32 a, u32 b) {
    return (u32)saturated<int>((double)(s32)a - (s32)b);
}
inline u32 folded_words(u32 x, u32 y, u32 z) {
    return x ^ (y << 7 | y >> 25) ^ (z << 13 | z >> 19);
}
inline u32 carry_sum(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f) {
    const u64 x = (u64)a + d, y = (u64)b + e + (x >> 32);
    return folded_words((u32)x, (u32)y, c + f + (u32)(y >> 32));
}
inline u32 borrow_difference(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f) {
    const u64 x = (u64)a - d, y = (u64)b - e - (x >> 63);
    return folded_words((u32)x, (u32)y, c - f - (u32)(y >> 63));
}
inline u32 carry_product(u32 a, u32 b, u32 c, u32 d) {
    const u128 x = (u128)a * b + ((u64)c << 32 | d);
    const u32 y = (u32)(x >> 32);
    return (u32)x ^ (y << 7 | y >> 25) ^ (u32)(x >> 64);
}
inline u64 carry_sum64(u64 a, u64 b, u64 c, u64 d) {
    const u64 x = a + c, y = b + d + (x < a);
    return x ^ (y << 7 | y >> 57);
}
inline u32 bits_at(u32 x, u32 position, u32 length) {
    return (u32)(((u64)x >> (position & 31)) & ((1ull << (length & 31)) - 1));
}
inline u32 signed_bits_at(u32 x, u32 position, u32 length) {
    const u32 n = length & 31;
    if (n == 0) return 0;
    const s64 from = (s64)(s32)x >> (position & 31);
    return (u32)(s32)((s64)((u64)from << (64 - n)) >> (64 - n));
}
inline u32 with_bits(u32 x, u32 into, u32 position, u32 length) {
    const u32 mask = (u32)(((1ull << (length & 31)) - 1) << (position & 31));
    return (into & ~mask) | ((u32)((u64)x << (position & 31)) & mask);
}
template <u32 table>
u32 logic(u32 a, u32 b, u32 c) {
    u32 d = 0;
    for (u32 i = 0; i < 32; ++i) {
        const u32 at = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        d |= (table >> at & 1) << i;
    }
    return d;
}
inline u32 highest_bit(u32 x) {
    return x == 0 ? ~0u : 31 - (u32)__builtin_clz(x);
}
inline u32 highest_difference(u32 x) {
    return highest_bit((s32)x < 0 ? ~x : x);
}
inline u32 sign_extended(u32 x, u32 length) {
    if (length == 0) return 0;
    return length >= 32 ? x : (u32)((s32)(x << (32 - length)) >> (32 - length));
}
inline u32 mask_of(u32 position, u32 length) {
    if (position > 31) return 0;
    const u64 mask = (1ull << std::min(length, 32u)) - 1;
    return (u32)(mask << position);
}

// ---- parts of a word
// --------------------------------------------------------------------------------------

/// Applies f to the parts of words, as signed or unsigned numbers.
template <typename Part, typename F>
u32 in_parts(F f, u32 a, u32 b = 0, u32 c = 0) {
    u32 d = 0;
    constexpr int width = 8 * (int)sizeof(Part);
    for (int at = 0; at < 32; at += width) {
        const s64 r = f((s64)(Part)(a >> at), (s64)(Part)(b >> at), (s64)(Part)(c >> at));
        d |= (u32)((u64)r & ((1ull << width) - 1)) << at;
    }
    return d;
}
#define PARTS(name, part, expression)                                                     \
    inline u32 name(u32 a, u32 b) {                                                       \
        return in_parts<part>([](s64 x, s64 y, s64) -> s64 { return expression; }, a, b); \
    }
#define PART(name, part, expression)                                                 \
    inline u32 name(u32 a) {                                                         \
        return in_parts<part>([](s64 x, s64, s64) -> s64 { return expression; }, a); \
    }
#define PARTS_OF_THREE(name, part, expression)                                                 \
    inline u32 name(u32 a, u32 b, u32 c) {                                                     \
        return in_parts<part>([](s64 x, s64 y, s64 z) -> s64 { return expression; }, a, b, c); \
    }
inline s64 clamped(s64 x, s64 low, s64 high) {
    return std::min(std::max(x, low), high);
}
PARTS(__vadd2, u16, x + y)
PARTS(__vadd4, u8, x + y)
PARTS(__vsub2, u16, x - y)
PARTS(__vsub4, u8, x - y)
PART(__vneg2, s16, -x)
PART(__vneg4, s8, -x)
PART(__vabs2, s16, x < 0 ? -x : x)
PART(__vabs4, s8, x < 0 ? -x : x)
PART(__vabsss2, s16, clamped(x < 0 ? -x : x, -32768, 32767))
PART(__vabsss4, s8, clamped(x < 0 ? -x : x, -128, 127))
PART(__vnegss2, s16, clamped(-x, -32768, 32767))
PART(__vnegss4, s8, clamped(-x, -128, 127))
PARTS(__vmins2, s16, std::min(x, y))
PARTS(__vminu2, u16, std::min(x, y))
PARTS(__vmins4, s8, std::min(x, y))
PARTS(__vminu4, u8, std::min(x, y))
PARTS(__vmaxs2, s16, std::max(x, y))
PARTS(__vmaxu2, u16, std::max(x, y))
PARTS(__vmaxs4, s8, std::max(x, y))
PARTS(__vmaxu4, u8, std::max(x, y))
PARTS(__vabsdiffu2, u16, std::max(x, y) - std::min(x, y))
PARTS(__vabsdiffu4, u8, std::max(x, y) - std::min(x, y))
PARTS(__vabsdiffs2, s16, std::max(x, y) - std::min(x, y))
PARTS(__vabsdiffs4, s8, std::max(x, y) - std::min(x, y))
PARTS(__vaddss2, s16, clamped(x + y, -32768, 32767))
PARTS(__vaddus2, u16, clamped(x + y, 0, 65535))
PARTS(__vaddss4, s8, clamped(x + y, -128, 127))
PARTS(__vaddus4, u8, clamped(x + y, 0, 255))
PARTS(__vsubss2, s16, clamped(x - y, -32768, 32767))
PARTS(__vsubus2, u16, clamped(x - y, 0, 65535))
PARTS(__vsubss4, s8, clamped(x - y, -128, 127))
PARTS(__vsubus4, u8, clamped(x - y, 0, 255))
PARTS(__vavgu2, u16, (x + y + 1) >> 1)
PARTS(__vavgu4, u8, (x + y + 1) >> 1)
PARTS(__vhaddu2, u16, (x + y) >> 1)
PARTS(__vhaddu4, u8, (x + y) >> 1)
PARTS(__vcmpgts2, s16, x > y ? -1 : 0)
PARTS(__vcmpleu2, u16, x <= y ? -1 : 0)
PARTS(__vcmplts4, s8, x < y ? -1 : 0)
PARTS(__vcmpgeu4, u8, x >= y ? -1 : 0)
PARTS(__vcmpeq4, u8, x == y ? -1 : 0)
PARTS(__vseteq2, u16, x == y)
PARTS(__vsetgts4, s8, x > y)
PARTS(__vsetltu2, u16, x < y)
inline u32 __vsadu4(u32 a, u32 b) {
    const u32 d = __vabsdiffu4(a, b);
    return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}
PARTS_OF_THREE(__viaddmax_s16x2, s16, std::max<s64>((s16)(x + y), z))
PARTS_OF_THREE(__viaddmin_u16x2, u16, std::min<s64>((u16)(x + y), z))
PARTS_OF_THREE(__viaddmax_s16x2_relu, s16, std::max<s64>(std::max<s64>((s16)(x + y), z), 0))
PARTS_OF_THREE(__vimax3_s16x2, s16, std::max(std::max(x, y), z))
PARTS_OF_THREE(__vimin3_u16x2, u16, std::min(std::min(x, y), z))
PARTS_OF_THREE(__vimin3_s16x2_relu, s16, std::max<s64>(std::min(std::min(x, y), z), 0))
inline s32 __viaddmax_s32(s32 a, s32 b, s32 c) {
    return std::max((s32)((u32)a + (u32)b), c);
}
inline u32 __viaddmin_u32(u32 a, u32 b, u32 c) {
    return std::min(a + b, c);
}
inline s32 __viaddmin_s32_relu(s32 a, s32 b, s32 c) {
    return std::max(std::min((s32)((u32)a + (u32)b), c), 0);
}
inline s32 __vimax3_s32(s32 a, s32 b, s32 c) {
    return std::max(std::max(a, b), c);
}
inline u32 __vimin3_u32(u32 a, u32 b, u32 c) {
    return std::min(std::min(a, b), c);
}
inline s32 __vimax3_s32_relu(s32 a, s32 b, s32 c) {
    return std::max(std::max(std::max(a, b), c), 0);
}

// ---- products of matrices
// -------------------------------------------------------------------------

/// Element types of mma. Numbers are small integers, so that sums do not depend on their order.
enum class element { s8, u8, s4, u4, b1, f16, bf16, tf32, f64, f32, s32, e4m3, e5m2 };

inline int bits_of(element e) {
    switch (e) {
        case element::b1:
            return 1;
        case element::s4:
        case element::u4:
            return 4;
        case element::s8:
        case element::u8:
        case element::e4m3:
        case element::e5m2:
            return 8;
        case element::f16:
        case element::bf16:
            return 16;
        case element::f64:
            return 64;
        default:
            return 32;
    }
}
inline double float_of_8(u32 x, int mantissa) {
    const int exponent = (int)(x & 127) >> mantissa, bias = mantissa == 3 ? 7 : 15;
    const double m = x & ((1u << mantissa) - 1), one = 1 << mantissa;
    const double y =
        exponent == 0 ? std::ldexp(m / one, 1 - bias) : std::ldexp(1 + m / one, exponent - bias);
    return (x & 128) != 0 ? -y : y;
}
/// The value of element `i` of registers.
inline double element_of(element e, const u32* registers, int i) {
    const int width = bits_of(e);
    if (e == element::f64)
        return __longlong_as_double((s64)((u64)registers[2 * i + 1] << 32 | registers[2 * i]));
    const u32 x = registers[i * width / 32] >> (i * width % 32);
    switch (e) {
        case element::b1:
            return x & 1;
        case element::u4:
            return x & 15;
        case element::s4:
            return (s32)(x << 28) >> 28;
        case element::u8:
            return x & 255;
        case element::s8:
            return (s8)x;
        case element::f16:
            return half_format::value(x & 0xffff);
        case element::bf16:
            return bfloat_format::value(x & 0xffff);
        case element::e4m3:
            return float_of_8(x & 255, 3);
        case element::e5m2:
            return float_of_8(x & 255, 2);
        case element::s32:
            return (s32)x;
        default:
            return __uint_as_float(x);
    }
}
inline int words_of(int elements, element e) {
    return elements * bits_of(e) / 32 / 32;
}
/// The registers of a lane that multiplies matrices.
struct operands {
    u32 a[16], b[16], c[8], e;
};
/// Writes element `i` of D.
inline void set_element(element e, u32* d, int i, double x, bool saturate = false) {
    if (e == element::s32)
        d[i] = saturate ? (u32)saturated<s32>(x) : (u32)(u64)(s64)x;
    else if (e == element::f64)
        std::memcpy(d + 2 * i, &x, 8);
    else if (e == element::f16)
        d[i / 2] = i % 2 == 0 ? half_format::round(x) : d[i / 2] | half_format::round(x) << 16;
    else
        d[i] = __float_as_uint((float)x);
}
struct product {
    int m, k;
    element a, b, c, d;
    bool saturate;
    int bit_operation, selector;
};
/// The column of stored element `i` of a row of a sparse A. Every four bits of metadata have the
/// positions of one of two columns (tf32), two of four, or two pairs of eight (4-bit integers). The
/// selector chooses lanes of each four. With elements of 16 bits or more, each has 16 bits for row
/// lane/4 and 16 bits for the row 8 below; otherwise two lanes have 32 bits each for these rows.
/// The next lanes have those of the next columns.
template <typename Lane>
int sparse_column(const product& p, Lane of, int row, int i) {
    const int width = bits_of(p.a), group = width == 32 ? 2 : width == 4 ? 8 : 4;
    const int at = i / (group / 2), chosen = p.k / group / 4;
    const int first = row % 8 * 4 + p.selector * chosen, lower = row / 8;
    const u32 bits = 15 & (width <= 8 ? of(first + at / 8 * 2 + lower).e >> at % 8 * 4
                                      : of(first + at / 4).e >> (lower * 16 + at % 4 * 4));
    if (width == 32) return at * 2 + (bits == 14);
    if (width == 4) return at * 8 + (int)(bits >> i % 4 / 2 * 2 & 3) * 2 + i % 2;
    return at * 4 + (int)(bits >> i % 2 * 2 & 3);
}
/// D = A * B + C with fragments as the PTX manual defines them for mma.m{8,16}n8k*: register r of a
/// lane has consecutive elements of row lane/4 (of A; plus 8 for every second one if there are 16
/// rows) or of column lane/4 (of B). With metadata, A is sparse and has half the columns.
inline void mma(const product& p, u32* d, const u32* a, const u32* b, const u32* c,
                const u32* metadata = nullptr) {
    const int stored = metadata != nullptr ? p.k / 2 : p.k;
    operands mine = {};
    std::memcpy(mine.a, a, words_of(p.m * stored, p.a) * 4);
    std::memcpy(mine.b, b, words_of(p.k * 8, p.b) * 4);
    std::memcpy(mine.c, c, words_of(p.m * 8, p.c) * 4);
    if (metadata != nullptr) mine.e = *metadata;
    const auto lanes =
        (const std::uint64_t*)host::collective(host::exchange::gather, ~0u, (std::uint64_t)&mine);
    const auto of = [&](int l) -> const operands& { return *(const operands*)lanes[l]; };
    const int wide = p.a == element::f64 ? 1 : 32 / bits_of(p.a);  // elements of a register
    const int high = p.m / 8;
    const int group = (int)lane() / 4, column = (int)lane() % 4 * 2;
    double result[4];
    for (int i = 0; i < 2 * high; ++i) {
        const int row = group + 8 * (i >> 1), col = column + (i & 1);
        double sum = element_of(p.c, mine.c, i);
        for (int j = 0; j < stored; ++j) {
            const auto owner = [&](int at) { return at % (4 * wide) / wide; };
            const int at = metadata != nullptr ? sparse_column(p, of, row, j) : j;
            const double x = element_of(p.a, of(row % 8 * 4 + owner(j)).a,
                                        (j / (4 * wide) * high + row / 8) * wide + j % wide);
            const double y =
                element_of(p.b, of(col * 4 + owner(at)).b, at / (4 * wide) * wide + at % wide);
            sum += p.bit_operation == 1 ? (double)((int)x ^ (int)y) : x * y;
        }
        result[i] = sum;
    }
    host::collective(host::exchange::sync, ~0u, 0);  // others have read the operands
    for (int i = 0; i < 2 * high; ++i) set_element(p.d, d, i, result[i], p.saturate);
}
/// mma.m8n8k4 of f16, as the PTX manual defines it: four products, each of the lanes with the same
/// bits 2 and 3. Lanes from 16 on have the lower halves of A and C, and the right half of B.
inline void mma_of_quads(element ta, element tb, element tc, element td, bool a_in_rows,
                         bool b_in_rows, u32* d, const u32* a, const u32* b, const u32* c) {
    operands mine = {};
    std::memcpy(mine.a, a, 8);
    std::memcpy(mine.b, b, 8);
    std::memcpy(mine.c, c, tc == element::f16 ? 16 : 32);
    const auto lanes =
        (const std::uint64_t*)host::collective(host::exchange::gather, ~0u, (std::uint64_t)&mine);
    double of_a[8][4], of_b[4][8], sums[8][8];
    // The place of an element in C and D.
    const auto place = [](double(&matrix)[8][8], element e, int l, int i) -> double& {
        const int half = l / 16 * 4;
        return e == element::f16 ? matrix[half + l % 4][i]
                                 : matrix[half + (l & 1) + (i & 2)][(i & 4) + (l & 2) + (i & 1)];
    };
    for (int member = 0; member < 8; ++member) {
        const int half = member / 4 * 4, in_four = member % 4;
        const int l = ((int)lane() & 12) + half * 4 + in_four;
        const operands& o = *(const operands*)lanes[l];
        for (int i = 0; i < 4; ++i) {
            (a_in_rows ? of_a[half + in_four][i] : of_a[half + i][in_four]) =
                element_of(ta, o.a, i);
            (b_in_rows ? of_b[in_four][half + i] : of_b[i][half + in_four]) =
                element_of(tb, o.b, i);
        }
        for (int i = 0; i < 8; ++i) place(sums, tc, l, i) = element_of(tc, o.c, i);
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            for (int k = 0; k < 4; ++k) sums[i][j] += of_a[i][k] * of_b[k][j];
    host::collective(host::exchange::sync, ~0u, 0);  // others have read the operands
    for (int i = 0; i < 8; ++i) set_element(td, d, i, place(sums, td, (int)lane(), i));
}
