// SPDX-License-Identifier: Apache-2.0
// Code with and without findings of --check. Built with nvcc 13.0, for every architecture N:
//   nvcc -O2 -lineinfo -cubin -arch=sm_N careless.cu -o careless.sm_N.cubin
extern "C" __global__ void careless(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[128];
    const unsigned t = threadIdx.x;
    tile[t] = t;
    const unsigned other = tile[t ^ 64];
    const unsigned read = in[t];
    out[t] = other + (read & 1);
}
// Lanes exchange values through shared memory, ordered by barriers of the CTA and of warps.
extern "C" __global__ void careful(const unsigned* in, unsigned* out) {
    __shared__ unsigned sums[128];
    __shared__ unsigned count;
    const unsigned t = threadIdx.x;
    if (t == 0) count = 0;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned d = 64; d > 16; d /= 2) {
        if (t < d) sums[t] += sums[t + d];
        __syncthreads();
    }
    if (t < 32)
        for (unsigned d = 16; d > 0; d /= 2) {
            const unsigned more = sums[t + d];
            __syncwarp();
            sums[t] += more;
            __syncwarp();
        }
    atomicAdd(&count, t);
    __syncthreads();
    out[t] = sums[0] + count;
}
