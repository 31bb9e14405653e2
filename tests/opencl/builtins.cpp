// SPDX-License-Identifier: Apache-2.0
// Built-in functions: integers, atomics, work-group functions, printf.
#include "tests/opencl/host.h"

#include <algorithm>

namespace {

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
/* Amounts below 0 and beyond 63, which PTX's shifts do not wrap around. */
kernel void rotations(global ulong* out, ulong x, long n) {
    out[0] = rotate(x, (ulong)n);
    out[1] = rotate((ulong2)x, (ulong2)(n, n + 64)).y;
    out[2] = (x << (n & 63)) | (x >> (-n & 63));
    out[3] = (x >> (n & 63)) | (x << (-n & 63));
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

    const cl_kernel rotations = h.kernel(g, "rotations");
    const cl_mem rotated = h.buffer(std::vector<cl_ulong>(4, 1));
    const cl_ulong x = 0x8123456789abcdefu;
    set(rotations, 0, rotated);
    set(rotations, 1, x);
    for (const cl_long n : {0, 1, 8, 63, 64, 65, -1, -3, -63, -64, 640}) {
        set(rotations, 2, n);
        h.run(rotations, 1);
        const unsigned m = static_cast<unsigned>(n & 63);
        const cl_ulong left = m == 0 ? x : (x << m) | (x >> (64 - m));
        const cl_ulong right = m == 0 ? x : (x >> m) | (x << (64 - m));
        CHECK((h.read<cl_ulong>(rotated, 4) == std::vector<cl_ulong>{left, left, left, right}));
    }
    GOOD(clReleaseMemObject(rotated));
    GOOD(clReleaseKernel(rotations));
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
    int own = 3;
    private int* p = &own;
    if (i == 1) out[322] = (to_global(out) == out) + 2 * (to_private(p) == p) + 4 * (to_local(out) == 0) + 8 * (to_private(out) == 0) + 16 * (to_global(p) == 0);
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
    CHECK(v[322] == 31);
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

const char* const copy_source = R"(
kernel void copies(global const float4* in, global float4* out, global const int* strided,
                   global int* packed) {
    local float4 tile[32];
    local int numbers[32];
    prefetch(in, 32);
    event_t e = async_work_group_copy(tile, in + 32 * get_group_id(0), 32, 0);
    e = async_work_group_strided_copy(numbers, strided + 96 * get_group_id(0), 32, 3, e);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + 32 * get_group_id(0), tile, 32, 0);
    e = async_work_group_strided_copy(packed + 64 * get_group_id(0), numbers, 32, 2, e);
    wait_group_events(1, &e);
}
)";

void copies_by_work_groups(const host& h) {
    const cl_program g = h.build(copy_source);
    const cl_kernel k = h.kernel(g, "copies");
    std::vector<float> in(256);
    std::vector<int> strided(192);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    for (std::size_t i = 0; i < strided.size(); ++i) strided[i] = static_cast<int>(i);
    const cl_mem from = h.buffer(in), to = h.buffer(std::vector<float>(256)),
                 numbers = h.buffer(strided), packed = h.buffer(std::vector<int>(128, -1));
    cl_uint index = 0;
    for (const cl_mem m : {from, to, numbers, packed}) set(k, index++, m);
    h.run(k, 32, 16);
    CHECK(h.read<float>(to, 256) == in);
    const auto p = h.read<int>(packed, 128);
    for (std::size_t i = 0; i < 64; ++i)
        CHECK(p[2 * i] == static_cast<int>(3 * i) && p[2 * i + 1] == -1);
    for (const cl_mem m : {from, to, numbers, packed}) GOOD(clReleaseMemObject(m));
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

/// 35 arguments, and pointers of all kinds.
void prints_many_arguments(const host& h) {
    std::string format, values;
    for (int i = 0; i < 35; ++i) {
        format += "%d";
        values += ", x + " + std::to_string(i);
    }
    const std::string source =
        "kernel void many(int x, global int* g) { local int l; int p; l = p = x; printf(\"" +
        format + "\\n\"" + values +
        "); printf(\"%d %s\\n\", 7, (void*)0); printf(\"%p %p %p\\n\", &l, &p, g); }";
    for (const char* const standard : {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"}) {
        const cl_program g = h.build(source.c_str(), standard);
        const cl_kernel k = h.kernel(g, "many");
        const cl_mem m = h.buffer(std::vector<int>{0});
        set(k, 0, 1);
        set(k, 1, m);
        h.run(k, 1);
        GOOD(clFinish(h.queue));
        GOOD(clReleaseMemObject(m));
        GOOD(clReleaseKernel(k));
        GOOD(clReleaseProgram(g));
    }
}

}  // namespace

int main() {
    {
        const host h;
        computes_integers(h);
        works_in_groups(h);
        copies_by_work_groups(h);
        prints(h);
        prints_many_arguments(h);
    }
    return passed("builtins");
}
