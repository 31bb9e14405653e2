// SPDX-License-Identifier: Apache-2.0
// A kernel that holds an instruction which is not executed: a lookup in a texture.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void looks_up(cudaTextureObject_t t, float* o) {
    o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
