// SPDX-License-Identifier: Apache-2.0
// A kernel with an unsupported instruction: a texture query.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void queries_texture(unsigned long long t, unsigned* o) {
    unsigned width;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
    o[threadIdx.x] = width;
}
