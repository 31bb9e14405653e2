// SPDX-License-Identifier: Apache-2.0
// Kernels that call functions of parts_functions.cu: separately compiled, to be linked.
//   nvcc -std=c++17 -rdc=true -cubin -arch=sm_N parts_kernels.cu -o parts_kernels.sm_N.cubin, N: 75, 80, 90, 120
#include "parts.h"

extern __shared__ unsigned dynamic_words[];
__shared__ unsigned own_words[64];

static __device__ __noinline__ unsigned local(unsigned x) {
    __shared__ unsigned words[32];
    words[threadIdx.x] = x * 5;
    __syncthreads();
    const unsigned r = words[(threadIdx.x + 3) & 31];
    __syncthreads();
    return r;
}

__device__ unsigned *pointers[2] = {numbers + 1, &counter};

// Shared memory, constants and variables of both files; calls directly, through a pointer, and of
// virtual functions.
extern "C" __global__ void parts(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    own_words[t] = a[t];
    own_words[t + 32] = a[t + 32];
    __syncthreads();
    unsigned v = exchanged(own_words[t ^ 5]) + factors[t & 7] + factors[3];
    v += local(v) + chosen(t) + weak_sum(t);
    circle c;
    square s;
    c.size = static_cast<float>(t);
    s.size = static_cast<float>(a[t] & 15);
    shape* const both[2] = {&c, &s};
    v += static_cast<unsigned>(both[(a[t] >> 3) & 1]->area());
    atomicAdd(pointers[1], 1);
    __syncthreads();
    o[t] = v + *pointers[0] + static_cast<unsigned>(power(static_cast<double>(t & 7) + 0.5));
    o[32 + t] = factorial(t % 10) + counter + n + sum_of_words(t);
}

// Dynamic shared memory, used by the kernel and by a function of the other file.
extern "C" __global__ void dynamic_parts(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    __shared__ unsigned words[33];
    words[t] = t * 7;
    dynamic_words[t] = a[t];
    __syncthreads();
    o[t] = dynamic_word(31 - t) + words[(t + n) & 31];
}
