// SPDX-License-Identifier: Apache-2.0
// More uniform values than there are uniform registers, which ptxas keeps in registers meanwhile
// (MOV.SPILL, R2UR.FILL), and a constant that is converted when the program runs (I2F, UI2F).
//   nvcc -ptx -arch=compute_100 uniform_spills.cu
//   nvcc -cubin -arch=sm_N uniform_spills.cu -o uniform_spills.sm_N.cubin, N: 100, 120
#include <cuda_fp16.h>

extern "C" __global__ void spills(const double* a, double* o, int n)
{
    double x = static_cast<int>(reinterpret_cast<const unsigned*>(a)[threadIdx.x]) * 1e-9;
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int i = 0; i < 44; ++i) x = x * (0.001 * (i * i + 1) / 3.0) + x;
    o[threadIdx.x] = x;
}

extern "C" __global__ void converts(const __half2* a, __half2* o, unsigned n)
{
    __half minus;
    asm("cvt.rn.f16.s32 %0, -1;" : "=h"(*reinterpret_cast<unsigned short*>(&minus)));
    for (unsigned i = 0; i < n; ++i)
        o[threadIdx.x + i * 32] = __hmul2(a[threadIdx.x + i * 32], __half2half2(minus));
}
