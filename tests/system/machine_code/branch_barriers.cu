// SPDX-License-Identifier: Apache-2.0
// Barriers of the block that lanes of a warp reach with different instructions (barrier without
// .aligned). Compiled by nvcc 13.0: -ptx -arch=sm_75, and -cubin for each architecture.
__device__ __noinline__ unsigned exchanged_in_a_function(unsigned* s, unsigned t, unsigned by) {
    asm volatile("barrier.sync 1, 32;" ::: "memory");
    return s[t ^ by];
}

// Threads at the barrier whose value is odd.
#define ODD_VALUES(result, value)                                         \
    asm volatile(                                                         \
        "{\n .reg .pred p;\n .reg .b32 low;\n and.b32 low, %1, 1;\n"      \
        " setp.ne.u32 p, low, 0;\n barrier.red.popc.u32 %0, 6, 32, p;\n}" \
        : "=r"(result)                                                    \
        : "r"(value)                                                      \
        : "memory")

extern "C" __global__ void branch_barriers(const unsigned* a, unsigned* o, int n) {
    __shared__ unsigned s[32];
    const unsigned t = threadIdx.x;
    s[t] = a[t];
    unsigned r = 0;
    if (t % 3 == 0) {
        asm volatile("barrier.sync 6, 32;" ::: "memory");
        r = s[t ^ 16] * 3;
    } else if (t % 3 == 1) {
        asm volatile("barrier.sync 6, 32;" ::: "memory");
        r = s[t ^ 8] + 5;
    } else {
        asm volatile("barrier.sync 6, 32;" ::: "memory");
        r = s[t ^ 4];
    }
    __syncthreads();
    s[t] = r;
    if (t < 11)
        r += exchanged_in_a_function(s, t, 1);
    else
        r ^= exchanged_in_a_function(s, t, 3);
    // Different sections of sm_90 count into different registers.
    unsigned count;
    if (r % 3 == 0) {
        ODD_VALUES(count, a[t]);
        r += count * 7;
    } else if (r % 3 == 1) {
        ODD_VALUES(count, a[t] >> 1);
        r = count + 5;
    } else {
        ODD_VALUES(count, a[t] >> 2);
        r ^= count;
    }
    o[t] = r + n;
}
