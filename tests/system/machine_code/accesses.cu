// SPDX-License-Identifier: Apache-2.0
// Accesses with dedicated forms in machine code: atomic exchange in shared memory, atomics through
// generic pointers, loads that return zeros, narrow constants, special registers.
#include <cstdint>

__device__ unsigned value_of(const unsigned* a, unsigned n) {
    return a[n % 2048] & 1023;
}

__constant__ signed char bytes[4] = {-1, 2, -3, 4};
__constant__ unsigned short halves[2] = {65535, 7};

extern "C" __global__ void accesses(const unsigned* a, unsigned* o, int n) {
    __shared__ float singles;
    __shared__ double doubles;
    __shared__ unsigned long long wide[2];
    const unsigned i = threadIdx.x;
    if (i == 0) {
        singles = 1;
        doubles = 2;
        wide[0] = 3;
        wide[1] = 1ull << 40;
    }
    __syncthreads();
    // Sums of small integers do not depend on the order.
    atomicAdd(&singles, static_cast<float>(value_of(a, i)));
    atomicAdd(&doubles, static_cast<double>(value_of(a, i + 32)));
    atomicMax(&wide[0], static_cast<unsigned long long>(value_of(a, i + 64)) << 33);
    atomicAdd(&wide[1], static_cast<unsigned long long>(value_of(a, i + 96)) << 20);
    __syncthreads();
    o[i] = __float_as_uint(singles);
    o[i + 32] = static_cast<unsigned>(__double_as_longlong(doubles) >> 32);
    o[i + 64] = static_cast<unsigned>(wide[0] >> 32);
    o[i + 96] = static_cast<unsigned>(wide[1] >> 20);
    __syncthreads();
    // Shared and global memory through one pointer.
    auto* const sums = reinterpret_cast<unsigned long long*>(o + 512);
    for (unsigned pass = 0; pass < 2; ++pass) {
        const bool is_shared = (value_of(a, 7) + pass) % 2 == 0;
        unsigned long long* const to = is_shared ? &wide[i / 16] : sums + i / 16;
        atomicAdd(to, 0x100000001ull * value_of(a, i));
        atomicAdd(is_shared ? &singles : reinterpret_cast<float*>(o) + 520,
                  static_cast<float>(value_of(a, i + 5)));
        atomicCAS(to, 0ull, 5ull);
    }
    __syncthreads();
    o[i + 128] = static_cast<unsigned>(wide[0]) + static_cast<unsigned>(wide[1] >> 32);
    o[i + 160] = __float_as_uint(singles);
    if (i < 4) o[i + 528] = o[512 + i];
    unsigned r = 0;
    asm("mov.u32 %0, %%warpid;" : "=r"(r));
    o[i + 192] = r;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r));
    o[i + 224] = r;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(r));
    o[i + 256] = r + static_cast<unsigned>(bytes[2] + bytes[1] * halves[0]);
    // Byte order of the modes of prmt.
    const unsigned x = a[i], y = a[i + 7];
#define SIMTLM_PERMUTE(mode, at)                                                 \
    asm("prmt.b32." mode " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(i)); \
    o[i + at] = r
    SIMTLM_PERMUTE("f4e", 288);
    SIMTLM_PERMUTE("b4e", 320);
    SIMTLM_PERMUTE("rc8", 352);
    SIMTLM_PERMUTE("ecl", 384);
    SIMTLM_PERMUTE("ecr", 416);
    SIMTLM_PERMUTE("rc16", 448);
    // The high word of a shifted and negated value.
    const long long z = static_cast<long long>(a[i]) << 32 | a[i + 1];
    const long long base = static_cast<long long>(a[i + 2]) << 30;
    // A product scaled by a power of two.
    const float scaled =
        static_cast<float>(value_of(a, i + 9)) * static_cast<float>(value_of(a, i + 11)) * 0.5f;
    o[i + 480] = static_cast<unsigned>((base - (z << 3)) >> 32) +
                 static_cast<unsigned>((base + (~z << 4)) >> 32) + __float_as_uint(scaled);
}
