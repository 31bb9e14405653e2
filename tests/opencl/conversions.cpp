// SPDX-License-Identifier: Apache-2.0
// Conversions between all scalar types of OpenCL C, with every rounding and saturation mode, and
// for one vector width; half precision in memory.
#include "tests/opencl/host.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace {

using wide = long double;  // represents every value of every type

struct rounding {
    const char* suffix;
    int mode;
};
const rounding roundings[] = {{"", -1},
                              {"_rte", FE_TONEAREST},
                              {"_rtz", FE_TOWARDZERO},
                              {"_rtp", FE_UPWARD},
                              {"_rtn", FE_DOWNWARD}};
constexpr std::size_t count = 192;  // a multiple of 3 and of 16

template <class T>
std::vector<T> values() {
    using limits = std::numeric_limits<T>;
    std::vector<T> v{0, 1, 2, limits::max(), limits::lowest(), T(limits::max() / 2), T(127)};
    if constexpr (std::is_floating_point_v<T>) {
        for (const double d : {-0.0,
                               0.5,
                               -0.5,
                               1.5,
                               -1.5,
                               2.5,
                               -2.5,
                               126.5,
                               127.5,
                               128.0,
                               -128.5,
                               254.5,
                               255.5,
                               256.0,
                               32767.5,
                               65535.5,
                               2147483647.0,
                               2147483648.0,
                               -2147483649.0,
                               4294967295.5,
                               9.2233720368547758e18,
                               1.8446744073709552e19,
                               -1e30,
                               1e-40,
                               3.4028236e38,
                               1e300})
            v.push_back(static_cast<T>(d));
        v.push_back(limits::infinity());
        v.push_back(-limits::infinity());
        v.push_back(limits::quiet_NaN());
    } else {
        for (unsigned shift = 8; shift < 8 * sizeof(T); shift += 8)
            for (const int d : {-1, 0, 1}) v.push_back(static_cast<T>((T{1} << shift) + T(d)));
    }
    std::mt19937_64 random(1);
    while (v.size() < count) {
        if constexpr (std::is_floating_point_v<T>) {
            const double size = std::ldexp(1.0, static_cast<int>(random() % 70));
            v.push_back(static_cast<T>(size * std::uniform_real_distribution<>(-1, 1)(random)));
        } else {
            v.push_back(static_cast<T>(random() >> (random() % 64)));
        }
    }
    return v;
}

template <class To>
To rounded(wide x, int mode) {
    const int before = std::fegetround();
    std::fesetround(mode);
    const volatile wide from = x;
    const volatile To to = static_cast<To>(from);
    std::fesetround(before);
    return to;
}
wide whole(wide x, int mode) {
    const int before = std::fegetround();
    std::fesetround(mode);
    const volatile wide from = x;
    const volatile wide to = std::nearbyint(from);
    std::fesetround(before);
    return to;
}

/// @return whether the standard defines the result
template <class To, class From>
bool convert(From from, int mode, bool saturates, To& to) {
    const wide x = from;
    if constexpr (std::is_floating_point_v<To>) {
        to = rounded<To>(x, mode < 0 ? FE_TONEAREST : mode);
        return true;
    } else {
        using limits = std::numeric_limits<To>;
        if constexpr (std::is_integral_v<From>) {
            if (!saturates) {
                to = static_cast<To>(from);
                return true;
            }
        }
        if (std::isnan(x)) {
            to = 0;
            return saturates;
        }
        const wide r = whole(x, mode < 0 ? FE_TOWARDZERO : mode);
        const wide low = limits::min(), high = limits::max();
        if (r < low || r > high) {
            to = r < low ? limits::min() : limits::max();
            return saturates;
        }
        to = static_cast<To>(r);
        return true;
    }
}

template <class T>
bool same(T x, T y) {
    return x == y || (x != x && y != y);
}

template <class To, class From>
void converts(const host& h, const char* to_name, const char* from_name, unsigned width) {
    constexpr bool to_integer = std::is_integral_v<To>;
    const std::string t = to_name, f = from_name, w = std::to_string(width);
    std::string source =
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "kernel void k(global const " +
        f + "* x, global " + t +
        "* y) { size_t i = get_global_id(0), n = " + std::to_string(count) + ";\n";
    std::string vectors = "kernel void v(global const " + f + "* x, global " + t +
                          "* y) { size_t i = get_global_id(0), n = " + std::to_string(count) +
                          "; " + f + w + " a = vload" + w + "(i, x);\n";
    unsigned kinds = 0;
    for (const bool saturates : {false, true})
        for (const rounding& r : roundings) {
            if (saturates && !to_integer) continue;
            const std::string suffix = std::string(saturates ? "_sat" : "") + r.suffix;
            const std::string place = std::to_string(kinds) + " * n";
            source += "y[" + place + " + i] = convert_" + t + suffix + "(x[i]);\n";
            vectors +=
                "vstore" + w + "(convert_" + t + w + suffix + "(a), i, y + " + place + ");\n";
            ++kinds;
        }
    source += "}\n" + vectors + "}\n";
    const cl_program g = h.build(source.c_str());
    const std::vector<From> x = values<From>();
    const cl_mem in = h.buffer(x), out = h.buffer(std::vector<To>(count * kinds));
    const auto run = [&](const char* name, std::size_t n) {
        const cl_kernel k = h.kernel(g, name);
        set(k, 0, in);
        set(k, 1, out);
        h.run(k, n);
        GOOD(clReleaseKernel(k));
        return h.read<To>(out, count * kinds);
    };
    const auto y = run("k", count), v = run("v", count / width);
    unsigned kind = 0;
    for (const bool saturates : {false, true})
        for (const rounding& r : roundings) {
            if (saturates && !to_integer) continue;
            for (std::size_t i = 0; i < count; ++i) {
                To expected{};
                if (!convert<To>(x[i], r.mode, saturates, expected)) continue;
                const std::size_t at = kind * count + i;
                if (same(y[at], expected) && same(v[at], expected)) continue;
                std::printf(
                    "convert_%s%s%s of %s %.20Lg: %.20Lg, as a vector of %u %.20Lg, not %.20Lg\n",
                    to_name, saturates ? "_sat" : "", r.suffix, from_name, wide(x[i]), wide(y[at]),
                    width, wide(v[at]), wide(expected));
                ++failures;
                break;
            }
            ++kind;
        }
    GOOD(clReleaseMemObject(in));
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseProgram(g));
}

/// Calls `act` for the types of OpenCL.
template <class Act>
void for_types(const Act& act) {
    act(std::int8_t{}, "char");
    act(std::uint8_t{}, "uchar");
    act(std::int16_t{}, "short");
    act(std::uint16_t{}, "ushort");
    act(std::int32_t{}, "int");
    act(std::uint32_t{}, "uint");
    act(std::int64_t{}, "long");
    act(std::uint64_t{}, "ulong");
    act(float{}, "float");
    act(double{}, "double");
}

// ---- half precision ----

double value_of_half(unsigned h) {
    const int exponent = (h >> 10) & 31;
    const double fraction = h & 1023;
    const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(fraction + 1024, exponent - 25);
    return (h & 0x8000) != 0 ? -size : size;
}

unsigned half_of(wide x, int mode) {
    const unsigned sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x)) return 0x7e00;
    if (std::isinf(x)) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(x, &exponent);
    exponent = std::max(exponent, -13);
    // In units of the last place.
    const wide units = std::abs(whole(std::ldexp(x, 11 - exponent), mode));
    const wide size = std::ldexp(units, exponent - 11);
    if (size > 65504) {
        const bool to_infinity = mode == FE_TONEAREST || (mode == FE_UPWARD && sign == 0) ||
                                 (mode == FE_DOWNWARD && sign != 0);
        return sign | (to_infinity ? 0x7c00 : 0x7bff);
    }
    if (units < 1024) return sign | static_cast<unsigned>(units);
    std::frexp(size, &exponent);
    const unsigned fraction = static_cast<unsigned>(std::ldexp(size, 11 - exponent)) - 1024;
    return sign | (static_cast<unsigned>(exponent + 14) << 10) | fraction;
}

void loads_halves(const host& h) {
    constexpr std::size_t n = 65536;
    std::string source;
    for (const char* w : {"", "2", "3", "4", "8", "16"}) {
        const std::string s = w, v = "vload_half" + s, a = "vloada_half" + s;
        const std::string store = s.empty() ? "y[i] = " : "vstore" + s + "(";
        const std::string end = s.empty() ? ";" : ", i, y);";
        source += "kernel void k" + s +
                  "(global const half* x, global float* y) { size_t i = "
                  "get_global_id(0); " +
                  store + v + "(i, x)" + end + " }\n";
        if (s != "" && s != "3")
            source += "kernel void a" + s +
                      "(global const half* x, global float* y) { size_t i = "
                      "get_global_id(0); " +
                      store + a + "(i, x)" + end + " }\n";
    }
    const cl_program g = h.build(source.c_str());
    std::vector<cl_ushort> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<cl_ushort>(i);
    const cl_mem in = h.buffer(x), out = h.buffer(std::vector<float>(n));
    for (const char* name : {"k", "k2", "k3", "k4", "k8", "k16", "a2", "a4", "a8", "a16"}) {
        const std::size_t width = name[1] == 0 ? 1 : std::stoul(name + 1);
        const cl_kernel k = h.kernel(g, name);
        set(k, 0, in);
        set(k, 1, out);
        h.run(k, n / width);
        const auto y = h.read<float>(out, n);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n / width * width; ++i)
            wrong += !same(y[i], static_cast<float>(value_of_half(static_cast<unsigned>(i))));
        if (wrong != 0) {
            std::printf("%s: %zu halves wrong\n", name, wrong);
            ++failures;
        }
        GOOD(clReleaseKernel(k));
    }
    GOOD(clReleaseMemObject(in));
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseProgram(g));
}

template <class T>
void stores_halves(const host& h, const char* type) {
    constexpr std::size_t n = 960;
    const rounding modes[] = {{"", FE_TONEAREST},
                              {"_rte", FE_TONEAREST},
                              {"_rtz", FE_TOWARDZERO},
                              {"_rtp", FE_UPWARD},
                              {"_rtn", FE_DOWNWARD}};
    const char* const widths[] = {"", "2", "3", "4", "8", "16"};
    std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    for (const rounding& r : modes)
        for (const char* w : widths) {
            const std::string s = w;
            source += "kernel void k" + s + r.suffix + "(global const " + type +
                      "* x, global half* y) { size_t i = get_global_id(0); vstore_half" + s +
                      r.suffix + "(" + (s.empty() ? "x[i]" : "vload" + s + "(i, x)") +
                      ", i, y); }\n";
        }
    const cl_program g = h.build(source.c_str());
    std::vector<T> x{0,         -T{0},      1,           T(65504),
                     T(65519),  T(65520),   T(-65520),   T(1e10),
                     T(6e-8),   T(2.9e-8),  T(3e-8),     T(-1e-9),
                     T(6.1e-5), T(6.09e-5), T(INFINITY), T(-INFINITY),
                     T(NAN),    T(2049),    T(2051),     std::numeric_limits<T>::denorm_min()};
    std::mt19937 random(1);
    while (x.size() < n)
        x.push_back(std::ldexp(std::uniform_real_distribution<T>(-1, 1)(random),
                               static_cast<int>(random() % 48) - 28));
    const cl_mem in = h.buffer(x), out = h.buffer(std::vector<cl_ushort>(n));
    for (const rounding& r : modes)
        for (const char* w : widths) {
            const std::string name = std::string("k") + w + r.suffix;
            const std::size_t width = w[0] == 0 ? 1 : std::stoul(w);
            const cl_kernel k = h.kernel(g, name.c_str());
            set(k, 0, in);
            set(k, 1, out);
            h.run(k, n / width);
            const auto y = h.read<cl_ushort>(out, n);
            for (std::size_t i = 0; i < n; ++i) {
                const unsigned expected = half_of(x[i], r.mode);
                if (y[i] == expected || (std::isnan(x[i]) && std::isnan(value_of_half(y[i]))))
                    continue;
                std::printf("%s of %s %.9g: 0x%04x, not 0x%04x\n", name.c_str(), type, double(x[i]),
                            y[i], expected);
                ++failures;
                break;
            }
            GOOD(clReleaseKernel(k));
        }
    GOOD(clReleaseMemObject(in));
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseProgram(g));
}

}  // namespace

int main(int argc, char** argv) {
    {
        const host h;
        loads_halves(h);
        stores_halves<float>(h, "float");
        stores_halves<double>(h, "double");
        // All pairs with the argument `all`; otherwise those of a diagonal.
        const bool all = argc > 1 && std::string(argv[1]) == "all";
        const unsigned widths[] = {2, 3, 4, 8, 16};
        unsigned row = 0;
        for_types([&](auto from, const char* from_name) {
            unsigned column = 0;
            for_types([&](auto to, const char* to_name) {
                if (all || (row + column) % 5 == 2 || (from_name[0] == 'f' && column < 8))
                    converts<decltype(to), decltype(from)>(h, to_name, from_name,
                                                           widths[(row + 2 * column) % 5]);
                ++column;
            });
            ++row;
        });
    }
    return passed("conversions");
}
