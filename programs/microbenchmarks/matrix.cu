// SPDX-License-Identifier: Apache-2.0
// Matrix products of sm_80 and later, for scripts/calibrate; kernels.cu contains the others.
#include "measure.h"

/// D = A B + C of m16n8k16 halves: C of each is the previous D.
#define MATRIX(name, type, letter, types, accumulators)                                         \
    extern "C" __global__ void latency_##name(u32* times, u32* values) {                        \
        u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], b0 = a0, b1 = a1;   \
        type c0 = 0, c1 = 0, c2 = 0, c3 = 0;                                                    \
        u32 start = 0, end = 0;                                                                 \
        NO_UNROLL for (u32 i = 0; i < 2; ++i) {                                                 \
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

/// Independent matrix products of m16n8 with 4 registers of A and 2 of B: two accumulators in rotation.
#define PRODUCT(shape_and_types, c) \
    "mma.sync.aligned." shape_and_types " " c ", {%8, %9, %10, %11}, {%12, %13}, " c ";\n"
#define MATRICES(name, type, letter, shape_and_types, ...) MATRICES_OF(name, type, letter, shape_and_types, __VA_ARGS__)
#define MATRICES_OF(name, type, letter, shape_and_types, first, second)                       \
    extern "C" __global__ void rate_##name(u32* times, u32* values, u32 repeats) {            \
        u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], b0 = a0, b1 = a1; \
        type c0 = 0, c1 = 0, c2 = 0, c3 = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;                  \
        barrier();                                                                            \
        const u32 start = now();                                                              \
        barrier();                                                                            \
        NO_UNROLL for (u32 i = 0; i < repeats; ++i) asm volatile(                             \
            FOUR(PRODUCT(shape_and_types, first) PRODUCT(shape_and_types, second)) : "+" letter(c0), \
            "+" letter(c1), "+" letter(c2), "+" letter(c3), "+" letter(d0), "+" letter(d1),   \
            "+" letter(d2), "+" letter(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0),     \
            "r"(b1));                                                                         \
        values[4 + threadIdx.x] = static_cast<u32>(c0 + c1 + c2 + c3 + d0 + d1 + d2 + d3);    \
        barrier();                                                                            \
        note(times, start, now());                                                            \
    }
#define QUADS "{%0, %1, %2, %3}", "{%4, %5, %6, %7}"

MATRIX(mma_f32, float, "f", "f32.f16.f16.f32", "{%0, %1, %2, %3}")
extern "C" __global__ void latency_mma_f16(u32* times, u32* values) {
    u32 a0 = values[0], a1 = values[1], a2 = values[2], a3 = values[3], c0 = 0, c1 = 0;
    u32 start = 0, end = 0;
    NO_UNROLL
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
MATRICES(mma_f32, float, "f", "m16n8k16.row.col.f32.f16.f16.f32", QUADS)
MATRICES(mma_f16, u32, "r", "m16n8k16.row.col.f16.f16.f16.f16", "{%0, %1}", "{%4, %5}")
MATRICES(mma_tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32", QUADS)
MATRICES(mma_s8, u32, "r", "m16n8k32.row.col.s32.s8.s8.s32", QUADS)
