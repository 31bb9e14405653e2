// SPDX-License-Identifier: Apache-2.0
// Collective operations that lanes of a warp reach in different branches, and in calls at
// different places: they synchronise independently of the location.
//   nvcc -O2 -std=c++17 -cubin -arch=sm_N collectives.cu -o collectives.sm_N.cubin, N: 75, 80, 90
//   nvcc -O2 -std=c++17 -ptx -arch=compute_75 collectives.cu
namespace {

constexpr unsigned warp = ~0u;

__device__ __noinline__ unsigned climb(unsigned level, unsigned v) {
    if (level == 0) return v;
    unsigned r;
    if ((v & 1) != 0)
        r = climb(level - 1, v * 3 + 1);
    else
        r = climb(level - 1, v / 2);
    __syncwarp();
    return r + __popc(__ballot_sync(warp, r & 1)) + __shfl_xor_sync(warp, r, 1);
}

}  // namespace

extern "C" __global__ void collectives(const unsigned*, unsigned* o, int n) {
    __shared__ unsigned s[32];
    const unsigned t = threadIdx.x;
    o[t] = climb(n + 2, t + 1);
    unsigned r = t * 7;
    for (int i = 0; i < 2 * n + 1; ++i) {
        if (((t + i) & 1) != 0) {
            s[t] = r * i;
            __syncwarp();
            r += s[t ^ 1];
            __syncwarp();
            r *= 3;
        } else {
            s[t] = r - i;
            r ^= t;
            __syncwarp();
            r += 2 * s[t ^ 1];
            __syncwarp();
        }
    }
    o[32 + t] = r;
    for (int i = 0; i < 2 * n + 1; ++i) {
        if (((t + i) & 1) != 0) {
            r += i;
            r += __shfl_xor_sync(warp, r, 1);
            r ^= __ballot_sync(warp, (r & 2) != 0);
        } else {
            r ^= t;
            r = r * 3 + __shfl_xor_sync(warp, r + 5, 1);
            r += __ballot_sync(warp, (r & 1) != 0);
        }
    }
    o[64 + t] = r;
}
