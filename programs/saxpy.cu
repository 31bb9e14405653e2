// SPDX-License-Identifier: Apache-2.0
#include "cuda.h"

/// y = a x + y
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
