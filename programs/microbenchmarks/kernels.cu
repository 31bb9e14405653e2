// SPDX-License-Identifier: Apache-2.0
// Kernels with which scripts/calibrate measures a GPU. Thread 0 of every block writes the clock
// before and after the measured code to times[2 * block], times[2 * block + 1]; the script computes
// the results (per instruction, per byte, per block) from them.
//
// The bodies are PTX, so that the measured code does not depend on the compiler. A body is
// unrolled and executed twice; the second execution is measured, so that instructions come from the
// caches. With many warps, the clock is read between two barriers, so that no warp has started
// earlier and none can prevent the reading warp from issuing.
#include "measure.h"

// ---- latency: a chain of 64 dependent instructions ---------------------------------------------

#define CHAIN(name, type, letter, body)                                            \
    extern "C" __global__ void latency_##name(u32* times, type* values) {          \
        type x = values[0], a = values[1], b = values[2];                          \
        u32 start = 0, end = 0;                                                    \
        NO_UNROLL for (u32 i = 0; i < 2; ++i) {                                    \
            start = now();                                                         \
            asm volatile(SIXTY_FOUR(body) : "+" letter(x) : letter(a), letter(b)); \
            end = now();                                                           \
        }                                                                          \
        values[4 + threadIdx.x] = x;                                               \
        note(times, start, end);                                                   \
    }

CHAIN(fma_f32, float, "f", "fma.rn.f32 %0, %0, %1, %2;\n")
CHAIN(add_f32, float, "f", "add.rn.f32 %0, %0, %1;\n")
CHAIN(mul_f32, float, "f", "mul.rn.f32 %0, %0, %1;\n")
CHAIN(add_u32, u32, "r", "add.u32 %0, %0, %1;\n")
CHAIN(logic, u32, "r", "xor.b32 %0, %0, %1;\n")
CHAIN(mad_u32, u32, "r", "mad.lo.u32 %0, %0, %1, %2;\n")
CHAIN(fma_f16x2, u32, "r", "fma.rn.f16x2 %0, %0, %1, %2;\n")
CHAIN(fma_f64, double, "d", "fma.rn.f64 %0, %0, %1, %2;\n")
CHAIN(ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;\n")
CHAIN(shuffle, u32, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n")

/// D = A B + C of 16 x 16 x 16 halves, accumulated in FP32: C of each is the previous D.
#define WMMA(c)                                                                                \
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " c                                       \
    ", {%24, %25, %24, %25, %24, %25, %24, %25}, {%24, %25, %24, %25, %24, %25, %24, %25}, " c \
    ";\n"
#define FIRST "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define SECOND "{%8, %9, %10, %11, %12, %13, %14, %15}"
#define THIRD "{%16, %17, %18, %19, %20, %21, %22, %23}"
#define ACCUMULATORS                                                                               \
    "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),            \
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),    \
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), \
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23])

extern "C" __global__ void latency_wmma(u32* times, u32* values) {
    const u32 a = values[0], b = values[1];
    float c[24] = {};
    u32 start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTY_FOUR(WMMA(FIRST)) : ACCUMULATORS : "r"(a), "r"(b));
        end = now();
    }
    float sum = 0;
    for (const float x : c) sum += x;
    values[4 + threadIdx.x] = static_cast<u32>(sum);
    note(times, start, end);
}

extern "C" __global__ void rate_wmma(u32* times, u32* values, u32 repeats) {
    const u32 a = values[0], b = values[1];
    float c[24] = {};
    barrier();
    const u32 start = now();
    barrier();
    NO_UNROLL
    for (u32 i = 0; i < repeats; ++i)
        asm volatile(FOUR(WMMA(FIRST) WMMA(SECOND) WMMA(THIRD)) : ACCUMULATORS : "r"(a), "r"(b));
    float sum = 0;
    for (const float x : c) sum += x;
    values[4 + threadIdx.x] = static_cast<u32>(sum);
    barrier();
    note(times, start, now());
}

// ---- rate: independent instructions of 8 warps per sub-core -------------------------------------

#define RATE(name, type, letter, op, operands)                                                    \
    extern "C" __global__ void rate_##name(u32* times, type* values, u32 repeats) {               \
        type x = values[0], y = values[1], z = values[2], w = values[3], a = values[4],           \
             b = values[5];                                                                       \
        barrier();                                                                                \
        const u32 start = now();                                                                  \
        barrier();                                                                                \
        NO_UNROLL for (u32 i = 0; i < repeats; ++i) asm volatile(                                 \
            SIXTEEN(op " %0, %0" operands ";\n" op " %1, %1" operands ";\n" op " %2, %2" operands \
                       ";\n" op " %3, %3" operands ";\n") : "+" letter(x),                        \
            "+" letter(y), "+" letter(z), "+" letter(w) : letter(a), letter(b));                  \
        values[8 + threadIdx.x] = x + y + z + w;                                                  \
        barrier();                                                                                \
        note(times, start, now());                                                                \
    }

RATE(fma_f32, float, "f", "fma.rn.f32", ", %4, %5")
RATE(add_u32, u32, "r", "add.u32", ", %4")
RATE(mad_u32, u32, "r", "mad.lo.u32", ", %4, %5")
RATE(fma_f16x2, u32, "r", "fma.rn.f16x2", ", %4, %5")
RATE(fma_f64, double, "d", "fma.rn.f64", ", %4, %5")
RATE(ex2, float, "f", "ex2.approx.ftz.f32", "")

// ---- latency of memory: a pointer chase ---------------------------------------------------------

/// At every `stride` bytes of a buffer, a pointer to the position `stride` bytes further; the last
/// one points to the first.
extern "C" __global__ void link_pointers(char* buffer, u64 stride, u64 count) {
    for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        *reinterpret_cast<char**>(buffer + i * stride) =
            buffer + (i + 1 == count ? 0 : i + 1) * stride;
}

#define CHASE(name, load)                                                                   \
    extern "C" __global__ void latency_##name(u32* times, char* buffer) {                   \
        u64 p = reinterpret_cast<u64>(buffer);                                              \
        u32 start = 0, end = 0;                                                             \
        NO_UNROLL for (u32 i = 0; i < 2; ++i) {                                             \
            start = now();                                                                  \
            asm volatile(SIXTY_FOUR(load " %0, [%0];\n") "add.u64 %0, %0, 0;\n" : "+l"(p)); \
            end = now();                                                                    \
        }                                                                                   \
        *reinterpret_cast<u64*>(times + 2) = p;                                             \
        note(times, start, end);                                                            \
    }

CHASE(load_l1, "ld.global.ca.u64")
CHASE(load_l2, "ld.global.cg.u64")

extern "C" __global__ void latency_load_shared(u32* times) {
    __shared__ u32 place[32];
    u32 p = 0, start = 0, end = 0;
    asm volatile("{\n.reg .u64 t;\ncvta.to.shared.u64 t, %1;\ncvt.u32.u64 %0, t;\n}"
                 : "=r"(p)
                 : "l"(reinterpret_cast<u64>(place)));
    place[0] = p;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTY_FOUR("ld.shared.u32 %0, [%0];\n") : "+r"(p)::"memory");
        asm volatile("add.u32 %0, %0, 0;" : "+r"(p));
        end = now();
    }
    times[2] = p;
    note(times, start, end);
}

extern "C" __global__ void latency_atomic(u32* times, u32* counter) {
    u32 v = 0, start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTEEN("atom.global.add.u32 %0, [%1], %0;\n")
                     : "+r"(v)
                     : "l"(counter)
                     : "memory");
        asm volatile("add.u32 %0, %0, 0;" : "+r"(v));
        end = now();
    }
    times[2] = v;
    note(times, start, end);
}

extern "C" __global__ void latency_barrier(u32* times) {
    u32 start = 0, end = 0;
    NO_UNROLL
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTEEN("bar.sync 0;\n")::: "memory");
        end = now();
    }
    note(times, start, end);
}

/// A loop of 128 dependent FFMAs per iteration: shows the loop overhead compared to 512 cycles and,
/// with several blocks per SM, which warps are favoured.
extern "C" __global__ void loop_fma_f32(u32* times, float* values, u32 iterations) {
    float x = values[0];
    const float a = values[1], b = values[2];
    const u32 start = now();
    NO_UNROLL
    for (u32 i = 0; i < iterations; ++i)
        asm volatile(TWICE(SIXTY_FOUR("fma.rn.f32 %0, %0, %1, %2;\n")) : "+f"(x) : "f"(a), "f"(b));
    const u32 end = now();
    if (x == 3.0f) values[4] = x;
    note(times, start, end);
}

/// FFMAs that depend on each other, for timing with a profiler: 128 per iteration, with the operands
/// of the recorded program (sarchlab/mgpusim, nvidia_instruction branch): the sum, a register with
/// the constant 2.0002 and an immediate. The result is stored only if it is 3, as there.
extern "C" __global__ void ffma(float* values, u32 iterations) {
    float x = static_cast<float>(threadIdx.x);
    NO_UNROLL
    for (u32 i = 0; i < iterations; ++i)
        asm volatile(TWICE(SIXTY_FOUR("fma.rn.f32 %0, %0, 0f40000347, 0f3F800000;\n")) : "+f"(x));
    if (x == 3.0f) values[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void empty() {}

// A block that stores one value per thread, as in gpu-stream of gpu-benches. Two fit into 96 KiB of
// shared memory.
extern "C" __global__ void store_block(double* values, u32 count, u32 never) {
    __shared__ double unused[6000];
    const u32 i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count) return;
    if (never != 0) unused[threadIdx.x] = values[threadIdx.x];
    values[i] = 0.23;
    if (never != 0) values[i] = unused[i];
}

/// The last block loads a word every `stride` bytes, one at a time, and records the additional time
/// of a use of each compared to a use of available data.
extern "C" __global__ void latency_each(u32* times, char* buffer, u32 stride, u32 count) {
    if (blockIdx.x + 1 != gridDim.x) return;
    u64 at = reinterpret_cast<u64>(buffer);
    NO_UNROLL
    for (u32 i = 0; i < count; ++i) {
        u32 with = 0, without = 0;
        asm volatile(
            "{\n.reg .b32 s, e, v;\n"
            "mov.u32 s, %%clock;\n"
            "xor.b32 v, %3, s;\n"
            "mov.u32 e, %%clock;\n"
            "sub.u32 %0, e, s;\n"
            "mov.u32 s, %%clock;\n"
            "ld.global.cg.b32 v, [%2];\n"
            "xor.b32 v, v, s;\n"
            "mov.u32 e, %%clock;\n"
            "sub.u32 %1, e, s;\n}"
            : "=r"(without), "=r"(with)
            : "l"(at), "r"(i)
            : "memory");
        times[i] = with - without;
        at += stride;
    }
}

// ---- bandwidth: blocks of 512 threads ----------------------------------------------------------

#define VALUE_32(n) "v" #n
#define VALUE_64(n) "{v" #n ", x" #n "}"
#define VALUE_128(n) "{v" #n ", x" #n ", y" #n ", z" #n "}"
#define LOAD(load, value, n, offset) load " " value(n) ", [%1 + " #offset "];\n"
#define EIGHT_LOADS(load, value, o1, o2, o3, o4, o5, o6, o7) \
    "{\n.reg .b32 v<8>, x<8>, y<8>, z<8>;\n" LOAD(load, value, 0, 0) LOAD(load, value, 1, o1)    \
        LOAD(load, value, 2, o2) LOAD(load, value, 3, o3) LOAD(load, value, 4, o4)               \
            LOAD(load, value, 5, o5) LOAD(load, value, 6, o6) LOAD(load, value, 7, o7)           \
    "xor.b32 v0, v0, v1;\nxor.b32 v2, v2, v3;\nxor.b32 v4, v4, v5;\nxor.b32 v6, v6, v7;\n"       \
    "xor.b32 v0, v0, v2;\nxor.b32 v4, v4, v6;\nxor.b32 v0, v0, v4;\nxor.b32 %0, %0, v0;\n}"
#define OFFSETS_32 2048, 4096, 6144, 8192, 10240, 12288, 14336
#define OFFSETS_64 4096, 8192, 12288, 16384, 20480, 24576, 28672
#define OFFSETS_128 8192, 16384, 24576, 32768, 40960, 49152, 57344
#define OFFSETS_SHARED 512, 1024, 1536, 2048, 2560, 3072, 3584
#define EXPANDED(...) EIGHT_LOADS(__VA_ARGS__)

/// Eight loads per thread, with a stride of the threads of the block; `warm` times, then `repeats`
/// times measured, advancing by `advance` bytes each time within `bytes` (a power of two, and a
/// multiple of what a block loads at a time). Block b begins `block_stride` bytes after block
/// b - 1.
#define BANDWIDTH(name, load, bits, width)                                                       \
    extern "C" __global__ void bandwidth_##name(u32* times, char* buffer, u32 warm, u32 repeats, \
                                                u32 advance, u32 bytes, u32 block_stride) {      \
        u32 at = blockIdx.x * block_stride & (bytes - 1), sum = 0, start = 0;                    \
        const u64 first = reinterpret_cast<u64>(buffer) + threadIdx.x * width;                   \
        NO_UNROLL for (u32 i = 0; i < warm + repeats; ++i) {                                     \
            if (i == warm) {                                                                     \
                barrier();                                                                       \
                start = now();                                                                   \
                barrier();                                                                       \
            }                                                                                    \
            asm volatile(EXPANDED(load, VALUE_##bits, OFFSETS_##bits)                            \
                         : "+r"(sum)                                                             \
                         : "l"(first + at));                                                     \
            at = (at + advance) & (bytes - 1);                                                   \
        }                                                                                        \
        if (sum == 3) times[0] = sum;                                                            \
        barrier();                                                                               \
        note(times, start, now());                                                               \
    }

BANDWIDTH(l1, "ld.global.ca.v2.b32", 64, 8)
BANDWIDTH(l2_32, "ld.global.cg.b32", 32, 4)
BANDWIDTH(l2_128, "ld.global.cg.v4.b32", 128, 16)

/// Every thread loads 16 different bytes: a stream through memory in block order.
extern "C" __global__ void stream(u32* times, char* buffer) {
    u32 v0 = 0, v1 = 0, v2 = 0, v3 = 0;
    const u64 at = reinterpret_cast<u64>(buffer) + (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v0), "=r"(v1), "=r"(v2), "=r"(v3)
                 : "l"(at));
    if ((v0 ^ v1 ^ v2 ^ v3) == 3) times[0] = v0;
}

/// One block whose warps read `step` words per iteration, with adjacent lanes; every value is
/// added to a separate sum, so that a warp has few loads in flight, and the address is computed in
/// between: 16384 words are read repeatedly. Four iterations
/// are unrolled, as by nvcc (Accel-Sim's GPU_Microbenchmark, l1_bw_32f, l1_bw_64v and l1_bw_128;
/// with 12288 words on an A100, as named by HPMLL/NVIDIA-Hopper-Benchmark: that remainder requires
/// a multiplication).
#define L1_ITERATION(n, step, loads)                                                     \
    "{\n.reg .f32 v<4>;\n.reg .u32 i, q;\n.reg .u64 at;\nadd.u32 i, %5, " #n " * " #step \
    ";\nand.b32 i, i, 16383;\n"                                                          \
    "mad.wide.u32 at, i, 4, %4;\n" loads "}\n"
#define FOUR_L1_ITERATIONS(a, b, c, d, ...) \
    L1_ITERATION(a, __VA_ARGS__)            \
    L1_ITERATION(b, __VA_ARGS__) L1_ITERATION(c, __VA_ARGS__) L1_ITERATION(d, __VA_ARGS__)
#define L1_ITERATIONS(...) \
    FOUR_L1_ITERATIONS(0, 1, 2, 3, __VA_ARGS__) FOUR_L1_ITERATIONS(4, 5, 6, 7, __VA_ARGS__)
#define BANDWIDTH_L1(name, words, step, loads)                                              \
    extern "C" __global__ void bandwidth_l1_##name(u32* times, char* buffer, u32 repeats) { \
        float a = 0, b = 0, c = 0, d = 0;                                                   \
        const u64 first = reinterpret_cast<u64>(buffer);                                    \
        NO_UNROLL for (u32 i = threadIdx.x; i < 16384; i += blockDim.x) {                   \
            asm volatile("{.reg .f32 v;\nld.global.ca.f32 v, [%1];\nadd.f32 %0, %0, v;}"    \
                         : "+f"(a)                                                          \
                         : "l"(first + i * 4));                                             \
        }                                                                                   \
        barrier();                                                                          \
        const u32 start = now();                                                            \
        barrier();                                                                          \
        u32 i = threadIdx.x * (words);                                                      \
        NO_UNROLL for (u32 j = 0; j < repeats; j += 8) {                                    \
            asm volatile(L1_ITERATIONS(step, loads)                                         \
                         : "+f"(a), "+f"(b), "+f"(c), "+f"(d)                               \
                         : "l"(first), "r"(i)                                               \
                         : "memory");                                                       \
            i += 8 * (step);                                                                \
        }                                                                                   \
        barrier();                                                                          \
        note(times, start, now());                                                          \
        if (a + b + c + d == 3) times[2] = 1;                                               \
    }

#define ADD_TWO "add.f32 %0, v0, %0;\nadd.f32 %1, v1, %1;\n"
#define ADD_FOUR ADD_TWO "add.f32 %2, v2, %2;\nadd.f32 %3, v3, %3;\n"
#define LOADS_32                                                     \
    "ld.global.ca.f32 v0, [at];\nld.global.ca.f32 v1, [at + 128];\n" \
    "ld.global.ca.f32 v2, [at + 256];\nld.global.ca.f32 v3, [at + 384];\n" ADD_FOUR
#define LOAD_64 "ld.global.ca.v2.f32 {v0, v1}, [at];\n" ADD_TWO
#define LOAD_128 "ld.global.ca.v4.f32 {v0, v1, v2, v3}, [at];\n" ADD_FOUR

BANDWIDTH_L1(32, 1, 128, LOADS_32)
BANDWIDTH_L1(64, 2, 64, LOAD_64)
BANDWIDTH_L1(128, 4, 128, LOAD_128)

/// 32-bit loads of a block whose lanes are `stride` words apart, eight per thread and iteration,
/// 16 bytes apart, multiplied in pairs: cost of bank conflicts and tag look-ups of the L1 (as
/// measured by te42kyfo/gpu-benches, gpu-strides).
#define STRIDED_PAIR(offset_a, offset_b)                       \
    "{\n.reg .f32 v, w;\nld.global.ca.f32 v, [%1 + " #offset_a \
    "];\nld.global.ca.f32 w, [%1 + " #offset_b "];\nfma.rn.f32 %0, v, w, %0;\n}\n"
extern "C" __global__ void strided_l1(u32* times, char* buffer, u32 repeats, u32 stride) {
    float sum = 0;
    u32 start = 0;
    const u64 at = reinterpret_cast<u64>(buffer) + threadIdx.x % 64 * stride * 4;
    NO_UNROLL for (u32 i = 0; i < 8 + repeats; ++i) {
        if (i == 8) {
            barrier();
            start = now();
            barrier();
        }
        asm volatile(STRIDED_PAIR(0, 16) STRIDED_PAIR(32, 48) STRIDED_PAIR(64, 80)
                         STRIDED_PAIR(96, 112)
                     : "+f"(sum)
                     : "l"(at));
    }
    if (sum == 3) times[0] = 1;
    barrier();
    note(times, start, now());
}

#define BANDWIDTH_SHARED(bits, load, width)                                                    \
    extern "C" __global__ void bandwidth_shared_##bits(u32* times, u32 repeats, u32 advance) { \
        __shared__ u32 window[1024];                                                           \
        u32 sum = 0, first = 0;                                                                \
        asm volatile("{\n.reg .u64 t;\ncvta.to.shared.u64 t, %1;\ncvt.u32.u64 %0, t;\n}"       \
                     : "=r"(first)                                                             \
                     : "l"(reinterpret_cast<u64>(window)));                                    \
        first += threadIdx.x % 32 * width;                                                     \
        barrier();                                                                             \
        const u32 start = now();                                                               \
        barrier();                                                                             \
        NO_UNROLL for (u32 i = 0; i < repeats; ++i) {                                          \
            asm volatile(EXPANDED(load, VALUE_##bits, OFFSETS_SHARED)                          \
                         : "+r"(sum)                                                           \
                         : "r"(first)                                                          \
                         : "memory");                                                          \
            first += advance;                                                                  \
        }                                                                                      \
        if (sum == 3) times[0] = sum;                                                          \
        barrier();                                                                             \
        note(times, start, now());                                                             \
    }

BANDWIDTH_SHARED(32, "ld.shared.b32", 4)
BANDWIDTH_SHARED(128, "ld.shared.v4.b32", 16)

/// Every thread of the grid adds to one of `places` counters, 128 bytes apart.
extern "C" __global__ void rate_atomic(u32* times, u32* counters, u32 repeats, u32 places) {
    u32* const where = counters + (blockIdx.x * blockDim.x + threadIdx.x) % places * 32;
    barrier();
    const u32 start = now();
    barrier();
    NO_UNROLL
    for (u32 i = 0; i < repeats; ++i)
        asm volatile(FOUR("red.global.add.u32 [%0], 1;\n")::"l"(where) : "memory");
    barrier();
    note(times, start, now());
}
