// SPDX-License-Identifier: Apache-2.0
// What parts_kernels.cu and parts_functions.cu share.
#pragma once

extern __device__ unsigned numbers[9];
extern __device__ unsigned counter;
extern __constant__ unsigned factors[8];
extern __device__ unsigned (*chosen)(unsigned);
extern __device__ unsigned exchanged(unsigned x);
extern __device__ unsigned sum_of_words(unsigned t);
extern __device__ double power(double x);
extern __device__ unsigned factorial(unsigned n);
extern __device__ unsigned dynamic_word(unsigned n);

struct shape {
    float size;
    virtual __device__ float area() = 0;
};
struct circle : shape {
    __device__ float area() override;
};
struct square : shape {
    __device__ float area() override { return size * size; }
};

// Weak: defined in both files, with a shared variable of its own.
template <class T>
__device__ __noinline__ T weak_sum_of(T x) {
    static __shared__ T words[32];
    words[threadIdx.x] = x;
    __syncthreads();
    const T r = words[threadIdx.x ^ 2] + words[0] * factors[2];
    __syncthreads();
    return r;
}
inline __device__ unsigned weak_sum(unsigned x) {
    return weak_sum_of<unsigned>(x);
}
