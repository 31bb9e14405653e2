// SPDX-License-Identifier: Apache-2.0
// Functions called by the kernel of linked_calls.cu.
static __device__ int plus_seven(int x) {
    return x + 7;
}

__device__ int table[4] = {1, 2, 3, 4};
__constant__ int scale = 10;
__device__ int (*chosen)(int x) = plus_seven;

__device__ int twice(int x) {
    return 2 * x + table[1];
}
