// SPDX-License-Identifier: Apache-2.0
// Conversions that libclc rounds or saturates incorrectly: floating point to integer (NaN gives 0),
// integer to floating point with a rounding mode, and floating point to half precision in memory.

#define CONVERT_ALL(to, from, name, scalar)                                                        \
    PURE to convert_##to##name(from x) {                                                           \
        return scalar(x);                                                                          \
    }                                                                                              \
    PURE to##2 convert_##to##2##name(from##2 x) {                                                  \
        return (to##2)(scalar(x.x), scalar(x.y));                                                  \
    }                                                                                              \
    PURE to##3 convert_##to##3##name(from##3 x) {                                                  \
        return (to##3)(scalar(x.x), scalar(x.y), scalar(x.z));                                     \
    }                                                                                              \
    PURE to##4 convert_##to##4##name(from##4 x) {                                                  \
        return (to##4)(scalar(x.x), scalar(x.y), scalar(x.z), scalar(x.w));                        \
    }                                                                                              \
    PURE to##8 convert_##to##8##name(from##8 x) {                                                  \
        return (to##8)(convert_##to##4##name(x.lo), convert_##to##4##name(x.hi));                  \
    }                                                                                              \
    PURE to##16 convert_##to##16##name(from##16 x) {                                               \
        return (to##16)(convert_##to##8##name(x.lo), convert_##to##8##name(x.hi));                 \
    }

// ---- floating point to integer, with saturation ----

/// beyond: the smallest number that is too large; both it and the minimum are exact.
#define SATURATE(to, from, least, most, beyond, name, round)                                       \
    static to to##name##_of_##from(from x) {                                                       \
        const from r = round(x);                                                                   \
        if (isnan(x)) return 0;                                                                    \
        return r >= (from)(beyond) ? (most) : r <= (from)(least) ? (least) : (to)r;                \
    }                                                                                              \
    CONVERT_ALL(to, from, name, to##name##_of_##from)
#define SATURATE_ALL(to, from, least, most, beyond)                                                \
    SATURATE(to, from, least, most, beyond, _sat, trunc)                                           \
    SATURATE(to, from, least, most, beyond, _sat_rtz, trunc)                                       \
    SATURATE(to, from, least, most, beyond, _sat_rte, rint)                                        \
    SATURATE(to, from, least, most, beyond, _sat_rtp, ceil)                                        \
    SATURATE(to, from, least, most, beyond, _sat_rtn, floor)
#define SATURATE_INTEGERS(from)                                                                    \
    SATURATE_ALL(char, from, CHAR_MIN, CHAR_MAX, 0x1p7)                                            \
    SATURATE_ALL(uchar, from, 0, UCHAR_MAX, 0x1p8)                                                 \
    SATURATE_ALL(short, from, SHRT_MIN, SHRT_MAX, 0x1p15)                                          \
    SATURATE_ALL(ushort, from, 0, USHRT_MAX, 0x1p16)                                               \
    SATURATE_ALL(int, from, INT_MIN, INT_MAX, 0x1p31)                                              \
    SATURATE_ALL(uint, from, 0, UINT_MAX, 0x1p32)                                                  \
    SATURATE_ALL(long, from, LONG_MIN, LONG_MAX, 0x1p63)                                           \
    SATURATE_ALL(ulong, from, 0, ULONG_MAX, 0x1p64)
SATURATE_INTEGERS(float)
SATURATE_INTEGERS(double)

// ---- integer and double to floating point, with the rounding of GPU instructions; LLVM assumes
// round to nearest for some of the intrinsic functions ----

#define ROUND(to, to_letter, from, from_letter, name, instruction)                                 \
    static to to##name##_of_##from(from x) {                                                       \
        to r;                                                                                      \
        __asm__("cvt." instruction " %0, %1;" : "=" to_letter(r) : from_letter(x));                \
        return r;                                                                                  \
    }                                                                                              \
    CONVERT_ALL(to, from, name, to##name##_of_##from)
#define ROUND_ALL(to, to_letter, from, from_letter, types)                                         \
    ROUND(to, to_letter, from, from_letter, _rtz, "rz" types)                                      \
    ROUND(to, to_letter, from, from_letter, _rtp, "rp" types)                                      \
    ROUND(to, to_letter, from, from_letter, _rtn, "rm" types)
ROUND_ALL(float, "f", int, "r", ".f32.s32")
ROUND_ALL(float, "f", uint, "r", ".f32.u32")
ROUND_ALL(float, "f", long, "l", ".f32.s64")
ROUND_ALL(float, "f", ulong, "l", ".f32.u64")
ROUND_ALL(double, "d", long, "l", ".f64.s64")
ROUND_ALL(double, "d", ulong, "l", ".f64.u64")
ROUND_ALL(float, "f", double, "d", ".f32.f64")

// ---- half precision in memory ----

#define HALF_BITS(from, type, letter, mode, instruction)                                           \
    static ushort half_bits##mode(from x) __attribute__((overloadable)) {                          \
        ushort h;                                                                                  \
        __asm__("cvt." instruction ".f16." type " %0, %1;" : "=h"(h) : letter(x));                 \
        return h;                                                                                  \
    }
#define HALF_BITS_ALL(from, type, letter)                                                          \
    HALF_BITS(from, type, letter, , "rn")                                                          \
    HALF_BITS(from, type, letter, _rte, "rn")                                                      \
    HALF_BITS(from, type, letter, _rtz, "rz")                                                      \
    HALF_BITS(from, type, letter, _rtp, "rp")                                                      \
    HALF_BITS(from, type, letter, _rtn, "rm")
HALF_BITS_ALL(float, "f32", "f")
HALF_BITS_ALL(double, "f64", "d")

/// Accesses half n, with any alignment.
#define STORE_HALF(from, mode, space)                                                              \
    OVERLOAD void vstore_half##mode(from x, size_t n, space half* p) {                             \
        ((space ushort*)p)[n] = half_bits##mode(x);                                                \
    }                                                                                              \
    OVERLOAD void vstore_half2##mode(from##2 x, size_t n, space half* p) {                         \
        vstore_half##mode(x.x, 2 * n, p);                                                          \
        vstore_half##mode(x.y, 2 * n + 1, p);                                                      \
    }                                                                                              \
    OVERLOAD void vstore_half3##mode(from##3 x, size_t n, space half* p) {                         \
        vstore_half##mode(x.x, 3 * n, p);                                                          \
        vstore_half##mode(x.y, 3 * n + 1, p);                                                      \
        vstore_half##mode(x.z, 3 * n + 2, p);                                                      \
    }                                                                                              \
    OVERLOAD void vstore_half4##mode(from##4 x, size_t n, space half* p) {                         \
        vstore_half2##mode(x.lo, 2 * n, p);                                                        \
        vstore_half2##mode(x.hi, 2 * n + 1, p);                                                    \
    }                                                                                              \
    OVERLOAD void vstore_half8##mode(from##8 x, size_t n, space half* p) {                         \
        vstore_half4##mode(x.lo, 2 * n, p);                                                        \
        vstore_half4##mode(x.hi, 2 * n + 1, p);                                                    \
    }                                                                                              \
    OVERLOAD void vstore_half16##mode(from##16 x, size_t n, space half* p) {                       \
        vstore_half8##mode(x.lo, 2 * n, p);                                                        \
        vstore_half8##mode(x.hi, 2 * n + 1, p);                                                    \
    }                                                                                              \
    OVERLOAD void vstorea_half##mode(from x, size_t n, space half* p) {                            \
        vstore_half##mode(x, n, p);                                                                \
    }                                                                                              \
    OVERLOAD void vstorea_half2##mode(from##2 x, size_t n, space half* p) {                        \
        ((space ushort2*)p)[n] = (ushort2)(half_bits##mode(x.x), half_bits##mode(x.y));            \
    }                                                                                              \
    OVERLOAD void vstorea_half3##mode(from##3 x, size_t n, space half* p) {                        \
        vstorea_half2##mode(x.xy, 2 * n, p);                                                       \
        vstore_half##mode(x.z, 4 * n + 2, p);                                                      \
    }                                                                                              \
    OVERLOAD void vstorea_half4##mode(from##4 x, size_t n, space half* p) {                        \
        ((space ushort4*)p)[n] = (ushort4)(half_bits##mode(x.x), half_bits##mode(x.y),             \
                                           half_bits##mode(x.z), half_bits##mode(x.w));            \
    }                                                                                              \
    OVERLOAD void vstorea_half8##mode(from##8 x, size_t n, space half* p) {                        \
        vstorea_half4##mode(x.lo, 2 * n, p);                                                       \
        vstorea_half4##mode(x.hi, 2 * n + 1, p);                                                   \
    }                                                                                              \
    OVERLOAD void vstorea_half16##mode(from##16 x, size_t n, space half* p) {                      \
        vstorea_half8##mode(x.lo, 2 * n, p);                                                       \
        vstorea_half8##mode(x.hi, 2 * n + 1, p);                                                   \
    }
#define STORE_HALF_MODES(from, space)                                                              \
    STORE_HALF(from, , space)                                                                      \
    STORE_HALF(from, _rte, space)                                                                  \
    STORE_HALF(from, _rtz, space)                                                                  \
    STORE_HALF(from, _rtp, space)                                                                  \
    STORE_HALF(from, _rtn, space)
STORE_HALF_MODES(float, private)
STORE_HALF_MODES(float, local)
STORE_HALF_MODES(float, global)
STORE_HALF_MODES(double, private)
STORE_HALF_MODES(double, local)
STORE_HALF_MODES(double, global)
