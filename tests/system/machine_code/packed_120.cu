// SPDX-License-Identifier: Apache-2.0
//   nvcc -arch=sm_120 -ptx packed_120.cu; nvcc -arch=sm_120 -cubin -o packed_120.sm_120.cubin packed_120.cu

// Sums of halves of a word, the first of which is negated.
extern "C" __global__ void packed(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x, x = a[t], y = a[t + 32];
    o[t] = __vneg2(x);
    o[t + 32] = __vsub2(0x70005, x);
    o[t + 64] = __vsub2(y, x);
    o[t + 96] = __vsub2(__vneg2(x), y);
    o[t + 128] = __vadd2(__vneg2(x), y);
    o[t + 160] = __vsub2(n * 0x10001, x);
    o[t + 192] = __vabs2(x);
    o[t + 224] = __vnegss2(y);
    o[t + 256] = __vneg4(x);
    o[t + 288] = __vsub4(0x01020304, y);
}
