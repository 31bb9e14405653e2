// SPDX-License-Identifier: Apache-2.0
// Comparisons with a float result, saturated narrow integers, and atomics on signed 64-bit
// integers.
//   nvcc -O2 -std=c++17 -ptx -arch=compute_75 conditions.cu
//   ptxas -arch=sm_N conditions.ptx -o conditions.sm_N.cubin, N: 75, 80, 86, 90
extern "C" __global__ void conditions(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    const float x = __uint_as_float(a[t]), y = __uint_as_float(a[t + 32]);
    float s;
    asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(s) : "f"(x), "f"(y));
    unsigned mask;
    asm("set.gtu.u32.f32 %0, %1, %2;" : "=r"(mask) : "f"(x), "f"(y));
    o[t] = __float_as_uint(s);
    o[32 + t] = __float_as_uint(static_cast<float>(isinf(x * y * 1e30f)));
    o[64 + t] = __float_as_uint(static_cast<float>(isnan(x - x)));
    o[96 + t] = mask;
    short bytes[4];
    const int wide = static_cast<int>(a[t]) >> (t % 24);
    asm("cvt.sat.s8.s32 %0, %1;" : "=h"(bytes[0]) : "r"(wide));
    asm("cvt.sat.u8.s32 %0, %1;" : "=h"(bytes[1]) : "r"(wide));
    asm("cvt.sat.s16.s32 %0, %1;" : "=h"(bytes[2]) : "r"(wide));
    asm("cvt.sat.u16.s32 %0, %1;" : "=h"(bytes[3]) : "r"(wide));
    o[224 + t] = bytes[0] * 3 + bytes[1] * 5 + bytes[2] * 7 + bytes[3] * 11;
    long long* const least = reinterpret_cast<long long*>(o + 256);
    const long long v = static_cast<long long>(static_cast<int>(a[64 + t])) * n;
    atomicMin(least + t % 4, v);
    atomicMax(least + 4 + t % 4, v);
    __shared__ long long s_least[2];
    if (t < 2) s_least[t] = 0;
    __syncwarp();
    atomicMin(s_least, v);
    atomicMax(s_least + 1, v);
    __syncwarp();
    // Through a generic pointer, and with a result.
    long long* const some = (t & 1) != 0 ? s_least : least + 8;
    if (t < 2) atomicMin(some, v);
    __syncwarp();
    const long long before = atomicMin(least + 16 + t, v);
    const long long after = atomicMax(least + 16 + t, before + 3);
    o[128 + t] = static_cast<unsigned>(before);
    o[160 + t] = static_cast<unsigned>(after >> 32);
    o[192 + t] = static_cast<unsigned>(s_least[t % 2]);
}
