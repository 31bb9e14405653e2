// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels that measure a GPU.
#pragma once

#include "../cuda.h"

using u32 = unsigned;
using u64 = unsigned long long;

// Keeps the following loop as it stands.
#ifdef __clang__
#define NO_UNROLL _Pragma("nounroll")
#else
#define NO_UNROLL _Pragma("unroll 1")
#endif

#define TWICE(x) x x
#define FOUR(x) TWICE(TWICE(x))
#define SIXTEEN(x) FOUR(FOUR(x))
#define SIXTY_FOUR(x) FOUR(SIXTEEN(x))

static inline __device__ u32 now() {
    u32 c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}

static inline __device__ void barrier() {
    asm volatile("bar.sync 0;" ::: "memory");
}

static inline __device__ void note(u32* times, u32 start, u32 end) {
    if (threadIdx.x == 0) {
        times[2 * blockIdx.x] = start;
        times[2 * blockIdx.x + 1] = end;
    }
}
