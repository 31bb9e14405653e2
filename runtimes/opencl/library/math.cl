// SPDX-License-Identifier: Apache-2.0
// Mathematical functions for which libclc exceeds the errors permitted by OpenCL C, or does not
// support denormals, infinities or NaNs.

// On this target, generic pointers are used for private memory.
#define FOR_SPACES(what, type) what(type, private) what(type, local) what(type, global)
#define FOR_WIDTHS(what, type)                                                                     \
    FOR_SPACES(what, type)                                                                         \
    FOR_SPACES(what, type##2)                                                                      \
    FOR_SPACES(what, type##3)                                                                      \
    FOR_SPACES(what, type##4)                                                                      \
    FOR_SPACES(what, type##8)                                                                      \
    FOR_SPACES(what, type##16)

// ---- remainders: exact, by integer division of the fractions ----

/// |x| modulo |y|, both finite and y not 0, in units of 2^(unit - 150); low bits of the quotient.
static uint modulo(uint x, uint y, bool nearest, int* unit, uint* quotient, bool* beyond) {
    const int ex = max((int)(x >> 23), 1), ey = max((int)(y >> 23), 1);
    const uint fx = x < 0x800000 ? x : (x & 0x7fffff) | 0x800000;
    uint fy = y < 0x800000 ? y : (y & 0x7fffff) | 0x800000;
    *beyond = false;
    *quotient = 0;
    *unit = ex;
    if (ex < ey - 1) return fx;
    if (ex < ey) fy <<= 1;
    *unit = min(ex, ey);
    uint r = fx % fy, q = fx / fy;
    for (int left = ex - ey; left > 0; left -= 32) {
        const int step = min(left, 32);
        const ulong wide = (ulong)r << step;
        q = (uint)((ulong)q << step) + (uint)(wide / fy);
        r = (uint)(wide % fy);
    }
    if (nearest && (2 * r > fy || (2 * r == fy && (q & 1) != 0))) {
        r = fy - r;
        ++q;
        *beyond = true;
    }
    *quotient = q;
    return r;
}

static float remainder_of(float x, float y, bool nearest, int* quotient) {
    const uint a = as_uint(x) & 0x7fffffff, b = as_uint(y) & 0x7fffffff;
    *quotient = 0;
    if (a >= 0x7f800000 || b > 0x7f800000 || b == 0) return NAN;
    if (b == 0x7f800000) return x;
    int unit;
    uint q;
    bool beyond;
    const uint r = modulo(a, b, nearest, &unit, &q, &beyond);
    uint bits = 0;
    if (r != 0) {
        const int shift = min((int)clz(r) - 8, unit - 1);
        // A fraction of 25 bits ends in 0.
        const uint fraction = shift < 0 ? r >> 1 : r << shift;
        bits = fraction < 0x800000 ? fraction
                                   : ((uint)(unit - shift) << 23) + (fraction & 0x7fffff);
    }
    const uint sign = (as_uint(x) ^ (beyond ? 0x80000000 : 0)) & 0x80000000;
    // A remainder of 0 has the sign of x.
    const uint zero_sign = as_uint(x) & 0x80000000;
    q &= 0x7f;
    *quotient = ((as_uint(x) ^ as_uint(y)) >> 31) != 0 ? -(int)q : (int)q;
    return as_float(bits | (r != 0 ? sign : zero_sign));
}
static float modulus(float x, float y) {
    int ignored;
    return remainder_of(x, y, false, &ignored);
}
static float nearest_remainder(float x, float y) {
    int ignored;
    return remainder_of(x, y, true, &ignored);
}
VECTORS_2(float, fmod, modulus)
VECTORS_2(float, remainder, nearest_remainder)

OVERLOAD float remquo(float x, float y, private int* q) {
    return remainder_of(x, y, true, q);
}
OVERLOAD float2 remquo(float2 x, float2 y, private int2* q) {
    int a, b;
    const float2 r = (float2)(remquo(x.x, y.x, &a), remquo(x.y, y.y, &b));
    *q = (int2)(a, b);
    return r;
}
OVERLOAD float3 remquo(float3 x, float3 y, private int3* q) {
    int2 a;
    int b;
    const float2 r = remquo(x.xy, y.xy, &a);
    const float s = remquo(x.z, y.z, &b);
    *q = (int3)(a, b);
    return (float3)(r, s);
}
#define REMQUO_HALVES(n, half_n)                                                                   \
    OVERLOAD float##n remquo(float##n x, float##n y, private int##n * q) {                         \
        int##half_n a, b;                                                                          \
        const float##half_n r = remquo(x.lo, y.lo, &a), s = remquo(x.hi, y.hi, &b);                \
        *q = (int##n)(a, b);                                                                       \
        return (float##n)(r, s);                                                                   \
    }
REMQUO_HALVES(4, 2)
REMQUO_HALVES(8, 4)
REMQUO_HALVES(16, 8)
#define REMQUO(n, space)                                                                           \
    OVERLOAD float##n remquo(float##n x, float##n y, space int##n* q) {                            \
        private int##n own;                                                                        \
        const float##n r = remquo(x, y, (private int##n*)&own);                                    \
        *q = own;                                                                                  \
        return r;                                                                                  \
    }
REMQUO(, local)
REMQUO(2, local)
REMQUO(3, local)
REMQUO(4, local)
REMQUO(8, local)
REMQUO(16, local)
REMQUO(, global)
REMQUO(2, global)
REMQUO(3, global)
REMQUO(4, global)
REMQUO(8, global)
REMQUO(16, global)

// ---- nan: libclc's of double is infinity where the code is 0, and signals where it is not ----

#define NAN_OF(n)                                                                                  \
    PURE double##n nan(ulong##n code) {                                                            \
        return as_double##n(code | 0x7ff8000000000000ul);                                          \
    }
NAN_OF()
NAN_OF(2)
NAN_OF(3)
NAN_OF(4)
NAN_OF(8)
NAN_OF(16)

// ---- fract: results are below 1; zeros and infinities give a zero with their sign ----

static float fraction_of_float(float x) {
    if (isinf(x) || x == 0) return copysign(0.0f, x);
    return isnan(x) ? x : fmin(x - floor(x), 0x1.fffffep-1f);
}
static double fraction_of_double(double x) {
    if (isinf(x) || x == 0) return copysign(0.0, x);
    return isnan(x) ? x : fmin(x - floor(x), 0x1.fffffffffffffp-1);
}
VECTORS_1(float, __simtlm_fraction, fraction_of_float)
VECTORS_1(double, __simtlm_fraction, fraction_of_double)
#define FRACT(type, space)                                                                         \
    OVERLOAD type fract(type x, space type* whole) {                                               \
        *whole = floor(x);                                                                         \
        return __simtlm_fraction(x);                                                               \
    }
FOR_WIDTHS(FRACT, float)
FOR_WIDTHS(FRACT, double)

// ---- ldexp: rounded once, also for denormal results ----

static float scaled_float(float x, int n) {
    if (n > 127) {
        x *= 0x1p127f;
        n -= 127;
        if (n > 127) {
            x *= 0x1p127f;
            n = min(n - 127, 127);
        }
    } else if (n < -126) {
        // Steps of 2^-102 leave 24 bits: only the last step rounds.
        x *= 0x1p-102f;
        n += 102;
        if (n < -126) {
            x *= 0x1p-102f;
            n = max(n + 102, -126);
        }
    }
    return x * as_float((127 + n) << 23);
}
static double scaled_double(double x, int n) {
    if (n > 1023) {
        x *= 0x1p1023;
        n -= 1023;
        if (n > 1023) {
            x *= 0x1p1023;
            n = min(n - 1023, 1023);
        }
    } else if (n < -1022) {
        x *= 0x1p-969;
        n += 969;
        if (n < -1022) {
            x *= 0x1p-969;
            n = max(n + 969, -1022);
        }
    }
    return x * as_double((long)(1023 + n) << 52);
}
#define WITH_INTEGERS(type, name, scalar)                                                          \
    PURE type name(type x, int n) {                                                                \
        return scalar(x, n);                                                                       \
    }                                                                                              \
    PURE type##2 name(type##2 x, int2 n) {                                                         \
        return (type##2)(scalar(x.x, n.x), scalar(x.y, n.y));                                      \
    }                                                                                              \
    PURE type##3 name(type##3 x, int3 n) {                                                         \
        return (type##3)(scalar(x.x, n.x), scalar(x.y, n.y), scalar(x.z, n.z));                    \
    }                                                                                              \
    PURE type##4 name(type##4 x, int4 n) {                                                         \
        return (type##4)(name(x.lo, n.lo), name(x.hi, n.hi));                                      \
    }                                                                                              \
    PURE type##8 name(type##8 x, int8 n) {                                                         \
        return (type##8)(name(x.lo, n.lo), name(x.hi, n.hi));                                      \
    }                                                                                              \
    PURE type##16 name(type##16 x, int16 n) {                                                      \
        return (type##16)(name(x.lo, n.lo), name(x.hi, n.hi));                                     \
    }
#define WITH_ONE_INTEGER(type, name)                                                               \
    PURE type##2 name(type##2 x, int n) {                                                          \
        return name(x, (int2)n);                                                                   \
    }                                                                                              \
    PURE type##3 name(type##3 x, int n) {                                                          \
        return name(x, (int3)n);                                                                   \
    }                                                                                              \
    PURE type##4 name(type##4 x, int n) {                                                          \
        return name(x, (int4)n);                                                                   \
    }                                                                                              \
    PURE type##8 name(type##8 x, int n) {                                                          \
        return name(x, (int8)n);                                                                   \
    }                                                                                              \
    PURE type##16 name(type##16 x, int n) {                                                        \
        return name(x, (int16)n);                                                                  \
    }
WITH_INTEGERS(float, ldexp, scaled_float)
WITH_INTEGERS(double, ldexp, scaled_double)
WITH_ONE_INTEGER(float, ldexp)
WITH_ONE_INTEGER(double, ldexp)

// ---- exponential functions: with denormal results ----

/// e^r for |r| <= 0.36.
static float exponential_near_zero(float r) {
    float p = fma(r, 1.0f / 5040, 1.0f / 720);
    p = fma(r, p, 1.0f / 120);
    p = fma(r, p, 1.0f / 24);
    p = fma(r, p, 1.0f / 6);
    p = fma(r, p, 0.5f);
    return fma(r, fma(r, p, 1.0f), 1.0f);
}
// Beyond the limits of the argument, results overflow or are 0.
static float exponential(float x) {
    if (isnan(x)) return x;
    const float c = fmin(fmax(x, -110.0f), 90.0f), n = rint(c * M_LOG2E_F);
    // ln 2 in two parts; the first product and difference are exact.
    const float r = fma(-n, -0x1.05c610p-29f, fma(-n, 0x1.62e430p-1f, c));
    return scaled_float(exponential_near_zero(r), (int)n);
}
static float exponential_of_2(float x) {
    if (isnan(x)) return x;
    const float c = fmin(fmax(x, -160.0f), 130.0f), n = rint(c);
    return scaled_float(exponential_near_zero((c - n) * M_LN2_F), (int)n);
}
static float exponential_of_10(float x) {
    if (isnan(x)) return x;
    const float c = fmin(fmax(x, -50.0f), 40.0f), n = rint(c * 3.32192809f);
    // log10 2 in two parts.
    const float r = fma(-n, -0x1.ec10c0p-27f, fma(-n, 0x1.344136p-2f, c));
    return scaled_float(exponential_near_zero(r * M_LN10_F), (int)n);
}
VECTORS_1(float, exp, exponential)
VECTORS_1(float, exp2, exponential_of_2)
VECTORS_1(float, exp10, exponential_of_10)

// ---- rootn: in double precision, which covers denormals and the error of log2 ----

static float root_of_float(float x, int n) {
    if (n == 0 || isnan(x) || (x < 0 && (n & 1) == 0)) return NAN;
    const float size = fabs(x);
    float r;
    if (size == 0)
        r = n > 0 ? 0.0f : INFINITY;
    else if (isinf(size))
        r = n > 0 ? INFINITY : 0.0f;
    else
        r = (float)exp2(log2((double)size) / n);
    return (n & 1) != 0 ? copysign(r, x) : r;
}
WITH_INTEGERS(float, rootn, root_of_float)

// ---- hyperbolic functions in double precision ----

static double hyperbolic_cosine(double x) {
    const double a = fabs(x);
    if (isnan(x)) return x;
    if (a > 711) return INFINITY;
    if (a > 700) {
        const double e = exp(0.5 * a);
        return 0.5 * e * e;
    }
    const double e = exp(a);
    return 0.5 * e + 0.5 / e;
}
static double hyperbolic_sine(double x) {
    const double a = fabs(x);
    if (isnan(x) || a < 0x1p-28) return x;
    double r;
    if (a > 711) {
        r = INFINITY;
    } else if (a > 700) {
        const double e = exp(0.5 * a);
        r = 0.5 * e * e;
    } else {
        const double m = expm1(a);
        r = 0.5 * (m + m / (m + 1));
    }
    return copysign(r, x);
}
VECTORS_1(double, cosh, hyperbolic_cosine)
VECTORS_1(double, sinh, hyperbolic_sine)

static float complementary_error(float x) {
    return (float)erfc((double)x);
}
VECTORS_1(float, erfc, complementary_error)

// ---- gamma function: Lanczos approximation with coefficients for 53 bits ----

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

/// For a positive argument that is not tiny.
static double positive_gamma(double z) {
    const double g = 6.024680040776729583740234375;
    const double t = z + g - 0.5;
    const double p = pow(t, z * 0.5 - 0.25);
    return lanczos_sum(z) * p * exp(-t) * p;
}

static double gamma_of(double x) {
    if (isnan(x) || x == INFINITY) return x;
    if (fabs(x) < 0x1p-60) return 1 / x;
    if (x > 0) return x > 172 ? (double)INFINITY : positive_gamma(x);
    if (x == floor(x)) return NAN;
    const double s = sinpi(x), y = -x;
    if (y > 185) return copysign(0.0, s);
    // Gamma(x) Gamma(-x) = -pi / (x sin(pi x)); in two factors if Gamma(-x) would overflow.
    if (y < 168) return M_PI / (y * s * positive_gamma(y));
    const double t = y + 6.024680040776729583740234375 - 0.5;
    const double p = pow(t, y * 0.5 - 0.25);
    return M_PI / (y * s * lanczos_sum(y) * p * exp(-t)) / p;
}
static float gamma_of_float(float x) {
    return (float)gamma_of((double)x);
}
VECTORS_1(float, tgamma, gamma_of_float)
VECTORS_1(double, tgamma, gamma_of)
