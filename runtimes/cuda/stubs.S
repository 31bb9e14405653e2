// SPDX-License-Identifier: Apache-2.0
// What a program links with: each entry point jumps to the one implementation. SIMTLM_VERSION is a
// bit of the masks in entry_points.def.
#define ENTRY(versions, name) JUMP versions, name, simtlm_rt_##name
#define ALIAS(versions, name, function) JUMP versions, name, simtlm_rt_##function
#define THREAD(versions, name, function) \
    JUMP_AFTER simtlm_rt_use_thread_stream, versions, name, simtlm_rt_##function
#define SHARED(versions, name, function) \
    JUMP_AFTER simtlm_rt_come_through_driver, versions, name, simtlm_rt_##function
#define SHARED_THREAD(versions, name, function) \
    JUMP_AFTER simtlm_rt_come_through_driver_for_thread, versions, name, simtlm_rt_##function
#define MISSING(versions, name) REFUSE versions, name

    .macro JUMP versions, name, function
    .if (\versions) & SIMTLM_VERSION
    .globl \name
    .type \name, @function
\name:
    jmp *\function@GOTPCREL(%rip)
    .size \name, . - \name
    .endif
    .endm

// Something is noted of this call before it begins.
    .macro JUMP_AFTER before, versions, name, function
    .if (\versions) & SIMTLM_VERSION
    .globl \name
    .type \name, @function
\name:
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    sub $8, %rsp
    call *\before@GOTPCREL(%rip)
    add $8, %rsp
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    jmp *\function@GOTPCREL(%rip)
    .size \name, . - \name
    .endif
    .endm

    .macro REFUSE versions, name
    .if (\versions) & SIMTLM_VERSION
    .globl \name
    .type \name, @function
\name:
    lea 9f(%rip), %rdi
    jmp *simtlm_rt_refuse@GOTPCREL(%rip)
    .size \name, . - \name
    .section .rodata
9:  .asciz "\name"
    .text
    .endif
    .endm

    .text
#include SIMTLM_ENTRY_POINTS
    .section .note.GNU-stack,"",@progbits
