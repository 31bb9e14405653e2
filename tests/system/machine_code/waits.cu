// SPDX-License-Identifier: Apache-2.0
// Instructions whose only effect is on time. nvcc -cubin -arch=sm_75 -o waits.sm_75.cubin waits.cu;
// the same for sm_80 and sm_90; nvcc -ptx -arch=compute_75 -o waits.ptx
// waits.cu, then .target sm_70

/// Cycles of a number of sleeps.
extern "C" __global__ void sleeps(unsigned* cycles, unsigned nanoseconds, int times) {
    const unsigned begin = clock();
    for (int i = 0; i < times; ++i) __nanosleep(nanoseconds);
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock() - begin;
}

/// Even lanes sleep, odd lanes do not.
extern "C" __global__ void half_sleeps(unsigned* cycles, unsigned nanoseconds) {
    const unsigned begin = clock();
    if (threadIdx.x % 2 == 0) __nanosleep(nanoseconds);
    __syncwarp();
    if (threadIdx.x == 0) cycles[0] = clock() - begin;
}

__device__ unsigned latency(const char* p) {
    const unsigned begin = clock();
    int value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(p));
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 12345; @q trap; }" ::"r"(value));
    return clock() - begin;
}

__device__ void wait(unsigned cycles) {
    const unsigned begin = clock();
    while (clock() - begin < cycles) continue;
}

/// Latencies of loads that bypass the L1: of data in memory, of data in the L2, and of the first
/// and the last word of a line that has been prefetched into the L2.
extern "C" __global__ void prefetches(const char* data, unsigned* cycles) {
    wait(1000);
    latency(data);  // the code is in the instruction cache from here on
    wait(1000);
    cycles[0] = latency(data + 0x2000);
    wait(1000);
    cycles[1] = latency(data + 0x2000);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + 0x4000));
    wait(3000);
    cycles[2] = latency(data + 0x4000);
    cycles[3] = latency(data + 0x407c);
}
