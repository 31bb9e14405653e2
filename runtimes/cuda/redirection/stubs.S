// SPDX-License-Identifier: Apache-2.0
// Code between the program and the libraries that must leave the arguments and the return address
// of a call as they are.

    .macro SAVE_ARGUMENTS
    push %rbp
    mov %rsp, %rbp
    push %rax
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    sub $136, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    .endm

    .macro RESTORE_ARGUMENTS
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    add $136, %rsp
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    pop %rax
    pop %rbp
    .endm

    .text
// The first call of a redirected function; its target is in r11.
    .hidden simtlm_first_call
    .globl simtlm_first_call
    .type simtlm_first_call, @function
simtlm_first_call:
    SAVE_ARGUMENTS
    mov %r11, %rdi
    call simtlm_find_target
    mov %rax, %r11
    RESTORE_ARGUMENTS
    jmp *%r11
    .size simtlm_first_call, . - simtlm_first_call

// A function of the C library that this library precedes: `before` gets its first argument and
// returns the one to pass on. The C library's function is jumped to, so that it sees the original
// caller and any further arguments.
    .macro PRECEDE name, before, next
    .globl \name
    .type \name, @function
\name:
    SAVE_ARGUMENTS
    call \before
    mov %rax, -16(%rbp)
    RESTORE_ARGUMENTS
    jmp *\next(%rip)
    .size \name, . - \name
    .endm

// void* dlopen(const char* file, int flags): replaces the names of NVIDIA's driver libraries. The C
// library's function searches the folders of the calling object.
    PRECEDE dlopen, simtlm_file_to_open, simtlm_next_dlopen

// The ends of a process at which no destructor runs.
    PRECEDE _exit, simtlm_before_exit, simtlm_next_exit
    PRECEDE _Exit, simtlm_before_exit, simtlm_next_exit
    PRECEDE quick_exit, simtlm_before_exit, simtlm_next_quick_exit
    PRECEDE execl, simtlm_before_exec, simtlm_next_execl
    PRECEDE execle, simtlm_before_exec, simtlm_next_execle
    PRECEDE execlp, simtlm_before_exec, simtlm_next_execlp
    PRECEDE execv, simtlm_before_exec, simtlm_next_execv
    PRECEDE execve, simtlm_before_exec, simtlm_next_execve
    PRECEDE execvp, simtlm_before_exec, simtlm_next_execvp
    PRECEDE execvpe, simtlm_before_exec, simtlm_next_execvpe
    PRECEDE fexecve, simtlm_before_exec, simtlm_next_fexecve

    .section .note.GNU-stack,"",@progbits
