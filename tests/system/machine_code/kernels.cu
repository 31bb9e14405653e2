// SPDX-License-Identifier: Apache-2.0
// Kernels that use many instructions. Built with nvcc 13.0, for every architecture N of the list:
//   nvcc -O2 -fmad=false -ptx -arch=compute_75 kernels.cu; mul.f32 and mul.f64 become mul.rn
//   ptxas -arch=sm_N kernels.ptx -o kernels.sm_N.cubin
#include <cstdio>
typedef unsigned long long u64;
extern "C" __device__ __noinline__ float poly(float x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s = s * x + i;
    return s;
}
extern "C" __global__ void ints(unsigned* a, unsigned* o, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned x = a[i], y = a[(i + 1) % n], z = a[(i + 7) % n];
    unsigned r = 0;
    int k = i * 32;
    o[k + 0] = x * y + z;
    o[k + 1] = __umulhi(x, y);
    o[k + 2] = __mulhi((int)x, (int)y);
    o[k + 3] = x / (y | 1);
    o[k + 4] = x % (z | 3);
    o[k + 5] = (int)x / (int)(y | 1);
    o[k + 6] = __popc(x) + __clz(y) * 100 + __ffs(z) * 10000;
    o[k + 7] = __brev(x);
    o[k + 8] = __byte_perm(x, y, z & 0x7777);
    o[k + 9] = __funnelshift_l(x, y, z);
    o[k + 10] = __funnelshift_rc(x, y, z);
    o[k + 11] = min(x, y) ^ max((int)y, (int)z);
    o[k + 12] = x >> (z & 31);
    o[k + 13] = (int)y >> (z & 31);
    o[k + 14] = x << (y & 31);
    o[k + 15] = (x & y) | (~z & x) ^ y;
    u64 p = ((u64)x << 32) | y, q = ((u64)z << 20) | x;
    u64 s = p * q + (p >> (z & 63)) - (q << (x & 63));
    o[k + 16] = s;
    o[k + 17] = s >> 32;
    u64 t = p / (q | 1);
    o[k + 18] = t;
    o[k + 19] = t >> 32;
    o[k + 20] = (p < q) + 2 * ((long long)p < (long long)q) + 4 * (p >= q) +
                8 * ((long long)p == (long long)q);
    s = __umul64hi(p, q);
    o[k + 21] = s;
    o[k + 22] = s >> 32;
    s = (long long)p >> (x & 63);
    o[k + 23] = s;
    o[k + 24] = s >> 32;
    o[k + 25] = abs((int)x) + (signed char)y + (short)z;
    s = (u64)(long long)(int)x * y - p;
    o[k + 26] = s;
    o[k + 27] = s >> 32;
    o[k + 28] = x < y ? z : (z < x ? y : (int)x > (int)z);
    o[k + 29] = (x & 1) ? (y & 2 ? z : x) : y;
}
extern "C" __global__ void flts(float* a, float* o, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float x = a[i], y = a[(i + 1) % n], z = a[(i + 7) % n];
    int k = i * 32;
    o[k] = x + y;
    o[k + 1] = x * y - z;
    o[k + 2] = x / y;
    o[k + 3] = sqrtf(fabsf(x));
    o[k + 4] = fminf(x, y);
    o[k + 5] = fmaxf(y, z);
    o[k + 6] = floorf(x) + ceilf(y) + truncf(z) + rintf(x);
    o[k + 7] = (int)x;
    o[k + 8] = (unsigned)fabsf(y);
    o[k + 9] = (float)(long long)z;
    o[k + 10] = __saturatef(x * y);
    o[k + 11] = x < y ? z : x;
    o[k + 12] = (x > y) + (x != z) * 2 + (!(y <= z)) * 4;
    o[k + 13] = __fadd_rd(x, y);
    o[k + 14] = __fmul_ru(x, z);
    o[k + 15] = __fmaf_rz(x, y, z);
    o[k + 16] = 1.f / x;
    o[k + 17] = rsqrtf(fabsf(y));
    o[k + 18] = exp2f(x * .01f);
    o[k + 19] = __log2f(fabsf(z));
    o[k + 20] = poly(x * .1f, 5);
    o[k + 24] = (float)(unsigned)i;
    o[k + 25] = -x + fabsf(y) * -z;
}
extern "C" __global__ void dbls(double* a, double* o, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    double x = a[i], y = a[(i + 1) % n], z = a[(i + 7) % n];
    int k = i * 16;
    o[k] = x + y;
    o[k + 1] = x * y - z;
    o[k + 2] = x / y;
    o[k + 3] = sqrt(fabs(x));
    o[k + 4] = fmin(x, y);
    o[k + 5] = floor(x) + rint(y);
    o[k + 6] = (int)x;
    o[k + 7] = (float)z;
    o[k + 8] = (long long)y;
    o[k + 9] = x < y ? z : -x;
    o[k + 10] = fma(x, y, z);
    o[k + 11] = __dadd_ru(x, y);
    o[k + 12] = 1.0 / z;
}
extern "C" __global__ void ctl(unsigned* a, unsigned* o, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned x = a[i];
    unsigned s = 0;
    for (unsigned k = 0; k < (x & 15); k++) {
        if ((x >> k) & 1) continue;
        if (k > 10 && (x & 0x100)) break;
        for (unsigned m = 0; m < (k & 3); m++) s += m * x;
        s += k;
    }
    switch (x % 7) {
        case 0:
            s += 1;
            break;
        case 1:
            s *= 3;
            break;
        case 2:
            s ^= x;
            break;
        case 3:
            s -= 7;
            break;
        case 4:
            s |= 9;
            break;
        case 5:
            s += s >> 2;
            break;
        default:
            s = ~s;
    }
    if (x & 0x1000) {
        if (x & 0x2000)
            s += 5;
        else
            return;
    }
    while (s > 100000) s /= 3;
    o[i] = s;
}
extern "C" __global__ void warp(unsigned* a, unsigned* o, int n) {
    __shared__ unsigned t[256];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned x = a[i];
    t[threadIdx.x] = x;
    __syncthreads();
    unsigned v = t[threadIdx.x ^ 5];
    v += __shfl_xor_sync(~0u, x, 1) * 3;
    v += __shfl_down_sync(~0u, x, 4);
    v += __shfl_up_sync(~0u, x, 2, 16);
    v += __shfl_sync(~0u, x, x & 31);
    v ^= __ballot_sync(~0u, x & 4);
    v += __any_sync(~0u, x == 7) + __all_sync(~0u, x != 9) * 2;
    if (x & 1) v += __popc(__activemask());
    __syncwarp();
    v += __syncthreads_count(x & 8) + __syncthreads_or(x == 3) * 16;
    o[i] = v;
    atomicAdd(&t[x & 15], x);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&o[n + threadIdx.x], t[threadIdx.x]);
    unsigned m = atomicMax(&o[n + 16], x);
    atomicMin(&o[n + 17], x);
    atomicXor(&o[n + 18], x);
    atomicAdd((u64*)&o[n + 20], (u64)x * x);
    atomicAdd((float*)&o[n + 22], 1.0f);
    if (m == ~0u) o[0] = 1;
}
__constant__ int tab[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned gcount[4] = {10, 20, 30, 40};
extern "C" __global__ void mem(unsigned* a, unsigned* o, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int loc[12];
    for (int k = 0; k < 12; k++) loc[k] = a[(i + k) % n];
    unsigned s = loc[a[i] % 12] + loc[(a[i] >> 8) % 12];
    uint4 v = *(uint4*)(a + (i & ~3));
    s += v.x ^ v.y ^ v.z ^ v.w;
    s += ((unsigned char*)a)[i] + ((short*)a)[i] + ((signed char*)a)[i * 2];
    s += tab[a[i] & 7] * gcount[i & 3];
    ((unsigned char*)(o + n))[i] = s;
    ((unsigned short*)(o + 2 * n))[i] = s >> 3;
    *(uint2*)(o + 4 * n + 2 * i) = make_uint2(s, i);
    o[i] = s;
    int* p = (i & 1) ? (int*)&loc[3] : (int*)(a + 5);
    o[i] += *p;
    if (i == 0) gcount[0] += 5;
}
extern "C" __global__ void lock(unsigned* a, unsigned* o, int n) {
    int i = threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(o, 0u, 1u) == 0u) {
            o[1] += a[i];
            __threadfence();
            atomicExch(o, 0u);
            done = true;
        }
    }
    o[2 + i] = i;
}
extern "C" __global__ void prints(unsigned* a) {
    printf("%u\n", a[threadIdx.x]);
}
