// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp that wait for each other: each thread makes progress (independent thread
// scheduling). Compiled by nvcc 13.0: -ptx -arch=sm_75, and -cubin for each architecture.
__device__ volatile int* flags(unsigned* o) { return (volatile int*)(o + 32); }

/// Every lane waits for the one before it.
__device__ void chain(unsigned* o, unsigned t) {
    volatile int* f = flags(o);
    if (t > 0)
        while (f[t - 1] == 0) {}
    o[t] += t > 0 ? o[t - 1] + 1 : 1;
    __threadfence();
    f[t] = 1;
}

/// A lock that serves lanes in the order of their tickets; waiting lanes count.
__device__ void tickets(unsigned* o, unsigned t) {
    unsigned* const next = o + 64;
    const unsigned mine = atomicAdd(next, 1);
    unsigned turns = 0;
    while (atomicAdd(next + 1, 0) != mine) ++turns;
    *(volatile unsigned*)(next + 2) = *(volatile unsigned*)(next + 2) * 3 + mine;
    __threadfence();
    atomicAdd(next + 1, 1);
    o[t] += turns == 0xffffffff ? 7 : 100;
}

/// Two locks are taken hand over hand.
__device__ void hand_over_hand(unsigned* o, unsigned t) {
    unsigned* const lock = o + 72 + t % 8;
    while (atomicCAS(lock, 0, 1) != 0) {}
    while (atomicCAS(lock + 1, 0, 1) != 0) {}
    atomicAdd(o + 68, t);
    __threadfence();
    atomicExch(lock + 1, 0);
    atomicExch(lock, 0);
}

/// Lanes sleep longer and longer while they wait.
__device__ void back_off(unsigned* o, unsigned t) {
    unsigned* const f = o + 96;
    if (t > 0)
        for (unsigned ns = 8; atomicAdd(f + t - 1, 0) == 0; ns *= 2) __nanosleep(ns);
    atomicAdd(o + 69, t * t);
    __threadfence();
    atomicExch(f + t, 1);
}

extern "C" __global__ void waiting_lanes(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    chain(o, t);
    tickets(o, t);
    hand_over_hand(o, t);
    back_off(o, t);
    __syncthreads();
    o[t] += n;
}
