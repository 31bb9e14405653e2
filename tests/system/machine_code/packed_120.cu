// SPDX-License-Identifier: Apache-2.0
//   nvcc -arch=sm_120 -ptx packed_120.cu; nvcc -arch=sm_120 -Xptxas -O1 -cubin -o
//   packed_120.sm_120.cubin packed_120.cu

// Sums of halves and bytes of a word, the first of which is negated; minima of bytes of words that
// all lanes share.
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
#define OF_CONSTANTS(at, name, x, y)                                     \
    do {                                                                 \
        unsigned d;                                                      \
        asm(name " %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(0)); \
        o[t + at] = d - t;                                               \
    } while (0)
    OF_CONSTANTS(320, "vabsdiff4.u32.u32.u32", 0xffffffffu, 0u);
    OF_CONSTANTS(352, "vabsdiff4.s32.s32.s32", 0x81f07f00u, 0u);
    OF_CONSTANTS(384, "vmin4.u32.u32.u32", 0x81f07f00u, 0x800f0101u);
    OF_CONSTANTS(416, "vmax4.s32.s32.s32", 0x81f07f00u, 0x800f0101u);
    OF_CONSTANTS(448, "vmin2.s32.s32.s32", 0x81f07f00u, 0x800f7f01u);
    OF_CONSTANTS(480, "vmax2.u32.u32.u32", 0x81f07f00u, 0x800f7f01u);
    OF_CONSTANTS(512, "vadd4.u32.u32.u32", 0x81f07f00u, 0x800f7f01u);
    OF_CONSTANTS(544, "vsub2.u32.u32.u32", 0x81f07f00u, 0x800f7f01u);
    OF_CONSTANTS(576, "vsub4.s32.s32.s32.sat", 0x81f07f00u, 0x7f0f7f81u);
    OF_CONSTANTS(608, "vavrg4.u32.u32.u32", 0x81f07f00u, 0x7f0f7f81u);
    int d;
    asm("add.sat.s32 %0, %1, 0x7654321;" : "=r"(d) : "r"(x));
    o[t + 640] = d;
    asm("sub.sat.s32 %0, 0x40012345, %1;" : "=r"(d) : "r"(x));
    o[t + 672] = d;
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(n * 0x30000000), "r"(x));
    o[t + 704] = d;
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y));
    o[t + 736] = d;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(n * 0x30000000));
    o[t + 768] = d;
    float f;
    asm("min.xorsign.abs.f32 %0, %1, 0fc0490fdb;" : "=f"(f) : "f"(__uint_as_float(y)));
    o[t + 800] = __float_as_uint(f);
    asm("max.NaN.xorsign.abs.f32 %0, %1, 0f40490fdb;" : "=f"(f) : "f"(__uint_as_float(y)));
    o[t + 832] = __float_as_uint(f);
    asm("max.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(d) : "r"(y), "r"(0xbc004200));
    o[t + 864] = d;
}
