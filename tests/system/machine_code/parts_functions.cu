// SPDX-License-Identifier: Apache-2.0
// Functions and variables for the kernels of parts_kernels.cu.
#include "parts.h"

extern __shared__ unsigned dynamic_words[];
__shared__ unsigned exchanged_words[128];

__device__ unsigned numbers[9] = {11, 12, 13, 14, 15, 16, 17, 18, 19};
__device__ unsigned counter = 100;
__constant__ unsigned factors[8] = {1, 2, 3, 5, 7, 11, 13, 17};

static __device__ __noinline__ unsigned local(unsigned x) {
    return x * x + 7;
}

__device__ unsigned exchanged(unsigned x) {
    exchanged_words[threadIdx.x] = x;
    __syncthreads();
    const unsigned r = exchanged_words[threadIdx.x ^ 1] + local(x);
    __syncthreads();
    return r;
}
__device__ unsigned sum_of_words(unsigned t) {
    return exchanged_words[t] + weak_sum(t + 1);
}
static __device__ unsigned tripled(unsigned x) {
    return 3 * x;
}
__device__ unsigned (*chosen)(unsigned) = tripled;
__device__ float circle::area() {
    return 3.0f * size * size;
}
__device__ double power(double x) {
    return pow(x, 3.25);
}
__device__ unsigned factorial(unsigned n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}
__device__ unsigned dynamic_word(unsigned n) {
    return dynamic_words[n] + factors[n & 7];
}
