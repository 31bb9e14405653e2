// SPDX-License-Identifier: Apache-2.0
// What a program links with: each entry point jumps to the one implementation.
#define ENTRY(name) JUMP name, simtlm_blas_##name
#define ALIAS(name, function) JUMP name, simtlm_blas_##function
#define MISSING(name) REFUSE name

    .macro JUMP name, function
    .globl \name
    .type \name, @function
\name:
    jmp *\function@GOTPCREL(%rip)
    .size \name, . - \name
    .endm

    .macro REFUSE name
    .globl \name
    .type \name, @function
\name:
    lea 9f(%rip), %rdi
    jmp *simtlm_blas_refuse@GOTPCREL(%rip)
    .size \name, . - \name
    .section .rodata
9:  .asciz "\name"
    .text
    .endm

    .text
#include SIMTLM_ENTRY_POINTS
    .section .note.GNU-stack,"",@progbits
