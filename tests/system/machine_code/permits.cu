// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp take one of three permits each, and wait in a loop that contains a convergence
// barrier of its own until lanes of the same warp have returned theirs.
extern "C" __global__ void permits(const unsigned* a, unsigned* o, int n) {
    __shared__ int available;
    if (threadIdx.x == 0) available = n;
    __syncthreads();
    unsigned pause = 0;
    for (;;) {
        const int seen = *static_cast<volatile int*>(&available);
        if (seen > 0 && atomicCAS(&available, seen, seen - 1) == seen) break;
        unsigned sum = 0;
        if (a[threadIdx.x >> 5] != 1)
            for (unsigned k = 0; k <= (a[(threadIdx.x >> 5) + pause] & 7); ++k) sum = sum * 5 + a[k + pause];
        __nanosleep(20 + (sum & 3));
        pause = (pause + 1) & 1023;
    }
    o[threadIdx.x] = threadIdx.x + 1;
    __threadfence_block();
    atomicAdd(&available, 1);
    __syncthreads();
    o[32 + threadIdx.x] = available;
}
