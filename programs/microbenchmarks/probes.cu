// SPDX-License-Identifier: Apache-2.0
// Kernels of scripts/measure-gpu in addition to kernels.cu, matrix.cu and asynchronous.cu, compiled
// with nvcc: contention, scattered accesses, capacities, streams and clusters.
#include "measure.h"

/// Measures `body` with all threads of the block: thread 0 reads the clock before and after it.
template <class Body>
static inline __device__ void measured(u32* times, Body body) {
    barrier();
    const u32 start = now();
    barrier();
    body();
    barrier();
    note(times, start, now());
}

/// Elapsed nanoseconds (times[0]) and SM cycles (times[1]) of a wait of `ns`.
__global__ void wait_for_time(u32* times, u32 ns) {
    u64 begin = 0, time = 0;
    u32 start = 0, clock = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2 || time - begin < ns; ++i) {
        asm volatile("mov.u64 %0, %%globaltimer;\nmov.u32 %1, %%clock;"
                     : "=l"(time), "=r"(clock)::"memory");
        if (i == 1) begin = time, start = clock;  // the second time, the code is in the caches
    }
    times[0] = static_cast<u32>(time - begin);
    times[1] = clock - start;
}

/// Chains and independent instructions like those of kernels.cu that ptxas does not merge: a
/// minimum and a logical instruction in turn, and shuffles from the lane that the value names.
#define ALU_PAIR(x) "min.u32 " x ", " x ", %4;\nxor.b32 " x ", " x ", %5;\n"
__global__ void latency_alu(u32* times, u32* values) {
    u32 x = values[0], start = 0, end = 0;
    const u32 a = values[1], b = values[2];
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(TWICE(SIXTEEN("min.u32 %0, %0, %1;\nxor.b32 %0, %0, %2;\n"))
                     : "+r"(x)
                     : "r"(a), "r"(b));
        end = now();
    }
    values[4] = x;
    note(times, start, end);
}

__global__ void rate_alu(u32* times, u32* values, u32 repeats) {
    u32 x = values[0], y = values[1], z = values[2], w = values[3];
    const u32 a = values[4], b = values[5];
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i)
            asm volatile(TWICE(FOUR(ALU_PAIR("%0") ALU_PAIR("%1") ALU_PAIR("%2") ALU_PAIR("%3")))
                         : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
                         : "r"(a), "r"(b));
    });
    values[8 + threadIdx.x] = x + y + z + w;
}

__global__ void latency_shuffle_index(u32* times, u32* values) {
    u32 x = values[threadIdx.x], start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTY_FOUR("shfl.sync.idx.b32 %0, %0, %0, 31, -1;\n") : "+r"(x));
        end = now();
    }
    values[threadIdx.x] = x;
    note(times, start, end);
}

__constant__ u32 zeros_in_constant_memory[16];

/// A chain of 64 loads from constant memory; the second execution is measured.
__global__ void latency_load_constant(u32* times) {
    u32 at = 0, start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
#pragma unroll
        for (u32 j = 0; j < 64; ++j)
            at = *reinterpret_cast<const u32*>(
                reinterpret_cast<const char*>(zeros_in_constant_memory) + at);
        asm volatile("" : "+r"(at)::"memory");
        end = now();
        times[2] = at;
    }
    note(times, start, end);
}

/// 16 fences of the given scope, each after a store.
__global__ void latency_fence(u32* times) {
    u32 start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTEEN("membar.gl;\n")::: "memory");
        end = now();
    }
    note(times, start, end);
}

/// 64 barriers of a block.
__global__ void barriers(u32* times) {
    measured(times, [] { asm volatile(SIXTY_FOUR("bar.sync 0;\n")::: "memory"); });
}

// ---- shared memory ------------------------------------------------------------------------------

/// 32-bit loads whose lanes are `stride` words apart: 16 per iteration and warp.
__global__ void shared_conflicts(u32* times, u32 repeats, u32 stride) {
    __shared__ u32 words[2048 + 512];
    u32 sum = 0;
    const u32 first =
        static_cast<u32>(__cvta_generic_to_shared(words + threadIdx.x % 32 * stride % 2048));
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i)
#pragma unroll
            for (u32 j = 0; j < 16; ++j) {
                u32 v;
                asm volatile("ld.volatile.shared.b32 %0, [%1];"
                             : "=r"(v)
                             : "r"(first + j * 128)
                             : "memory");
                sum += v;
            }
    });
    if (sum == 3) times[0] = sum;
}

/// Atomics on shared memory, 16 per iteration and warp, with lanes `stride` words apart; they
/// return their value if Returning.
template <bool Returning>
__global__ void shared_atomics(u32* times, u32 repeats, u32 stride) {
    __shared__ u32 words[2048];
    u32 sum = 1;
    const u32 at =
        static_cast<u32>(__cvta_generic_to_shared(words + threadIdx.x % 32 * stride % 2048));
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i)
            if (Returning)
                asm volatile(SIXTEEN("atom.shared.add.u32 %0, [%1], %0;\n")
                             : "+r"(sum)
                             : "r"(at)
                             : "memory");
            else
                asm volatile(SIXTEEN("red.shared.add.u32 [%0], %1;\n")::"r"(at), "r"(sum)
                             : "memory");
    });
    if (sum == 3) times[0] = sum;
}

// ---- scattered accesses to the L2 ---------------------------------------------------------------

/// Where a thread accesses memory: (lane * lane_stride + warp of the grid * warp_stride) bytes,
/// modulo a power of two.
struct Pattern {
    u32 lane_stride, warp_stride, modulo;
    __device__ char* of(char* base) const {
        const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        return base + ((threadIdx.x % 32 * lane_stride + warp * warp_stride) & (modulo - 1));
    }
};

/// Atomics in the L2: four per iteration and warp, then a fence.
template <bool Returning>
__global__ void global_atomics(u32* times, char* base, u32 repeats, Pattern pattern) {
    char* const at = pattern.of(base);
    u32 sum = 1;
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i)
            if (Returning)
                asm volatile(FOUR("atom.global.add.u32 %0, [%1], %0;\n")
                             : "+r"(sum)
                             : "l"(at)
                             : "memory");
            else
                asm volatile(FOUR("red.global.add.u32 [%0], %1;\n")::"l"(at), "r"(sum) : "memory");
        asm volatile("membar.gl;" ::: "memory");
    });
    if (sum == 3) times[0] = sum;
}

/// Even blocks add to the words of the line at base, odd ones to those of the line `offset` bytes
/// after it.
__global__ void atomics_on_two_lines(u32* times, char* base, u32 repeats, u32 offset) {
    char* const at = base + blockIdx.x % 2 * offset + threadIdx.x % 32 * 4;
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i)
            asm volatile(FOUR("red.global.add.u32 [%0], 1;\n")::"l"(at) : "memory");
        asm volatile("membar.gl;" ::: "memory");
    });
}

/// Stores of a warp to 32 / Lanes lines: Lanes neighbouring words in each, and the next words of
/// the same lines in the next iteration, like a transposition. Every warp has lines of its own.
template <u32 Lanes>
__global__ void scattered_stores(u32* times, char* base, u32 repeats) {
    const u32 lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char* const line = base + (warp * (32 / Lanes) + lane / Lanes) * u64(128);
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i) {
            char* const at = line + (i % (32 / Lanes) * Lanes + lane % Lanes) * 4;
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        }
        asm volatile("membar.gl;" ::: "memory");
    });
}

/// Loads of one word per lane, bypassing the L1, four at a time; every repetition begins 32 bytes
/// further.
__global__ void scattered_loads(u32* times, const char* base, u32 repeats, u32 lane_stride,
                                u32 modulo) {
    const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 sum = 0, offset = (threadIdx.x % 32 + warp * 32) * lane_stride;
    measured(times, [&] {
        NO_UNROLL
        for (u32 i = 0; i < repeats; ++i) {
            u32 v[4];
#pragma unroll
            for (u32 j = 0; j < 4; ++j) {
                asm volatile("ld.global.cg.b32 %0, [%1];"
                             : "=r"(v[j])
                             : "l"(base + ((offset + j * 32 * lane_stride) & (modulo - 1)))
                             : "memory");
            }
            sum += v[0] + v[1] + v[2] + v[3];
            offset += 32;
        }
    });
    if (sum == 3) times[0] = sum;
}

// ---- capacities ---------------------------------------------------------------------------------

/// The block reads `lines` lines `stride` bytes apart twice, in order; then thread 0 follows a ring
/// of pointers through them, 64 loads of which are measured.
__global__ void capacity_l1(u32* times, const char* buffer, u32 stride, u32 lines) {
    u32 sum = 0, start = 0, end = 0;
    for (u32 first = 0; first < 2 * lines; first += blockDim.x) {
        const u32 i = first + threadIdx.x;
        if (i < 2 * lines) {
            u32 v;
            asm volatile("ld.global.ca.b32 %0, [%1];"
                         : "=r"(v)
                         : "l"(buffer + i % lines * u64(stride))
                         : "memory");
            sum ^= v;
        }
        barrier();
    }
    if (sum == 3) times[2] = sum;
    if (threadIdx.x != 0) return;
    u64 at = reinterpret_cast<u64>(buffer);
    start = now();
    asm volatile(SIXTY_FOUR("ld.global.ca.u64 %0, [%0];\n") "add.u64 %0, %0, 0;\n" : "+l"(at));
    end = now();
    if (at == 3) times[2] = 3;
    note(times, start, end);
}

/// The grid reads one word of each of `lines` lines `stride` bytes apart, bypassing the L1.
__global__ void touch(u32* times, const char* buffer, u32 stride, u32 lines) {
    u32 sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) {
        u32 v;
        asm volatile("ld.global.cg.b32 %0, [%1];"
                     : "=r"(v)
                     : "l"(buffer + i * u64(stride))
                     : "memory");
        sum ^= v;
    }
    if (sum == 3) times[0] = sum;
}

/// `latency_each` (kernels.cu) by the first block that runs on SM `sm`, recorded from times[1];
/// times[0] is cleared before the launch.
__global__ void latency_each_on(u32* times, const char* buffer, u32 stride, u32 count, u32 sm) {
    u32 here;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != sm || atomicExch(times, 1) != 0) {
        // Stays until a block runs there, so that all SMs get one.
        const u32 begin = now();
        while (*const_cast<volatile u32*>(times) == 0 && now() - begin < 30000) {
        }
        return;
    }
    u32 sum = 0;
    NO_UNROLL
    for (u32 i = 0; i < count; ++i) {
        u32 taken[2];
#pragma unroll
        for (u32 loads = 0; loads < 2; ++loads) {
            const u32 start = now();
            u32 v = start;
            if (loads != 0)
                asm volatile("ld.global.cg.b32 %0, [%1];\nxor.b32 %0, %0, %2;"
                             : "=r"(v)
                             : "l"(buffer), "r"(start)
                             : "memory");
            sum += v;
            asm volatile("" : "+r"(sum)::"memory");
            taken[loads] = now() - start;
        }
        times[1 + i] = taken[1] - taken[0];
        buffer += stride;
    }
    if (sum == 3) times[0] = 2;
}

// ---- streams ------------------------------------------------------------------------------------

/// Every thread stores 16 bytes.
__global__ void fill_stream(char* to) {
    const u64 at = reinterpret_cast<u64>(to) + (blockIdx.x * u64(blockDim.x) + threadIdx.x) * 16;
    asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(0u) : "memory");
}

/// Every thread copies 16 bytes.
__global__ void copy_stream(const uint4* from, uint4* to) {
    const u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x;
    to[i] = from[i];
}

// ---- clusters of thread blocks (sm_90) ----------------------------------------------------------

#if MEASURE_CAPABILITY >= 90
/// Warpgroup products like those of asynchronous.cu, but 4 or 16 in one group without a loop, into
/// which ptxas would insert waits.
#define GROUPS(name, shape_and_types, registers, number, outputs, a, inputs, rest)               \
    __global__ void __launch_bounds__(128) group_##name(u32* times, float* sums, u32 products) { \
        extern __shared__ __align__(128) char operands[];                                        \
        float d[number];                                                                         \
        for (float& x : d) x = sums[threadIdx.x];                                                \
        const u64 matrix = (shared_address(operands) >> 4) | u64(8) << 16 | u64(16) << 32;       \
        [[maybe_unused]] const u32 zero = 0;                                                     \
        barrier();                                                                               \
        const u32 start = now();                                                                 \
        if (products == 4)                                                                       \
            asm volatile(                                                                        \
                "wgmma.fence.sync.aligned;\n" FOUR(                                              \
                    "wgmma.mma_async" shape_and_types " {" registers "}, " a ", " rest           \
                    ";\n") "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"  \
                : outputs:inputs                                                                 \
                : "memory");                                                                     \
        else                                                                                     \
            asm volatile(                                                                        \
                "wgmma.fence.sync.aligned;\n" SIXTEEN(                                           \
                    "wgmma.mma_async" shape_and_types " {" registers "}, " a ", " rest           \
                    ";\n") "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"  \
                : outputs:inputs                                                                 \
                : "memory");                                                                     \
        const u32 end = now();                                                                   \
        for (const float x : d) sums[threadIdx.x] += x;                                          \
        note(times, start, end);                                                                 \
    }
GROUPS(f16, HALVES_256, REGISTERS_128, 128, D_128, "%128", SHARED_OPERANDS, "%129, 1, 1, 1, 0, 0")
GROUPS(f16_registers, HALVES_256, REGISTERS_128, 128, D_128, "{%128, %128, %128, %128}",
       "r"(zero)COMMA "l"(matrix), "%129, 1, 1, 1, 0")
GROUPS(f16_n32, ".sync.aligned.m64n32k16.f32.f16.f16", REGISTERS_16, 16, R16(OUTPUT, 0), "%16",
       SHARED_OPERANDS, "%17, 1, 1, 1, 0, 0")
GROUPS(e4m3, ".sync.aligned.m64n256k32.f32.e4m3.e4m3", REGISTERS_128, 128, D_128, "%128",
       SHARED_OPERANDS, "%129, 1, 1, 1")
GROUPS(tf32, ".sync.aligned.m64n256k8.f32.tf32.tf32", REGISTERS_128, 128, D_128, "%128",
       SHARED_OPERANDS, "%129, 1, 1, 1")
GROUPS(sparse, ".sp.sync.aligned.m64n256k32.f32.f16.f16", REGISTERS_128, 128, D_128, "%128",
       SHARED_OPERANDS COMMA "r"(zero), "%129, %130, 0, 1, 1, 1, 0, 0")

/// A chain of 64 loads from the shared memory of the block of a rank: the word there is its own
/// address.
__global__ void __cluster_dims__(8) latency_cluster_load(u32* times, u32 rank) {
    __shared__ u32 word;
    u32 at = static_cast<u32>(__cvta_generic_to_shared(&word)), own, start = 0, end = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(own));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(&word))),
                 "r"(at)
                 : "memory");
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    NO_UNROLL
    for (u32 i = 0; i < 2 && own == 0; ++i) {
        start = now();
        asm volatile(SIXTY_FOUR("ld.shared::cluster.u32 %0, [%0];\n") "add.u32 %0, %0, 0;\n"
                     : "+r"(at)::"memory");
        end = now();
    }
    if (at == 3) end = 0;
    if (own == 0) note(times, start, end);
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

/// 64 barriers of a cluster.
__global__ void __cluster_dims__(2) latency_cluster_barrier(u32* times) {
    const u32 start = now();
    NO_UNROLL
    for (u32 i = 0; i < 64; ++i)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                         : "memory");
    note(times, start, now());
}
#endif
