/* SPDX-License-Identifier: Apache-2.0
 * The firmware of the virtual machine, and the machine as the firmware sees it. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a processor does when it executes a load, a store, "wait for interrupt", or anything else.
 */
struct machine {
    void* self;
    uint32_t (*load)(void* self, uint64_t address);
    void (*store)(void* self, uint64_t address, uint32_t value);
    void (*wait_for_interrupt)(void* self);
    void (*execute)(void* self, unsigned instructions);
};

struct outcome {
    uint32_t gpu_id, kernels, error, interrupts;
    uint64_t core_cycles, thread_instructions;
    uint32_t memory_busy; /* STATUS.memory_busy after everything */
};

/* Launches every kernel of the GPU that is mapped at an address, and waits until memory is quiet.
 */
struct outcome run_firmware(const struct machine* m, uint64_t gpu);

#ifdef __cplusplus
}
#endif

#endif
