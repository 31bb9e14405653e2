// SPDX-License-Identifier: Apache-2.0
// A kernel that calls functions of linked_callees.cu: compiled separately (nvcc -rdc=true), linked.
extern __device__ int twice(int x);
extern __device__ int (*chosen)(int x);
extern __device__ int table[4];
extern __constant__ int scale;

static __device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void linked(const unsigned* a, unsigned* o, int n) {
    const int i = static_cast<int>(threadIdx.x);
    o[i] = twice(i) + table[i & 3] * scale + chosen(i) + fibonacci(i & 7) + (a[i] & n);
}
