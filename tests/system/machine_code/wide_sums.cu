// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits, chains of carries and a shift of 64 bits: sums of pairs with carries
// (IADD.64.X), and sums of two words and a carry.
//   nvcc -ptx -arch=compute_120 wide_sums.cu
//   nvcc -cubin -arch=sm_120 wide_sums.cu -o wide_sums.sm_120.cubin

extern "C" __global__ void wide_sums(const unsigned* a, unsigned* o, unsigned n)
{
    const unsigned x = a[threadIdx.x], y = a[threadIdx.x + 32];
    o += threadIdx.x;
    unsigned low, middle, high;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %3, %5;"
        : "=r"(low), "=r"(middle), "=r"(high)
        : "r"(x), "r"(y), "r"(n));
    o[0] = low, o[32] = middle, o[64] = high;
    asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %3, %5;"
        : "=r"(low), "=r"(middle), "=r"(high)
        : "r"(x), "r"(y), "r"(n));
    o[96] = low, o[128] = middle, o[160] = high;
    const unsigned long long p = x * static_cast<unsigned long long>(y);
    const unsigned long long q = static_cast<unsigned long long>(n) << 32 | x;
    unsigned __int128 w = static_cast<unsigned __int128>(p) * q + q;
    o[192] = static_cast<unsigned>(w >> 64), o[224] = static_cast<unsigned>(w >> 96);
    w -= static_cast<unsigned __int128>(q) << 40;
    o[256] = static_cast<unsigned>(w >> 32), o[288] = static_cast<unsigned>(w >> 96);
    o[320] = x - ~n, o[352] = w > p ? x + n + 1 : x + y + 2;
    o[384] = static_cast<unsigned>(((static_cast<unsigned long long>(x) << 32 | y) << 7) >> 32) + 5;
}
