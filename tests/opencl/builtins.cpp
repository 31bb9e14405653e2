// SPDX-License-Identifier: Apache-2.0
// Built-in functions: within the standard's error, atomics, work-group functions, printf.
#include "tests/opencl/host.h"

#include <cmath>
#include <random>

namespace {

struct function {
    const char* name;
    long double (*exact)(long double);
    float low, high;
    double ulp_float, ulp_double;
};

long double inverse_root(long double x) {
    return 1 / std::sqrt(x);
}
long double sine_of_pi(long double x) {
    return std::sin(3.14159265358979323846264338327950288L * x);
}
long double exponential_10(long double x) {
    return std::pow(10.0L, x);
}

// Errors of OpenCL C 3.0, tables of full profile.
const function functions[] = {
    {"sin", sinl, -100, 100, 4, 4},
    {"cos", cosl, -100, 100, 4, 4},
    {"tan", tanl, -1.5f, 1.5f, 5, 5},
    {"asin", asinl, -1, 1, 4, 4},
    {"acos", acosl, -1, 1, 4, 4},
    {"atan", atanl, -50, 50, 5, 5},
    {"sinh", sinhl, -10, 10, 4, 4},
    {"cosh", coshl, -10, 10, 4, 4},
    {"tanh", tanhl, -10, 10, 5, 5},
    {"asinh", asinhl, -50, 50, 4, 4},
    {"acosh", acoshl, 1, 50, 4, 4},
    {"atanh", atanhl, -0.99f, 0.99f, 5, 5},
    {"exp", expl, -80, 80, 3, 3},
    {"exp2", exp2l, -100, 100, 3, 3},
    {"exp10", exponential_10, -30, 30, 3, 3},
    {"expm1", expm1l, -10, 10, 3, 3},
    {"log", logl, 0.01f, 1000, 3, 3},
    {"log2", log2l, 0.01f, 1000, 3, 3},
    {"log10", log10l, 0.01f, 1000, 3, 3},
    {"log1p", log1pl, -0.9f, 100, 2, 2},
    {"sqrt", sqrtl, 0, 1000, 3, 0.5},
    {"rsqrt", inverse_root, 0.01f, 1000, 2, 2},
    {"cbrt", cbrtl, -1000, 1000, 2, 2},
    {"erf", erfl, -3, 3, 16, 16},
    {"erfc", erfcl, -3, 3, 16, 16},
    {"tgamma", tgammal, 0.5f, 10, 16, 16},
    {"sinpi", sine_of_pi, -0.9f, 0.9f, 4, 4},
};

double ulps(float got, long double exact) {
    const float near = static_cast<float>(exact);
    const float next = std::nextafter(std::abs(near), INFINITY);
    return static_cast<double>(std::abs(got - exact)) / static_cast<double>(next - std::abs(near));
}
double ulps(double got, long double exact) {
    const auto near = static_cast<double>(exact);
    const double next = std::nextafter(std::abs(near), INFINITY);
    return static_cast<double>(std::abs(got - exact) / (next - std::abs(near)));
}

template <class T>
void stays_within_the_error(const host& h, const char* type) {
    std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    constexpr std::size_t n = 256;
    for (const function& f : functions)
        source += std::string("kernel void k_") + f.name + "(global const " + type +
                  "* x, global " + type + "* y) { y[get_global_id(0)] = " + f.name +
                  "(x[get_global_id(0)]); }\n";
    const cl_program g = h.build(source.c_str());
    std::mt19937 random(1);
    for (const function& f : functions) {
        std::vector<T> x(n);
        std::uniform_real_distribution<T> range(static_cast<T>(f.low), static_cast<T>(f.high));
        for (T& v : x) v = range(random);
        const cl_mem in = h.buffer(x), out = h.buffer(std::vector<T>(n));
        const cl_kernel k = h.kernel(g, (std::string("k_") + f.name).c_str());
        set(k, 0, in);
        set(k, 1, out);
        h.run(k, n);
        const auto y = h.read<T>(out, n);
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, ulps(y[i], f.exact(x[i])));
        const double allowed = sizeof(T) == 4 ? f.ulp_float : f.ulp_double;
        // The half allows for rounding the exact value itself.
        if (!(worst <= allowed + 0.01)) {
            std::printf("%s of %s: %g ulp, allowed %g\n", f.name, type, worst, allowed);
            ++failures;
        }
        GOOD(clReleaseMemObject(in));
        GOOD(clReleaseMemObject(out));
        GOOD(clReleaseKernel(k));
    }
    GOOD(clReleaseProgram(g));
}

const char* const integer_source = R"(
kernel void integers(global int* out) {
    out[0] = mad_hi(0x40000000, 8, 5);
    out[1] = ctz(0x50);
    out[2] = ctz((uchar)0);
    out[3] = popcount(0xff00ff);
    out[4] = add_sat(INT_MAX, 3);
    out[5] = convert_char_sat_rte(200.5f);
    out[6] = convert_int_rtn(-1.5f);
    vstore_half_rtz(1.0009765f, 1, (global half*)(out + 12));
    out[7] = ((global ushort*)(out + 12))[1];
    out[8] = fma(3.0f, 4.0f, 5.0f);
    out[9] = native_sqrt(16.0f) + native_divide(8.0f, 2.0f);
    out[10] = (int)dot((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8));
    out[11] = smoothstep(0.0f, 2.0f, 1.0f) == 0.5f;
}
)";

void computes_integers(const host& h) {
    const cl_program g = h.build(integer_source, "-cl-std=CL3.0");
    const cl_kernel k = h.kernel(g, "integers");
    const cl_mem out = h.buffer(std::vector<int>(16, -1));
    set(k, 0, out);
    h.run(k, 1);
    const auto v = h.read<int>(out, 16);
    const int expected[] = {7, 4, 8, 16, 0x7fffffff, 127, -2, 0x3c00, 17, 8, 70, 1};
    for (unsigned i = 0; i < std::size(expected); ++i)
        if (v[i] != expected[i]) {
            std::printf("integers[%u] = %d, not %d\n", i, v[i], expected[i]);
            ++failures;
        }
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

const char* const group_source = R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
global int counted = 100;
kernel void collect(global int* out, global atomic_int* sum, global long* wide) {
    const int i = get_local_id(0);
    out[i] = work_group_scan_inclusive_add(i);
    out[64 + i] = work_group_scan_exclusive_max(i == 3 ? 50 : i);
    out[128 + i] = work_group_reduce_min(60 - i);
    out[192 + i] = work_group_broadcast(i * 2, 5);
    out[256 + i] = work_group_all(i >= 0) + 2 * work_group_any(i == 9) + 4 * work_group_all(i < 5);
    atomic_fetch_add_explicit(sum, i, memory_order_acq_rel, memory_scope_device);
    atom_max(wide, (long)i << 33);
    int expected = 7;
    if (i == 0) out[320] = atomic_compare_exchange_strong_explicit(sum + 1, &expected, 9, memory_order_relaxed, memory_order_relaxed, memory_scope_device) + 10 * expected;
    if (i == 0) out[321] = counted++;
}
)";

void works_in_groups(const host& h) {
    const cl_program g = h.build(group_source, "-cl-std=CL2.0");
    const cl_kernel k = h.kernel(g, "collect");
    const cl_mem out = h.buffer(std::vector<int>(384, -1));
    const cl_mem sum = h.buffer(std::vector<int>{0, 8});
    const cl_mem wide = h.buffer(std::vector<cl_long>{-1});
    set(k, 0, out);
    set(k, 1, sum);
    set(k, 2, wide);
    h.run(k, 64, 64);
    const auto v = h.read<int>(out, 384);
    for (int i = 0; i < 64; ++i) {
        const auto u = static_cast<unsigned>(i);
        CHECK(v[u] == i * (i + 1) / 2);
        CHECK(v[64 + u] == (i == 0 ? -2147483647 - 1 : i <= 3 ? i - 1 : std::max(50, i - 1)));
        CHECK(v[128 + u] == -3);
        CHECK(v[192 + u] == 10);
        CHECK(v[256 + u] == 3);
    }
    CHECK(v[320] == 80 && v[321] == 100);
    CHECK(h.read<int>(sum, 2)[0] == 2016);
    CHECK(h.read<cl_long>(wide, 1)[0] == cl_long{63} << 33);
    for (const cl_mem m : {out, sum, wide}) GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

void prints(const host& h) {
    const cl_program g = h.build(
        "kernel void p(int x) { printf(\"x=%d f=%.2f s=%s v=%v4d l=%lx c=%c %%\\n\", x, 0.25f, "
        "\"text\", (int4)(1, 2, 3, 4), 0x123456789abUL, 'z'); printf(\"h=%2.1v2hlf\\n\", "
        "(float2)(1.5f, 2.5f)); printf(\"plain\\n\"); }");
    const cl_kernel k = h.kernel(g, "p");
    set(k, 0, 42);
    h.run(k, 1);
    GOOD(clFinish(h.queue));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

}  // namespace

int main() {
    {
        const host h;
        stays_within_the_error<float>(h, "float");
        stays_within_the_error<double>(h, "double");
        computes_integers(h);
        works_in_groups(h);
        prints(h);
    }
    return passed("builtins");
}
