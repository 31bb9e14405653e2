// SPDX-License-Identifier: Apache-2.0
// A kernel that holds an instruction which is not executed: a query of a texture.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void queries_texture(unsigned long long t, unsigned* o) {
    unsigned width;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
    o[threadIdx.x] = width;
}
