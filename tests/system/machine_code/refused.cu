// SPDX-License-Identifier: Apache-2.0
// A kernel with an unsupported query, that of the address mode of a texture, which it only executes
// if it is asked to.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void queries_texture(unsigned long long t, unsigned* o, unsigned asked) {
    unsigned mode = threadIdx.x;
    if (asked != 0) asm volatile("txq.addr_mode_0.b32 %0, [%1];" : "=r"(mode) : "l"(t));
    o[threadIdx.x] = mode;
}
