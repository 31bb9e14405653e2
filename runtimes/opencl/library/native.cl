// SPDX-License-Identifier: Apache-2.0
// Functions implemented in hardware: fma, and the approximations behind native_ functions.

#define VECTORS_1(type, name, scalar)                                                              \
    PURE type name(type x) {                                                                       \
        return scalar(x);                                                                          \
    }                                                                                              \
    PURE type##2 name(type##2 x) {                                                                 \
        return (type##2)(scalar(x.x), scalar(x.y));                                                \
    }                                                                                              \
    PURE type##3 name(type##3 x) {                                                                 \
        return (type##3)(scalar(x.x), scalar(x.y), scalar(x.z));                                   \
    }                                                                                              \
    PURE type##4 name(type##4 x) {                                                                 \
        return (type##4)(name(x.lo), name(x.hi));                                                  \
    }                                                                                              \
    PURE type##8 name(type##8 x) {                                                                 \
        return (type##8)(name(x.lo), name(x.hi));                                                  \
    }                                                                                              \
    PURE type##16 name(type##16 x) {                                                               \
        return (type##16)(name(x.lo), name(x.hi));                                                 \
    }
#define VECTORS_2(type, name, scalar)                                                              \
    PURE type name(type x, type y) {                                                               \
        return scalar(x, y);                                                                       \
    }                                                                                              \
    PURE type##2 name(type##2 x, type##2 y) {                                                      \
        return (type##2)(scalar(x.x, y.x), scalar(x.y, y.y));                                      \
    }                                                                                              \
    PURE type##3 name(type##3 x, type##3 y) {                                                      \
        return (type##3)(scalar(x.x, y.x), scalar(x.y, y.y), scalar(x.z, y.z));                    \
    }                                                                                              \
    PURE type##4 name(type##4 x, type##4 y) {                                                      \
        return (type##4)(name(x.lo, y.lo), name(x.hi, y.hi));                                      \
    }                                                                                              \
    PURE type##8 name(type##8 x, type##8 y) {                                                      \
        return (type##8)(name(x.lo, y.lo), name(x.hi, y.hi));                                      \
    }                                                                                              \
    PURE type##16 name(type##16 x, type##16 y) {                                                   \
        return (type##16)(name(x.lo, y.lo), name(x.hi, y.hi));                                     \
    }
#define VECTORS_3(type, name, scalar)                                                              \
    PURE type name(type x, type y, type z) {                                                       \
        return scalar(x, y, z);                                                                    \
    }                                                                                              \
    PURE type##2 name(type##2 x, type##2 y, type##2 z) {                                           \
        return (type##2)(scalar(x.x, y.x, z.x), scalar(x.y, y.y, z.y));                            \
    }                                                                                              \
    PURE type##3 name(type##3 x, type##3 y, type##3 z) {                                           \
        return (type##3)(scalar(x.x, y.x, z.x), scalar(x.y, y.y, z.y), scalar(x.z, y.z, z.z));     \
    }                                                                                              \
    PURE type##4 name(type##4 x, type##4 y, type##4 z) {                                           \
        return (type##4)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                          \
    }                                                                                              \
    PURE type##8 name(type##8 x, type##8 y, type##8 z) {                                           \
        return (type##8)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                          \
    }                                                                                              \
    PURE type##16 name(type##16 x, type##16 y, type##16 z) {                                       \
        return (type##16)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                         \
    }

VECTORS_3(float, fma, __nvvm_fma_rn_f)
VECTORS_3(double, fma, __nvvm_fma_rn_d)

#define LOG2_E 1.44269504089f
#define LOG2_10 3.32192809489f
#define LN_2 0.69314718056f
#define LOG10_2 0.30102999566f
static float fast_tan(float x) {
    return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x));
}
static float fast_exp(float x) {
    return __nvvm_ex2_approx_f(x * LOG2_E);
}
static float fast_exp10(float x) {
    return __nvvm_ex2_approx_f(x * LOG2_10);
}
static float fast_log(float x) {
    return __nvvm_lg2_approx_f(x) * LN_2;
}
static float fast_log10(float x) {
    return __nvvm_lg2_approx_f(x) * LOG10_2;
}
static float fast_pow(float x, float y) {
    return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
static float fast_reciprocal(float x) {
    return __nvvm_div_approx_f(1.0f, x);
}

VECTORS_1(float, native_sin, __nvvm_sin_approx_f)
VECTORS_1(float, native_cos, __nvvm_cos_approx_f)
VECTORS_1(float, native_tan, fast_tan)
VECTORS_1(float, native_exp, fast_exp)
VECTORS_1(float, native_exp2, __nvvm_ex2_approx_f)
VECTORS_1(float, native_exp10, fast_exp10)
VECTORS_1(float, native_log, fast_log)
VECTORS_1(float, native_log2, __nvvm_lg2_approx_f)
VECTORS_1(float, native_log10, fast_log10)
VECTORS_1(float, native_sqrt, __nvvm_sqrt_approx_f)
VECTORS_1(float, native_rsqrt, __nvvm_rsqrt_approx_f)
VECTORS_1(float, native_recip, fast_reciprocal)
VECTORS_2(float, native_powr, fast_pow)
VECTORS_2(float, native_divide, __nvvm_div_approx_f)
