// SPDX-License-Identifier: Apache-2.0
// A kernel that holds an instruction which is not executed: a product of sparse matrices.
//     nvcc -cubin -arch=sm_80 -o refused.sm_80.cubin refused.cu
extern "C" __global__ void multiplies_sparse(float* o) {
    float d0, d1, d2, d3;
    const unsigned a = threadIdx.x;
    asm("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4,%4}, "
        "{%5,%5,%5,%5}, %4, 0x0;"
        : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
        : "r"(a), "f"(1.0f));
    o[threadIdx.x] = d0 + d1 + d2 + d3;
}
