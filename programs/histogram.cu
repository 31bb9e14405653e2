// SPDX-License-Identifier: Apache-2.0
#include "cuda.h"

/// Counts the values of each of 16 bins: in shared memory first, then for the whole grid.
extern "C" __global__ void histogram(const unsigned* values, unsigned* counts, unsigned n) {
    __shared__ unsigned here[16];
    if (threadIdx.x < 16) here[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&here[values[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}
