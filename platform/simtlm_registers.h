/* SPDX-License-Identifier: Apache-2.0
 * Register map of a simtlm GPU, for firmware in C: byte offsets, bits and codes. What
 * they mean: docs/cosimulation.md. Made by write_register_header(). */
#ifndef SIMTLM_REGISTERS_H
#define SIMTLM_REGISTERS_H

/* Registers. */
#define SIMTLM_ID 0x000u
#define SIMTLM_VERSION 0x004u
#define SIMTLM_STATUS 0x008u
#define SIMTLM_CONTROL 0x00cu
#define SIMTLM_IRQ_STATUS 0x010u
#define SIMTLM_IRQ_ENABLE 0x014u
#define SIMTLM_IRQ_CLEAR 0x018u
#define SIMTLM_ERROR 0x01cu
#define SIMTLM_SMS 0x020u
#define SIMTLM_CHANNELS 0x024u
#define SIMTLM_KERNELS 0x028u
#define SIMTLM_WINDOWS 0x02cu
#define SIMTLM_QUEUE_DEPTH 0x030u
#define SIMTLM_QUEUE_SPACE 0x034u
#define SIMTLM_SUBMITTED 0x038u
#define SIMTLM_COMPLETED 0x03cu
#define SIMTLM_CORE_CYCLES_LO 0x080u
#define SIMTLM_CORE_CYCLES_HI 0x084u
#define SIMTLM_THREAD_INSTRUCTIONS_LO 0x088u
#define SIMTLM_THREAD_INSTRUCTIONS_HI 0x08cu
#define SIMTLM_WARP_INSTRUCTIONS_LO 0x090u
#define SIMTLM_WARP_INSTRUCTIONS_HI 0x094u
#define SIMTLM_KERNELS_DONE_LO 0x098u
#define SIMTLM_KERNELS_DONE_HI 0x09cu
#define SIMTLM_CTAS_DONE_LO 0x0a0u
#define SIMTLM_CTAS_DONE_HI 0x0a4u
#define SIMTLM_L2_ACCESSES_LO 0x0a8u
#define SIMTLM_L2_ACCESSES_HI 0x0acu
#define SIMTLM_L2_HITS_LO 0x0b0u
#define SIMTLM_L2_HITS_HI 0x0b4u
#define SIMTLM_L2_MISSES_LO 0x0b8u
#define SIMTLM_L2_MISSES_HI 0x0bcu
#define SIMTLM_MEMORY_READS_LO 0x0c0u
#define SIMTLM_MEMORY_READS_HI 0x0c4u
#define SIMTLM_MEMORY_WRITES_LO 0x0c8u
#define SIMTLM_MEMORY_WRITES_HI 0x0ccu
#define SIMTLM_MEMORY_ERRORS_LO 0x0d0u
#define SIMTLM_MEMORY_ERRORS_HI 0x0d4u
#define SIMTLM_MESSAGE 0x300u

/* Registers of window w, 0 .. SIMTLM_WINDOW_COUNT - 1. */
#define SIMTLM_COMMAND(w) (0x100u + 0x40u * (w))
#define SIMTLM_ADDRESS_LO(w) (0x104u + 0x40u * (w))
#define SIMTLM_ADDRESS_HI(w) (0x108u + 0x40u * (w))
#define SIMTLM_SIZE_LO(w) (0x10cu + 0x40u * (w))
#define SIMTLM_SIZE_HI(w) (0x110u + 0x40u * (w))
#define SIMTLM_KERNEL(w) (0x114u + 0x40u * (w))
#define SIMTLM_STREAM(w) (0x118u + 0x40u * (w))
#define SIMTLM_TAG(w) (0x11cu + 0x40u * (w))
#define SIMTLM_DOORBELL(w) (0x120u + 0x40u * (w))
#define SIMTLM_WINDOW_SUBMITTED(w) (0x124u + 0x40u * (w))
#define SIMTLM_WINDOW_COMPLETED(w) (0x128u + 0x40u * (w))
#define SIMTLM_LAST_TAG(w) (0x12cu + 0x40u * (w))
#define SIMTLM_HOST_ADDRESS_LO(w) (0x130u + 0x40u * (w))
#define SIMTLM_HOST_ADDRESS_HI(w) (0x134u + 0x40u * (w))
#define SIMTLM_RESULT_LO(w) (0x138u + 0x40u * (w))
#define SIMTLM_RESULT_HI(w) (0x13cu + 0x40u * (w))

/* Bits and codes. SIMTLM_IRQ_WINDOW_DONE is that of window 0; shift it by w. */
#define SIMTLM_ID_VALUE 0x4d4c5453u
#define SIMTLM_VERSION_VALUE 0x300u
#define SIMTLM_MAP_BYTES 0x400u
#define SIMTLM_MESSAGE_BYTES 0x100u
#define SIMTLM_WINDOW_COUNT 0x8u
#define SIMTLM_WINDOW_BYTES 0x40u
#define SIMTLM_STATUS_BUSY 0x1u
#define SIMTLM_STATUS_FAILED 0x2u
#define SIMTLM_STATUS_STOPPED 0x4u
#define SIMTLM_STATUS_RESETTING 0x8u
#define SIMTLM_STATUS_MEMORY_BUSY 0x10u
#define SIMTLM_CONTROL_RESET 0x1u
#define SIMTLM_IRQ_COMMAND_DONE 0x1u
#define SIMTLM_IRQ_KERNEL_DONE 0x2u
#define SIMTLM_IRQ_IDLE 0x4u
#define SIMTLM_IRQ_FAULT 0x8u
#define SIMTLM_IRQ_WINDOW_DONE 0x100u
#define SIMTLM_COMMAND_NOTHING 0x0u
#define SIMTLM_COMMAND_COPY_TO_DEVICE 0x1u
#define SIMTLM_COMMAND_COPY_FROM_DEVICE 0x2u
#define SIMTLM_COMMAND_FILL 0x3u
#define SIMTLM_COMMAND_LAUNCH 0x4u
#define SIMTLM_COMMAND_EVENT 0x5u
#define SIMTLM_COMMAND_SYNCHRONISE 0x6u
#define SIMTLM_COMMAND_ALLOCATE 0x7u
#define SIMTLM_COMMAND_RELEASE 0x8u
#define SIMTLM_COMMAND_LOAD_PROGRAM 0x9u
#define SIMTLM_COMMAND_FIND_KERNEL 0xau
#define SIMTLM_COMMAND_LAUNCH_PROGRAM 0xbu
#define SIMTLM_ANY_STREAM 0xffffffffu
#define SIMTLM_ERROR_NONE 0x0u
#define SIMTLM_ERROR_BAD_COMMAND 0x1u
#define SIMTLM_ERROR_NO_SUCH_KERNEL 0x2u
#define SIMTLM_ERROR_QUEUE_FULL 0x3u
#define SIMTLM_ERROR_REFUSED_IN_RESET 0x4u
#define SIMTLM_ERROR_GPU_STOPPED 0x5u
#define SIMTLM_ERROR_MEMORY_ERROR 0x6u
#define SIMTLM_ERROR_OUT_OF_MEMORY 0x7u
#define SIMTLM_ERROR_BAD_ADDRESS 0x8u
#define SIMTLM_ERROR_BAD_PROGRAM 0x9u
#define SIMTLM_ERROR_BAD_LAUNCH 0xau
#define SIMTLM_ERROR_PROGRAM_FAULT 0xbu
#define SIMTLM_ERROR_HOST_MEMORY_ERROR 0xcu
#define SIMTLM_FAILED_RESULT 0xffffffffu
#define SIMTLM_LAUNCH_COOPERATIVE 0x1u

/* Device memory: the byte at device address a is at this + a. */
#define SIMTLM_APERTURE 0x10000000000ull

/* What COMMAND_LAUNCH_PROGRAM finds at ADDRESS; the parameters follow it. */
#include <stdint.h>
struct simtlm_launch_descriptor {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared; /* bytes per thread block */
    uint32_t flags;          /* SIMTLM_LAUNCH_... */
};

#endif
