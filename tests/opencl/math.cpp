// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of OpenCL C: each within the error permitted by the standard, over the
// whole range of its arguments including zeros, denormals, infinities and NaNs; vectors give the
// same results as scalars. Each function is tested for one vector width and type, or for all widths
// with the argument `all`. Other arguments select the functions to test.
#include "tests/opencl/host.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr long double infinity = std::numeric_limits<long double>::infinity();
constexpr long double not_a_number = std::numeric_limits<long double>::quiet_NaN();

using wide = long double;

/// sin(pi x), exact if the result is 0 or 1: reduced without rounding.
wide sine_of_pi(wide x) {
    if (!std::isfinite(x)) return not_a_number;
    wide r = std::remainder(x, 2.0L);
    if (std::abs(r) > 0.5L) r = std::copysign(1.0L, r) - r;
    return std::sin(pi * r);
}
wide cosine_of_pi(wide x) {
    if (!std::isfinite(x)) return not_a_number;
    return std::sin(pi * (0.5L - std::abs(std::remainder(x, 2.0L))));
}
wide tangent_of_pi(wide x) {
    return sine_of_pi(x) / cosine_of_pi(x);
}
wide root(wide x, int n) {
    if (n == 0) return not_a_number;
    if (x < 0 && n % 2 == 0) return not_a_number;
    const wide r = std::pow(std::abs(x), 1.0L / n);
    return n % 2 != 0 ? std::copysign(r, x) : r;
}
/// pow for non-negative bases, by its definition exp2(y log2 x).
wide power_of_positive(wide x, wide y) {
    if (!(x >= 0) || std::isnan(y)) return not_a_number;
    if ((x == 0 && y == 0) || (std::isinf(x) && y == 0) || (x == 1 && std::isinf(y)))
        return not_a_number;
    return std::pow(x == 0 ? 0.0L : x, y);
}
wide larger(wide x, wide y) {
    return std::abs(x) > std::abs(y) ? x : std::abs(y) > std::abs(x) ? y : std::fmax(x, y);
}
wide smaller(wide x, wide y) {
    return std::abs(x) < std::abs(y) ? x : std::abs(y) < std::abs(x) ? y : std::fmin(x, y);
}
template <class T>
T fraction(T x) {
    if (std::isnan(x)) return x;
    if (std::isinf(x) || x == 0) return std::copysign(T{0}, x);
    return std::fmin(x - std::floor(x), std::nextafter(T{1}, T{0}));
}

/// A function: its code in terms of a, b, c and n, and its exact value. A second result is stored
/// in s.
struct function {
    const char* name;
    const char* code;
    double ulp;  ///< maximum error; 0: identical bits, except the sign of zeros if `loose`
    wide (*exact_float)(float a, float b, float c, int n);
    wide (*exact_double)(double a, double b, double c, int n);
    bool (*domain)(wide a, wide b) = nullptr;  ///< arguments to test; nullptr: all
    double ulp_double = -1;                    ///< maximum error in double precision, if different
};

// NOLINTNEXTLINE
#define EXACTLY(expression)                                  \
    [](float a, float b, float c, int n) -> wide {           \
        [[maybe_unused]] const wide A = a, B = b, C = c;     \
        (void)n;                                             \
        return expression;                                   \
    },                                                       \
        [](double a, double b, double c, int n) -> wide {    \
            [[maybe_unused]] const wide A = a, B = b, C = c; \
            (void)n;                                         \
            return expression;                               \
        }

bool moderate(wide a, wide) {
    return a > 2.5L && a < 1e4L;
}
bool finite_difference(wide a, wide b) {
    return std::isfinite(a) && std::isfinite(b);
}
bool not_nan(wide a, wide b) {
    return !std::isnan(a) && !std::isnan(b);
}
bool for_native(wide a, wide) {
    return a > 0.01L && a < 20.0L;
}

// Maximum errors of OpenCL C, full profile.
const function functions[] = {
    {"acos", "acos(a)", 4, EXACTLY(std::acos(A))},
    {"acosh", "acosh(a)", 4, EXACTLY(std::acosh(A))},
    {"acospi", "acospi(a)", 5, EXACTLY(std::acos(A) / pi)},
    {"asin", "asin(a)", 4, EXACTLY(std::asin(A))},
    {"asinh", "asinh(a)", 4, EXACTLY(std::asinh(A))},
    {"asinpi", "asinpi(a)", 5, EXACTLY(std::asin(A) / pi)},
    {"atan", "atan(a)", 5, EXACTLY(std::atan(A))},
    {"atan2", "atan2(a, b)", 6, EXACTLY(std::atan2(A, B))},
    {"atanh", "atanh(a)", 5, EXACTLY(std::atanh(A))},
    {"atanpi", "atanpi(a)", 5, EXACTLY(std::atan(A) / pi)},
    {"atan2pi", "atan2pi(a, b)", 6, EXACTLY(std::atan2(A, B) / pi)},
    {"cbrt", "cbrt(a)", 2, EXACTLY(std::cbrt(A))},
    {"ceil", "ceil(a)", 0, EXACTLY(std::ceil(a))},
    {"copysign", "copysign(a, b)", 0, EXACTLY(std::copysign(a, b)), not_nan},
    {"cos", "cos(a)", 4, EXACTLY(std::cos(A))},
    {"cosh", "cosh(a)", 4, EXACTLY(std::cosh(A))},
    {"cospi", "cospi(a)", 4, EXACTLY(cosine_of_pi(A))},
    {"divide", "a / b", 2.5, EXACTLY(A / B), nullptr, 0.5},
    {"erf", "erf(a)", 16, EXACTLY(std::erf(A))},
    {"erfc", "erfc(a)", 16, EXACTLY(std::erfc(A))},
    {"exp", "exp(a)", 3, EXACTLY(std::exp(A))},
    {"exp2", "exp2(a)", 3, EXACTLY(std::exp2(A))},
    {"exp10", "exp10(a)", 3, EXACTLY(std::pow(10.0L, A))},
    {"expm1", "expm1(a)", 3, EXACTLY(std::expm1(A))},
    {"fabs", "fabs(a)", 0, EXACTLY(std::abs(a))},
    {"fdim", "fdim(a, b)", 0, EXACTLY(std::fdim(a, b))},
    {"floor", "floor(a)", 0, EXACTLY(std::floor(a))},
    {"fma", "fma(a, b, c)", 0, EXACTLY(std::fma(a, b, c))},
    {"fmax", "fmax(a, b)", 0.01, EXACTLY(std::fmax(A, B))},
    {"nan", "nan((U)0)", 0, EXACTLY(not_a_number)},
    {"nan.payload", "nan((U)5)", 0, EXACTLY(not_a_number)},
    {"fmin", "fmin(a, b)", 0.01, EXACTLY(std::fmin(A, B))},
    {"fmod", "fmod(a, b)", 0, EXACTLY(std::fmod(a, b))},
    {"fract", "fract(a, &t)", 0, EXACTLY(fraction(a))},
    {"fract.whole", "(fract(a, &t), t)", 0, EXACTLY(std::floor(a)), not_nan},
    {"frexp", "frexp(a, &m)", 0, EXACTLY(std::isfinite(a) ? std::frexp(a, &n) : a)},
    {"frexp.exponent", "(frexp(a, &m), convert(m))", 0, EXACTLY((std::frexp(a, &n), wide(n))),
     finite_difference},
    {"hypot", "hypot(a, b)", 4, EXACTLY(std::hypot(A, B))},
    {"ilogb", "convert(ilogb(a))", 0, EXACTLY(wide(std::ilogb(a))),
     [](wide a, wide) { return a != 0 && std::isfinite(a); }},
    {"ldexp", "ldexp(a, n)", 0, EXACTLY(std::ldexp(a, n))},
    {"lgamma", "lgamma(a)", 64, EXACTLY(std::lgamma(A)), moderate},
    {"lgamma_r", "lgamma_r(a, &m)", 64, EXACTLY(std::lgamma(A)), moderate},
    {"log", "log(a)", 3, EXACTLY(std::log(A))},
    {"log2", "log2(a)", 3, EXACTLY(std::log2(A))},
    {"log10", "log10(a)", 3, EXACTLY(std::log10(A))},
    {"log1p", "log1p(a)", 2, EXACTLY(std::log1p(A))},
    {"logb", "logb(a)", 0, EXACTLY(std::logb(A))},
    {"maxmag", "maxmag(a, b)", 0.01, EXACTLY(larger(A, B))},
    {"minmag", "minmag(a, b)", 0.01, EXACTLY(smaller(A, B))},
    {"modf", "modf(a, &t)", 0,
     EXACTLY(std::copysign(std::isinf(a) ? wide(0) : A - std::trunc(A), A)), not_nan},
    {"modf.whole", "(modf(a, &t), t)", 0, EXACTLY(std::trunc(a))},
    {"nextafter", "nextafter(a, b)", 0, EXACTLY(std::nextafter(a, b))},
    {"pow", "pow(a, b)", 16, EXACTLY(std::pow(A, B))},
    {"pown", "pown(a, n)", 16, EXACTLY(std::pow(A, wide(n)))},
    {"powr", "powr(a, b)", 16, EXACTLY(power_of_positive(A, B))},
    {"remainder", "remainder(a, b)", 0, EXACTLY(std::remainder(a, b))},
    {"remquo", "remquo(a, b, &m)", 0, EXACTLY(std::remainder(a, b))},
    {"rint", "rint(a)", 0, EXACTLY(std::nearbyint(a))},
    {"rootn", "rootn(a, n)", 16, EXACTLY(root(A, n))},
    {"round", "round(a)", 0, EXACTLY(std::round(a))},
    {"rsqrt", "rsqrt(a)", 2, EXACTLY(1 / std::sqrt(A))},
    {"sin", "sin(a)", 4, EXACTLY(std::sin(A))},
    {"sincos", "sincos(a, &t)", 4, EXACTLY(std::sin(A))},
    {"sincos.cosine", "(sincos(a, &t), t)", 4, EXACTLY(std::cos(A))},
    {"sinh", "sinh(a)", 4, EXACTLY(std::sinh(A))},
    {"sinpi", "sinpi(a)", 4, EXACTLY(sine_of_pi(A))},
    {"sqrt", "sqrt(a)", 3, EXACTLY(std::sqrt(A)), nullptr, 0.5},
    {"tan", "tan(a)", 5, EXACTLY(std::tan(A))},
    {"tanh", "tanh(a)", 5, EXACTLY(std::tanh(A))},
    {"tanpi", "tanpi(a)", 6, EXACTLY(tangent_of_pi(A)),
     [](wide a, wide) { return !(std::abs(std::remainder(a, 1.0L)) == 0.5L); }},
    {"tgamma", "tgamma(a)", 16, EXACTLY(std::tgamma(A)),
     [](wide a, wide) { return !(a <= 0 && (std::floor(a) == a)); }},
    {"trunc", "trunc(a)", 0, EXACTLY(std::trunc(a))},
    // Common and relational functions.
    {"clamp", "clamp(a, (V)(-1), (V)(2))", 0.01, EXACTLY(std::fmin(std::fmax(A, -1.0L), 2.0L)),
     not_nan},
    {"degrees", "degrees(a)", 2, EXACTLY(A*(180 / pi))},
    {"max", "max(a, b)", 0.01, EXACTLY(std::fmax(A, B)), not_nan},
    {"min", "min(a, b)", 0.01, EXACTLY(std::fmin(A, B)), not_nan},
    {"radians", "radians(a)", 2, EXACTLY(A*(pi / 180))},
    {"sign", "sign(a)", 0,
     EXACTLY(std::isnan(a) ? 0
             : a > 0       ? 1
             : a < 0       ? -1
                           : A)},
    {"step", "step(a, b)", 0, EXACTLY(B < A ? 0.0L : 1.0L), not_nan},
};

/// Only in single precision.
const function single_functions[] = {
    {"half_cos", "half_cos(a)", 8192, EXACTLY(std::cos(A)), for_native},
    {"half_divide", "half_divide(a, b)", 8192, EXACTLY(A / B),
     [](wide a, wide b) { return for_native(a, 0) && for_native(b, 0); }},
    {"half_exp", "half_exp(a)", 8192, EXACTLY(std::exp(A)), for_native},
    {"half_exp2", "half_exp2(a)", 8192, EXACTLY(std::exp2(A)), for_native},
    {"half_exp10", "half_exp10(a)", 8192, EXACTLY(std::pow(10.0L, A)), for_native},
    {"half_log", "half_log(a)", 8192, EXACTLY(std::log(A)), for_native},
    {"half_log2", "half_log2(a)", 8192, EXACTLY(std::log2(A)), for_native},
    {"half_log10", "half_log10(a)", 8192, EXACTLY(std::log10(A)), for_native},
    {"half_powr", "half_powr(a, (V)(1.5f))", 8192, EXACTLY(std::pow(A, 1.5L)), for_native},
    {"half_recip", "half_recip(a)", 8192, EXACTLY(1 / A), for_native},
    {"half_rsqrt", "half_rsqrt(a)", 8192, EXACTLY(1 / std::sqrt(A)), for_native},
    {"half_sin", "half_sin(a)", 8192, EXACTLY(std::sin(A)), for_native},
    {"half_sqrt", "half_sqrt(a)", 8192, EXACTLY(std::sqrt(A)), for_native},
    {"half_tan", "half_tan(a)", 8192, EXACTLY(std::tan(A)), for_native},
    // The error of these is implementation-defined; they map to GPU instructions.
    {"native_divide", "native_divide(a, b)", 16, EXACTLY(A / B),
     [](wide a, wide b) { return for_native(a, 0) && for_native(b, 0); }},
    {"native_exp", "native_exp(a)", 64, EXACTLY(std::exp(A)), for_native},
    {"native_exp2", "native_exp2(a)", 16, EXACTLY(std::exp2(A)), for_native},
    {"native_recip", "native_recip(a)", 16, EXACTLY(1 / A), for_native},
    {"native_rsqrt", "native_rsqrt(a)", 16, EXACTLY(1 / std::sqrt(A)), for_native},
    {"native_sqrt", "native_sqrt(a)", 16, EXACTLY(std::sqrt(A)), for_native},
};

template <class T>
wide distance_in_ulps(T got, wide exact) {
    using limits = std::numeric_limits<T>;
    if (std::isnan(exact)) return std::isnan(got) ? 0 : infinity;
    if (std::isnan(got)) return infinity;
    // Beyond the largest number, infinity counts as the next power of two.
    const wide top = std::ldexp(1.0L, limits::max_exponent);
    const wide g = std::isinf(got) ? std::copysign(top, wide(got)) : wide(got);
    const wide e = std::abs(exact) > top ? std::copysign(top, exact) : exact;
    if (g == e) return 0;
    int exponent = 0;
    std::frexp(e, &exponent);
    exponent = std::max(exponent, limits::min_exponent);
    if (std::abs(e) >= top) exponent = limits::max_exponent;
    return std::abs(g - e) / std::ldexp(1.0L, exponent - limits::digits);
}

template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed) {
    using limits = std::numeric_limits<T>;
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T tiny = limits::denorm_min(), low = limits::min(), high = limits::max();
    std::vector<T> v{0,
                     -T{0},
                     1,
                     -1,
                     2,
                     -2,
                     3,
                     -3,
                     T(0.5),
                     T(-0.5),
                     T(1.5),
                     T(-1.5),
                     T(2.5),
                     10,
                     -10,
                     100,
                     tiny,
                     -tiny,
                     7 * tiny,
                     low,
                     -low,
                     low / 2,
                     -low / 4,
                     high,
                     -high,
                     limits::infinity(),
                     -limits::infinity(),
                     limits::quiet_NaN(),
                     1 + limits::epsilon(),
                     1 - limits::epsilon() / 2,
                     T(pi),
                     T(pi / 2),
                     T(-pi),
                     T(pi / 4),
                     T(1e-5),
                     T(88.5),
                     T(-103),
                     T(709.5),
                     T(-745),
                     T(0.49999997)};
    std::mt19937_64 random(seed);
    std::shuffle(v.begin(), v.end(), random);
    std::uniform_real_distribution<T> near(-30, 30), unit(-1, 1),
        far(-160, 160);  // denormal results of exponential functions
    while (v.size() < n / 2) {
        const auto word = static_cast<bits>(random());
        T x;
        std::memcpy(&x, &word, sizeof x);
        v.push_back(x);
    }
    while (v.size() < n)
        v.push_back(v.size() % 3 == 0   ? near(random)
                    : v.size() % 3 == 1 ? unit(random)
                                        : far(random));
    return v;
}

constexpr std::size_t count = 960;  // a multiple of 3 and of 16

struct data {
    cl_mem a, b, c, n, r;
};

/// Name of the kernel that tests a function; "_by_" distinguishes atan and atan2.
std::string kernel_of(const function& f, unsigned width) {
    std::string name = std::string("k_") + f.name;
    if (width != 0) name += "_by_" + std::to_string(width);
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

template <class T>
std::vector<T> run(const host& h, cl_program g, const function& f, unsigned width, const data& d) {
    const cl_kernel k = h.kernel(g, kernel_of(f, width).c_str());
    cl_uint index = 0;
    for (const cl_mem m : {d.a, d.b, d.c, d.n, d.r}) set(k, index++, m);
    h.run(k, width != 0 ? count / width : count, width != 0 ? 4 : 64);
    GOOD(clReleaseKernel(k));
    return h.read<T>(d.r, count);
}

std::string code_of(const function& f, const char* type, unsigned width) {
    const std::string w = width != 0 ? std::to_string(width) : "";
    const std::string name = kernel_of(f, width);
    const std::string v = type + w;
    const auto load = [&](const char* from) {
        return width == 0 ? std::string(from) + "s[i]" : "vload" + w + "(i, " + from + "s)";
    };
    std::string code = f.code;
    for (std::size_t at = code.find("(V)"); at != std::string::npos; at = code.find("(V)", at + 1))
        code.replace(at, 3, "(" + v + ")");
    const std::string bits = (std::string(type) == "float" ? "uint" : "ulong") + w;
    for (std::size_t at = code.find("(U)"); at != std::string::npos; at = code.find("(U)", at + 1))
        code.replace(at, 3, "(" + bits + ")");
    for (std::size_t at = code.find("convert("); at != std::string::npos;
         at = code.find("convert(", at + 9))
        code.replace(at, 8, "convert_" + v + "(");
    return "kernel void " + name + "(global const " + type + "* as, global const " + type +
           "* bs, global const " + type + "* cs, global const int* ns, global " + type +
           "* rs) { size_t i = get_global_id(0); " + v + " a = " + load("a") +
           ", b = " + load("b") + ", c = " + load("c") + ", t; int" + w + " n = " + load("n") +
           ", m; " +
           (width == 0 ? "rs[i] = " + code + ";" : "vstore" + w + "(" + code + ", i, rs);") +
           " }\n";
}

struct options {
    bool all_widths = false;
    std::vector<std::string> names;  ///< empty: all

    bool has(const function& f) const {
        return names.empty() || std::find(names.begin(), names.end(), f.name) != names.end();
    }
};

template <class T>
bool same(T x, T y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

template <class T>
void stays_within_the_error(const host& h, const char* type, const function* begin,
                            const function* end, const options& o) {
    constexpr unsigned widths[] = {2, 3, 4, 8, 16};
    // The program's constant precedes the tables of the library.
    std::string source =
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "constant char odd[3] = {1, 2, 3};\n"
        "kernel void uses_it(global char* p, int i) { *p = odd[i]; }\n";
    const auto tried = [&](const function* f, unsigned i) {
        return o.all_widths || static_cast<std::size_t>(f - begin + sizeof(T) / 4) % 5 == i;
    };
    for (const function* f = begin; f != end; ++f) {
        if (!o.has(*f)) continue;
        source += code_of(*f, type, 0);
        for (unsigned i = 0; i < 5; ++i)
            if (tried(f, i)) source += code_of(*f, type, widths[i]);
    }
    const cl_program g = h.build(source.c_str());
    const std::vector<T> a = numbers<T>(count, 1), b = numbers<T>(count, 2),
                         c = numbers<T>(count, 3);
    std::vector<int> n(count);
    std::mt19937 random(4);
    for (int& x : n) x = static_cast<int>(random() % 41) - 20;
    n[0] = 2000, n[1] = -2000, n[2] = 0;
    const data d{h.buffer(a), h.buffer(b), h.buffer(c), h.buffer(n),
                 h.buffer(std::vector<T>(count))};
    for (const function* f = begin; f != end; ++f) {
        if (!o.has(*f)) continue;
        const std::vector<T> r = run<T>(h, g, *f, 0, d);
        const double allowed = sizeof(T) == 8 && f->ulp_double >= 0 ? f->ulp_double : f->ulp;
        wide worst = 0;
        std::size_t where = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (f->domain != nullptr && !f->domain(a[i], b[i])) continue;
            wide e = 0;
            if constexpr (sizeof(T) == 4)
                e = f->exact_float(a[i], b[i], c[i], n[i]);
            else
                e = f->exact_double(a[i], b[i], c[i], n[i]);
            const wide u = f->ulp == 0 && !same(r[i], static_cast<T>(e))
                               ? infinity
                               : distance_in_ulps(r[i], e);
            if (u > worst) worst = u, where = i;
        }
        // The exact value is rounded too.
        if (worst > allowed + 0.01) {
            std::printf("%s of %s: %Lg ulp, allowed %g: %s(%.9g, %.9g, %.9g, %d) = %.17g\n",
                        f->name, type, worst, allowed, f->code, double(a[where]), double(b[where]),
                        double(c[where]), n[where], double(r[where]));
            ++failures;
        }
        for (unsigned i = 0; i < 5; ++i) {
            if (!tried(f, i)) continue;
            const std::vector<T> v = run<T>(h, g, *f, widths[i], d);
            for (std::size_t k = 0; k < count; ++k) {
                if (f->domain != nullptr && !f->domain(a[k], b[k])) continue;
                if (same(v[k], r[k])) continue;
                std::printf("%s of %s%u: %.17g in element %zu, %.17g as a scalar: a = %.9g\n",
                            f->name, type, widths[i], double(v[k]), k, double(r[k]), double(a[k]));
                ++failures;
                break;
            }
        }
    }
    for (const cl_mem m : {d.a, d.b, d.c, d.n, d.r}) GOOD(clReleaseMemObject(m));
    GOOD(clReleaseProgram(g));
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "all")
            o.all_widths = true;
        else
            o.names.emplace_back(argv[i]);
    }
    {
        const host h;
        stays_within_the_error<float>(h, "float", std::begin(functions), std::end(functions), o);
        stays_within_the_error<double>(h, "double", std::begin(functions), std::end(functions), o);
        stays_within_the_error<float>(h, "float", std::begin(single_functions),
                                      std::end(single_functions), o);
    }
    return passed("math");
}
