// SPDX-License-Identifier: Apache-2.0
// Functions that the hardware has: fma, and the approximations behind native_ functions.

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

// ---- the gamma function: Lanczos' approximation, whose coefficients are those for 53 bits ----

static double lanczos_sum(double z) {
    const double n[13] = {23531376880.41075968857200767445163675,
                          42919803642.64909876895789904700198885,
                          35711959237.35566804944018545154716671,
                          17921034426.03720969991975575445893111,
                          6039542586.352028005064291644307297921,
                          1439720407.311721673663223072794912394,
                          248874557.8620541565114603864132294232,
                          31426415.58540019438061423162831820536,
                          2876370.628935372441225409051620849614,
                          186056.2653952234950402949897160456993,
                          8071.672002365816210638002902272250614,
                          210.8242777515793458725097339207133627,
                          2.506628274631000270164908177133837339};
    const double d[13] = {0,        39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                          2637558,  357423,   32670,     1925,      66,        1};
    double a = 0, b = 0;
    if (z <= 1) {
        for (int i = 12; i >= 0; --i) {
            a = a * z + n[i];
            b = b * z + d[i];
        }
    } else {
        const double r = 1 / z;
        for (int i = 0; i < 13; ++i) {
            a = a * r + n[i];
            b = b * r + d[i];
        }
    }
    return a / b;
}

/// Of a positive argument.
static double positive_gamma(double z) {
    const double g = 6.024680040776729583740234375;
    const double t = z + g - 0.5;
    const double p = pow(t, z * 0.5 - 0.25);
    return lanczos_sum(z) * p * exp(-t) * p;
}

static double gamma_of(double x) {
    if (isnan(x) || x == INFINITY) return x;
    if (x == 0) return copysign((double)INFINITY, x);
    if (x < 0 && x == floor(x)) return NAN;
    if (x >= 0.5) return x > 172 ? (double)INFINITY : positive_gamma(x);
    const double s = sinpi(x);
    if (x < -184) return copysign(0.0, s);
    // Gamma(x) Gamma(1 - x) = pi / sin(pi x); the product in halves, so that it does not overflow.
    const double z = 1 - x;
    if (z < 170) return M_PI / (s * positive_gamma(z));
    const double t = z + 6.024680040776729583740234375 - 0.5;
    const double p = pow(t, z * 0.5 - 0.25);
    return M_PI / (s * lanczos_sum(z) * p * exp(-t)) / p;
}
static float gamma_of_float(float x) {
    return (float)gamma_of((double)x);
}
VECTORS_1(float, tgamma, gamma_of_float)
VECTORS_1(double, tgamma, gamma_of)
