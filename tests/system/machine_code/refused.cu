// SPDX-License-Identifier: Apache-2.0
// A kernel that holds a query which is not executed: of how a texture is addressed.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void queries_texture(unsigned long long t, unsigned* o) {
    unsigned mode;
    asm("txq.addr_mode_0.b32 %0, [%1];" : "=r"(mode) : "l"(t));
    o[threadIdx.x] = mode;
}
