// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's static runtime: the functions that identify it, in its order. Each fails,
// so that a result shows whether it was redirected. Functions of the API refer to their own names,
// like those of the original.
    .macro BEGIN name
    .p2align 4
    .hidden \name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    .endm

    .macro FINISH name
    mov $999, %eax
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro UNNAMED name
    BEGIN \name
    FINISH \name
    .endm

    .macro NAMED name
    BEGIN \name
    lea 9f(%rip), %rdx
    FINISH \name
    .section .rodata
    .byte 0
9:  .asciz "\name"
    .text
    .endm

    .text
    UNNAMED __cudaRegisterFatBinary
    UNNAMED __cudaRegisterFatBinaryEnd
    UNNAMED __cudaUnregisterFatBinary
    UNNAMED __cudaRegisterVar
    UNNAMED __cudaRegisterManagedVar
    UNNAMED __cudaRegisterHostVar
    UNNAMED __cudaRegisterFunction
    NAMED __cudaInitModule
    UNNAMED __cudaPushCallConfiguration
    UNNAMED __cudaPopCallConfiguration
    UNNAMED __cudaGetKernel
    UNNAMED __cudaLaunchKernel
    UNNAMED __cudaLaunchKernel_ptsz
    NAMED cudaMemGetDefaultMemPool
    NAMED cudaGetDeviceCount
    NAMED cudaDeviceSynchronize
    UNNAMED end_of_runtime

    .section .note.GNU-stack,"",@progbits
