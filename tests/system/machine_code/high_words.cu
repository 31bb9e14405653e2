// SPDX-License-Identifier: Apache-2.0
// Comparisons of 64-bit integers whose low words are zero: ptxas for Volta and Turing compares the
// high words only (ISETP.EX with PT for the low words). Other predicates are in use meanwhile.
//   nvcc -ptx -arch=compute_75 high_words.cu
//   nvcc -cubin -arch=sm_75 high_words.cu -o high_words.sm_75.cubin

extern "C" __global__ void high_words(const unsigned* a, unsigned* o, unsigned n)
{
    const unsigned x = a[threadIdx.x], y = a[threadIdx.x + 32] & 3, z = threadIdx.x & 3;
    o += threadIdx.x;
    const unsigned long long u = static_cast<unsigned long long>(y) << 56;
    const unsigned long long v = static_cast<unsigned long long>(z) << 56;
    const bool above = x > n + 0x80000000u, odd = x % 7 == 3;
    o[0] = u < v, o[32] = u <= v, o[64] = u > v;
    o[96] = above ? x : y, o[128] = odd ? y : z;
    o[160] = static_cast<long long>(u) >= static_cast<long long>(v) ? x + above : n + odd;
}
