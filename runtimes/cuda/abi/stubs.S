// SPDX-License-Identifier: Apache-2.0
// What a program links with: each entry point jumps to the address of the one implementation.
// SIMTLM_LIBRARY is a bit of the masks in entry_points.def.
#define ENTRY(libraries, name) JUMP libraries, name, simtlm_rt_##name;
#define ALIAS(libraries, name, function) JUMP libraries, name, simtlm_rt_##function;
#define THREAD(libraries, name, function) \
    JUMP_AFTER simtlm_rt_use_thread_stream, libraries, name, simtlm_rt_##function, name;
#define SHARED(libraries, name, function, called) \
    JUMP_AFTER simtlm_rt_come_through_driver, libraries, name, simtlm_rt_##function, called;
#define SHARED_THREAD(libraries, name, function, called) \
    JUMP_AFTER simtlm_rt_come_through_driver_for_thread, libraries, name, simtlm_rt_##function, called;
#define MISSING(libraries, name) REFUSE libraries, name;

    .macro JUMP libraries, name, function
    .if (\libraries) & SIMTLM_LIBRARY
    .globl \name
    .type \name, @function
\name:
    mov \function@GOTPCREL(%rip), %r11
    jmp *(%r11)
    .size \name, . - \name
    .endif
    .endm

// `before` gets the name of the call before it begins.
    .macro JUMP_AFTER before, libraries, name, function, called
    .if (\libraries) & SIMTLM_LIBRARY
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
    lea 9f(%rip), %rdi
    call *\before@GOTPCREL(%rip)
    add $8, %rsp
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    mov \function@GOTPCREL(%rip), %r11
    jmp *(%r11)
    .size \name, . - \name
    .section .rodata
9:  .asciz "\called"
    .text
    .endif
    .endm

    .macro REFUSE libraries, name
    .if (\libraries) & SIMTLM_LIBRARY
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
#include "runtimes/cuda/abi/entry_points.def"
    .section .note.GNU-stack,"",@progbits
