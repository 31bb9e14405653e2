// SPDX-License-Identifier: Apache-2.0
// Integer and common functions that libclc lacks.

#define FOR_SIZES(what, type)                                                                      \
    what(type) what(type##2) what(type##3) what(type##4) what(type##8) what(type##16)
#define FOR_INTEGERS(what)                                                                         \
    FOR_SIZES(what, char)                                                                          \
    FOR_SIZES(what, uchar)                                                                         \
    FOR_SIZES(what, short)                                                                         \
    FOR_SIZES(what, ushort)                                                                        \
    FOR_SIZES(what, int)                                                                           \
    FOR_SIZES(what, uint)                                                                          \
    FOR_SIZES(what, long)                                                                          \
    FOR_SIZES(what, ulong)

#define MAD_HI(type)                                                                               \
    PURE type mad_hi(type a, type b, type c) {                                                     \
        return mul_hi(a, b) + c;                                                                   \
    }
FOR_INTEGERS(MAD_HI)

// Number of trailing zeros; all bits for 0.
#define CTZ(type)                                                                                  \
    PURE type ctz(type x) {                                                                        \
        return popcount((type)((type)~x & (type)(x - (type)1)));                                   \
    }
FOR_INTEGERS(CTZ)

#define SMOOTHSTEP(type)                                                                           \
    PURE type smoothstep(double low, double high, type x) {                                        \
        return smoothstep((type)low, (type)high, x);                                               \
    }
SMOOTHSTEP(double2)
SMOOTHSTEP(double3)
SMOOTHSTEP(double4)
SMOOTHSTEP(double8)
SMOOTHSTEP(double16)
