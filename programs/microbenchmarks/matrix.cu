// SPDX-License-Identifier: Apache-2.0
// Matrix products of sm_80 and later, for scripts/calibrate; kernels.cu contains the others.
#include "measure.h"

/// D = A B + C of m16n8k16 halves: C of each is the previous D.
#define MATRIX(name, type, letter, types, accumulators)                                         \
    extern "C" __global__ void latency_##name(u32* times, u32* values) {                        \
        u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], b0 = a0, b1 = a1;   \
        type c0 = 0, c1 = 0, c2 = 0, c3 = 0;                                                    \
        u32 start = 0, end = 0;                                                                 \
        _Pragma("nounroll") for (u32 i = 0; i < 2; ++i) {                                       \
            start = now();                                                                      \
            asm volatile(SIXTY_FOUR("mma.sync.aligned.m16n8k16.row.col." types " " accumulators \
                                    ", {%4, %5, %6, %7}, {%8, %9}, " accumulators ";\n")        \
                         : "+" letter(c0), "+" letter(c1), "+" letter(c2), "+" letter(c3)       \
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));               \
            end = now();                                                                        \
        }                                                                                       \
        values[4 + threadIdx.x] = static_cast<u32>(c0 + c1 + c2 + c3);                          \
        note(times, start, end);                                                                \
    }

/// Independent matrix products: four accumulators in rotation.
#define MATRICES(name, types)                                                                 \
    extern "C" __global__ void rate_##name(u32* times, u32* values, u32 repeats) {            \
        u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], b0 = a0, b1 = a1; \
        float c0 = 0, c1 = 0, c2 = 0, c3 = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;                 \
        barrier();                                                                            \
        const u32 start = now();                                                              \
        barrier();                                                                            \
        _Pragma("nounroll") for (u32 i = 0; i < repeats; ++i) asm volatile(                   \
            FOUR("mma.sync.aligned.m16n8k16.row.col." types                                   \
                 " {%0, %1, %2, %3}, {%8, %9, %10, %11}, {%12, %13}, "                        \
                 "{%0, %1, %2, %3};\n"                                                        \
                 "mma.sync.aligned.m16n8k16.row.col." types                                   \
                 " {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13}, "                        \
                 "{%4, %5, %6, %7};\n") : "+f"(c0),                                           \
            "+f"(c1), "+f"(c2), "+f"(c3), "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0),   \
            "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                     \
        values[4 + threadIdx.x] = static_cast<u32>(c0 + c1 + c2 + c3 + d0 + d1 + d2 + d3);    \
        barrier();                                                                            \
        note(times, start, now());                                                            \
    }

MATRIX(mma_f32, float, "f", "f32.f16.f16.f32", "{%0, %1, %2, %3}")
extern "C" __global__ void latency_mma_f16(u32* times, u32* values) {
    u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], c0 = 0, c1 = 0;
    u32 start = 0, end = 0;
#pragma nounroll
    for (u32 i = 0; i < 2; ++i) {
        start = now();
        asm volatile(SIXTY_FOUR("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
                                "{%2, %3, %4, %5}, {%2, %3}, {%0, %1};\n")
                     : "+r"(c0), "+r"(c1)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3));
        end = now();
    }
    values[4 + threadIdx.x] = c0 + c1;
    note(times, start, end);
}
MATRICES(mma_f32, "f32.f16.f16.f32")
