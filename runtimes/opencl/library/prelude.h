// SPDX-License-Identifier: Apache-2.0
// Included before every program.
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 300
#endif
#ifndef __ENDIAN_LITTLE__
#define __ENDIAN_LITTLE__ 1
#endif
#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif
#ifndef FP_FAST_FMAF
#define FP_FAST_FMAF 1
#endif
#ifndef FP_FAST_FMA
#define FP_FAST_FMA 1
#endif

// ---- printf ----
// Arguments are packed one after another as C passes them, vectors element by element, and passed
// to the device's vprintf.

// OpenCL C 1.0 and 1.1 have no static functions.
#pragma OPENCL EXTENSION cl_clang_storage_class_specifiers : enable

__attribute__((convergent)) int __simtlm_print(const __constant char* format,
                                               const __private void* arguments);
ulong __simtlm_string(const __constant char* text);

struct __simtlm_arguments {
    __private char* bytes;
    uint used;
};

#define __SIMTLM_PUT(type, as)                                                    \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type v) {                         \
        a->used = (a->used + sizeof(as) - 1) / sizeof(as) * sizeof(as);           \
        *(__private as*)(a->bytes + a->used) = (as)v;                             \
        a->used += sizeof(as);                                                    \
    }
#define __SIMTLM_PUT_VECTORS(type, as)                                            \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type##2 v) {                      \
        __simtlm_put(a, v.x);                                                     \
        __simtlm_put(a, v.y);                                                     \
    }                                                                             \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type##3 v) {                      \
        __simtlm_put(a, v.x);                                                     \
        __simtlm_put(a, v.y);                                                     \
        __simtlm_put(a, v.z);                                                     \
    }                                                                             \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type##4 v) {                      \
        __simtlm_put(a, v.lo);                                                    \
        __simtlm_put(a, v.hi);                                                    \
    }                                                                             \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type##8 v) {                      \
        __simtlm_put(a, v.lo);                                                    \
        __simtlm_put(a, v.hi);                                                    \
    }                                                                             \
    static inline __attribute__((overloadable, always_inline)) void __simtlm_put( \
        __private struct __simtlm_arguments* a, type##16 v) {                     \
        __simtlm_put(a, v.lo);                                                    \
        __simtlm_put(a, v.hi);                                                    \
    }
__SIMTLM_PUT(bool, int)
__SIMTLM_PUT(char, int)
__SIMTLM_PUT(uchar, int)
__SIMTLM_PUT(short, int)
__SIMTLM_PUT(ushort, int)
__SIMTLM_PUT(int, int)
__SIMTLM_PUT(uint, int)
__SIMTLM_PUT(long, long)
__SIMTLM_PUT(ulong, long)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__SIMTLM_PUT(float, double)
__SIMTLM_PUT(double, double)
__SIMTLM_PUT_VECTORS(double, double)
#endif
__SIMTLM_PUT_VECTORS(char, int)
__SIMTLM_PUT_VECTORS(uchar, int)
__SIMTLM_PUT_VECTORS(short, int)
__SIMTLM_PUT_VECTORS(ushort, int)
__SIMTLM_PUT_VECTORS(int, int)
__SIMTLM_PUT_VECTORS(uint, int)
__SIMTLM_PUT_VECTORS(long, long)
__SIMTLM_PUT_VECTORS(ulong, long)
__SIMTLM_PUT_VECTORS(float, double)
// Null pointers match all of these overloads; those without const are selected.
#ifdef __opencl_c_generic_address_space
__SIMTLM_PUT(const __generic void*, ulong)
__SIMTLM_PUT(__generic void*, ulong)
#else
__SIMTLM_PUT(const __global void*, ulong)
__SIMTLM_PUT(const __local void*, ulong)
__SIMTLM_PUT(const __private void*, ulong)
__SIMTLM_PUT(__private void*, ulong)
#endif
static inline __attribute__((overloadable, always_inline)) void __simtlm_put(
    __private struct __simtlm_arguments* a, const __constant void* v) {
    __simtlm_put(a, __simtlm_string((const __constant char*)v));
}

#pragma OPENCL EXTENSION cl_clang_storage_class_specifiers : disable

#define __SIMTLM_SIZE(x) +8 + 4 * sizeof(x)
#define __SIMTLM_ARGUMENT(x) __simtlm_put(&arguments_, x);
#define __SIMTLM_EACH_0(what)
#define __SIMTLM_EACH_1(what, x) what(x)
#define __SIMTLM_EACH_2(what, x, ...) what(x) __SIMTLM_EACH_1(what, __VA_ARGS__)
#define __SIMTLM_EACH_3(what, x, ...) what(x) __SIMTLM_EACH_2(what, __VA_ARGS__)
#define __SIMTLM_EACH_4(what, x, ...) what(x) __SIMTLM_EACH_3(what, __VA_ARGS__)
#define __SIMTLM_EACH_5(what, x, ...) what(x) __SIMTLM_EACH_4(what, __VA_ARGS__)
#define __SIMTLM_EACH_6(what, x, ...) what(x) __SIMTLM_EACH_5(what, __VA_ARGS__)
#define __SIMTLM_EACH_7(what, x, ...) what(x) __SIMTLM_EACH_6(what, __VA_ARGS__)
#define __SIMTLM_EACH_8(what, x, ...) what(x) __SIMTLM_EACH_7(what, __VA_ARGS__)
#define __SIMTLM_EACH_9(what, x, ...) what(x) __SIMTLM_EACH_8(what, __VA_ARGS__)
#define __SIMTLM_EACH_10(what, x, ...) what(x) __SIMTLM_EACH_9(what, __VA_ARGS__)
#define __SIMTLM_EACH_11(what, x, ...) what(x) __SIMTLM_EACH_10(what, __VA_ARGS__)
#define __SIMTLM_EACH_12(what, x, ...) what(x) __SIMTLM_EACH_11(what, __VA_ARGS__)
#define __SIMTLM_EACH_13(what, x, ...) what(x) __SIMTLM_EACH_12(what, __VA_ARGS__)
#define __SIMTLM_EACH_14(what, x, ...) what(x) __SIMTLM_EACH_13(what, __VA_ARGS__)
#define __SIMTLM_EACH_15(what, x, ...) what(x) __SIMTLM_EACH_14(what, __VA_ARGS__)
#define __SIMTLM_EACH_16(what, x, ...) what(x) __SIMTLM_EACH_15(what, __VA_ARGS__)
#define __SIMTLM_EACH_17(what, x, ...) what(x) __SIMTLM_EACH_16(what, __VA_ARGS__)
#define __SIMTLM_EACH_18(what, x, ...) what(x) __SIMTLM_EACH_17(what, __VA_ARGS__)
#define __SIMTLM_EACH_19(what, x, ...) what(x) __SIMTLM_EACH_18(what, __VA_ARGS__)
#define __SIMTLM_EACH_20(what, x, ...) what(x) __SIMTLM_EACH_19(what, __VA_ARGS__)
#define __SIMTLM_EACH_21(what, x, ...) what(x) __SIMTLM_EACH_20(what, __VA_ARGS__)
#define __SIMTLM_EACH_22(what, x, ...) what(x) __SIMTLM_EACH_21(what, __VA_ARGS__)
#define __SIMTLM_EACH_23(what, x, ...) what(x) __SIMTLM_EACH_22(what, __VA_ARGS__)
#define __SIMTLM_EACH_24(what, x, ...) what(x) __SIMTLM_EACH_23(what, __VA_ARGS__)
#define __SIMTLM_EACH_25(what, x, ...) what(x) __SIMTLM_EACH_24(what, __VA_ARGS__)
#define __SIMTLM_EACH_26(what, x, ...) what(x) __SIMTLM_EACH_25(what, __VA_ARGS__)
#define __SIMTLM_EACH_27(what, x, ...) what(x) __SIMTLM_EACH_26(what, __VA_ARGS__)
#define __SIMTLM_EACH_28(what, x, ...) what(x) __SIMTLM_EACH_27(what, __VA_ARGS__)
#define __SIMTLM_EACH_29(what, x, ...) what(x) __SIMTLM_EACH_28(what, __VA_ARGS__)
#define __SIMTLM_EACH_30(what, x, ...) what(x) __SIMTLM_EACH_29(what, __VA_ARGS__)
#define __SIMTLM_EACH_31(what, x, ...) what(x) __SIMTLM_EACH_30(what, __VA_ARGS__)
#define __SIMTLM_EACH_32(what, x, ...) what(x) __SIMTLM_EACH_31(what, __VA_ARGS__)
#define __SIMTLM_EACH_33(what, x, ...) what(x) __SIMTLM_EACH_32(what, __VA_ARGS__)
#define __SIMTLM_EACH_34(what, x, ...) what(x) __SIMTLM_EACH_33(what, __VA_ARGS__)
#define __SIMTLM_EACH_35(what, x, ...) what(x) __SIMTLM_EACH_34(what, __VA_ARGS__)
#define __SIMTLM_EACH_36(what, x, ...) what(x) __SIMTLM_EACH_35(what, __VA_ARGS__)
#define __SIMTLM_EACH_37(what, x, ...) what(x) __SIMTLM_EACH_36(what, __VA_ARGS__)
#define __SIMTLM_EACH_38(what, x, ...) what(x) __SIMTLM_EACH_37(what, __VA_ARGS__)
#define __SIMTLM_EACH_39(what, x, ...) what(x) __SIMTLM_EACH_38(what, __VA_ARGS__)
#define __SIMTLM_EACH_40(what, x, ...) what(x) __SIMTLM_EACH_39(what, __VA_ARGS__)
#define __SIMTLM_EACH_41(what, x, ...) what(x) __SIMTLM_EACH_40(what, __VA_ARGS__)
#define __SIMTLM_EACH_42(what, x, ...) what(x) __SIMTLM_EACH_41(what, __VA_ARGS__)
#define __SIMTLM_EACH_43(what, x, ...) what(x) __SIMTLM_EACH_42(what, __VA_ARGS__)
#define __SIMTLM_EACH_44(what, x, ...) what(x) __SIMTLM_EACH_43(what, __VA_ARGS__)
#define __SIMTLM_EACH_45(what, x, ...) what(x) __SIMTLM_EACH_44(what, __VA_ARGS__)
#define __SIMTLM_EACH_46(what, x, ...) what(x) __SIMTLM_EACH_45(what, __VA_ARGS__)
#define __SIMTLM_EACH_47(what, x, ...) what(x) __SIMTLM_EACH_46(what, __VA_ARGS__)
#define __SIMTLM_EACH_48(what, x, ...) what(x) __SIMTLM_EACH_47(what, __VA_ARGS__)
#define __SIMTLM_EACH_49(what, x, ...) what(x) __SIMTLM_EACH_48(what, __VA_ARGS__)
#define __SIMTLM_EACH_50(what, x, ...) what(x) __SIMTLM_EACH_49(what, __VA_ARGS__)
#define __SIMTLM_EACH_51(what, x, ...) what(x) __SIMTLM_EACH_50(what, __VA_ARGS__)
#define __SIMTLM_EACH_52(what, x, ...) what(x) __SIMTLM_EACH_51(what, __VA_ARGS__)
#define __SIMTLM_EACH_53(what, x, ...) what(x) __SIMTLM_EACH_52(what, __VA_ARGS__)
#define __SIMTLM_EACH_54(what, x, ...) what(x) __SIMTLM_EACH_53(what, __VA_ARGS__)
#define __SIMTLM_EACH_55(what, x, ...) what(x) __SIMTLM_EACH_54(what, __VA_ARGS__)
#define __SIMTLM_EACH_56(what, x, ...) what(x) __SIMTLM_EACH_55(what, __VA_ARGS__)
#define __SIMTLM_EACH_57(what, x, ...) what(x) __SIMTLM_EACH_56(what, __VA_ARGS__)
#define __SIMTLM_EACH_58(what, x, ...) what(x) __SIMTLM_EACH_57(what, __VA_ARGS__)
#define __SIMTLM_EACH_59(what, x, ...) what(x) __SIMTLM_EACH_58(what, __VA_ARGS__)
#define __SIMTLM_EACH_60(what, x, ...) what(x) __SIMTLM_EACH_59(what, __VA_ARGS__)
#define __SIMTLM_EACH_61(what, x, ...) what(x) __SIMTLM_EACH_60(what, __VA_ARGS__)
#define __SIMTLM_EACH_62(what, x, ...) what(x) __SIMTLM_EACH_61(what, __VA_ARGS__)
#define __SIMTLM_EACH_63(what, x, ...) what(x) __SIMTLM_EACH_62(what, __VA_ARGS__)
#define __SIMTLM_EACH_64(what, x, ...) what(x) __SIMTLM_EACH_63(what, __VA_ARGS__)
#define __SIMTLM_PICK(f, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,  \
                      a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
                      a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, \
                      a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, \
                      a62, a63, a64, n, ...)                                                     \
    n
#define __SIMTLM_COUNT(...)                                                                        \
    __SIMTLM_PICK(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, \
                  47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28,  \
                  27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, \
                  6, 5, 4, 3, 2, 1, 0, 0)
#define __SIMTLM_JOIN(a, b) __SIMTLM_JOIN_(a, b)
#define __SIMTLM_JOIN_(a, b) a##b
#define __SIMTLM_EACH(what, format, ...) \
    __SIMTLM_JOIN(__SIMTLM_EACH_, __SIMTLM_COUNT(format, ##__VA_ARGS__))(what, ##__VA_ARGS__)
#define printf(...)                                                                            \
    ({                                                                                         \
        __attribute__((aligned(16))) char bytes_[8 __SIMTLM_EACH(__SIMTLM_SIZE, __VA_ARGS__)]; \
        struct __simtlm_arguments arguments_ = {bytes_, 0};                                    \
        __SIMTLM_EACH(__SIMTLM_ARGUMENT, __VA_ARGS__)                                          \
        __simtlm_print(__SIMTLM_FORMAT(__VA_ARGS__, ), bytes_);                                \
    })
#define __SIMTLM_FORMAT(format, ...) format
