// SPDX-License-Identifier: Apache-2.0
// Programs for which ptxas generates code that is seldom seen: CALL.REL.NOINC as a jump out of
// loops (sm_80), products with 1 that disassemblers print as IMAD.MOV (without optimisation),
// pointers whose bytes are relocated one by one, asynchronous copies whose source is shorter than
// their destination (LDGSTS.ZFILL), vector loads that end behind the last shared variable, and
// conversions of immediates (I2FP).
//   nvcc -O3 -std=c++17 -ptx -arch=compute_80 generated.cu
//   ptxas -arch=sm_N generated.ptx -o generated.sm_N.cubin, N: 80, 86, 90
//   ptxas -O0 -arch=sm_N generated.ptx -o generated_unoptimised.sm_N.cubin, N: 90
namespace {

using wide = long long;

__device__ unsigned targets[4] = {11, 22, 33, 44};
__device__ __noinline__ unsigned plus(unsigned a, unsigned b) {
    return a + b;
}
__device__ __noinline__ unsigned minus(unsigned a, unsigned b) {
    return a - b;
}
struct __attribute__((packed)) record {
    char c;
    unsigned* p;
    unsigned (*f)(unsigned, unsigned);
    short s;
};
__device__ record variable[2] = {{5, &targets[2], plus, 7}, {-9, &targets[1], minus, 8}};
__constant__ record constant[2] = {{6, &targets[3], minus, 9}, {4, &targets[0], plus, -1}};

__device__ unsigned read_record(const record& from, unsigned value) {
    record r;
    memcpy(&r, &from, sizeof r);
    return r.c + *r.p * 16 + r.f(value, 3) * 65536 + r.s;
}

template <int bytes>
__device__ void copy(unsigned to, const unsigned* from, unsigned present) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),
                 "r"(present));
}
__device__ void copy_past_l1(unsigned to, const unsigned* from, unsigned present) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(present));
}

}  // namespace

extern "C" __global__ void generated(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    // Products with 1.
    int once;
    unsigned twice;
    asm volatile("mul.lo.s32 %0, %1, 1;" : "=r"(once) : "r"(a[t]));
    asm volatile("mad.lo.u32 %0, %1, 1, 0;" : "=r"(twice) : "r"(a[t + 32]));
    o[32 + t] = once + twice * 3;
    // Pointers within packed structures.
    o[64 + t] = read_record(variable[t % 2], t) + read_record(constant[t / 2 % 2], t) * 3;
    // Copies of a part of their bytes.
    __shared__ __align__(16) unsigned copied[32][16];
    for (unsigned i = 0; i < 16; ++i) copied[t][i] = ~0u;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(copied[t]));
    copy<4>(to, a + t, t % 5);
    copy<8>(to + 8, a + 2 * t, t % 9);
    copy<16>(to + 16, a + 4 * t, t % 17);
    copy_past_l1(to + 32, a + 4 * t, (t + 5) % 17);
    copy<4>(to + 48, a + t, 3);
    copy<8>(to + 56, a + 2 * t, 5);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned i = 0; i < 16; ++i) o[96 + 16 * t + i] = copied[t][i];
    // Conversions of immediates.
    float f, g;
    asm volatile("cvt.rn.f32.s32 %0, -77;" : "=f"(f));
    asm volatile("cvt.rz.f32.u32 %0, 123456789;" : "=f"(g));
    o[608 + t] = __float_as_uint(f) + __float_as_uint(g);
}

/// The sum over all layers of a window whose columns most threads do not have. The number of layers
/// is the same for all lanes, and counted in uniform registers.
extern "C" __global__ void leaves_loops(const unsigned* __restrict__ in,
                                        const unsigned* __restrict__ weights,
                                        unsigned* __restrict__ o, wide width, wide height,
                                        wide columns, wide windows, wide high, wide step,
                                        wide apart, wide layers) {
    const wide t = threadIdx.x, column = t % columns, row = t / columns;
    unsigned sum = 0;
    for (wide c = 0; c < layers; ++c) {
        wide top = (2 - row * step + apart - 1) / apart;
        wide end = (height + 2 - row * step + apart - 1) / apart;
        wide left = 5 - column, right = width + 5 - column;
        if (top < 0) top = 0;
        if (end > high) end = high;
        if (left < 0) left = 0;
        if (right > windows) right = windows;
        for (wide y = top; y < end; ++y) {
            const int in_y = row * step + y * apart - 2;
            for (wide x = left; x < right; ++x) {
                const int in_x = column + x - 5;
                sum += in[c * width * height + in_y * width + in_x] *
                       weights[c * high * windows + y * windows + x];
            }
        }
    }
    o[t] = sum;
}

/// Shared variables of 156 bytes, of which ptxas reads 160.
extern "C" __global__ void past_the_end(const unsigned* a, unsigned* o, int n) {
    __shared__ float3 colors[13];
    const unsigned t = threadIdx.x;
    if (t < 13)
        colors[t] = {float(a[3 * t] & 15), float(a[3 * t + 1] & 15), float(a[3 * t + 2] & 15)};
    __syncthreads();
    float x = 0, y = 0, z = 0;
#pragma unroll
    for (int i = 0; i < 13; ++i) {
        const float3 v = colors[i];
        x += v.x * (i + n + t);
        y += v.y;
        z += v.z;
    }
    o[t] = static_cast<unsigned>(x + 2 * y + 3 * z);
}

/// More than 4 KB of parameters.
struct table {
    unsigned values[1100];
};
extern "C" __global__ void large_parameters(const __grid_constant__ table v, unsigned* o) {
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < 1100; i += 32) sum = sum * 3 + v.values[i];
    o[threadIdx.x] = sum;
}
