/* SPDX-License-Identifier: Apache-2.0
 * A bare-metal driver: C and the register map, nothing else. */
#include "firmware.h"

#include <simtlm/simtlm_registers.h>

static uint32_t load(const struct machine* m, uint64_t address) {
    return m->load(m->self, address);
}

static void store(const struct machine* m, uint64_t address, uint32_t value) {
    m->store(m->self, address, value);
}

static uint64_t counter(const struct machine* m, uint64_t address) {
    const uint32_t low = load(m, address); /* latches the other half */
    return (uint64_t)load(m, address + 4) << 32 | low;
}

static void submit(const struct machine* m, uint64_t gpu, uint32_t command, uint32_t kernel) {
    while (load(m, gpu + SIMTLM_QUEUE_SPACE) == 0) m->execute(m->self, 1000);
    store(m, gpu + SIMTLM_COMMAND(0), command);
    store(m, gpu + SIMTLM_KERNEL(0), kernel);
    store(m, gpu + SIMTLM_STREAM(0), SIMTLM_ANY_STREAM);
    store(m, gpu + SIMTLM_DOORBELL(0), 1);
}

struct outcome run_firmware(const struct machine* m, uint64_t gpu) {
    struct outcome o = {0};
    uint32_t k;
    o.gpu_id = load(m, gpu + SIMTLM_ID);
    o.kernels = load(m, gpu + SIMTLM_KERNELS);
    for (k = 0; k < o.kernels; ++k) {
        m->execute(m->self, 200); /* prepares the kernel's parameters */
        submit(m, gpu, SIMTLM_COMMAND_LAUNCH, k);
    }
    submit(m, gpu, SIMTLM_COMMAND_SYNCHRONISE, 0);
    store(m, gpu + SIMTLM_IRQ_CLEAR, ~0u);
    store(m, gpu + SIMTLM_IRQ_ENABLE, SIMTLM_IRQ_IDLE | SIMTLM_IRQ_FAULT);
    while ((load(m, gpu + SIMTLM_STATUS) & SIMTLM_STATUS_BUSY) != 0) {
        m->wait_for_interrupt(m->self);
        ++o.interrupts;
        store(m, gpu + SIMTLM_IRQ_CLEAR, SIMTLM_IRQ_IDLE | SIMTLM_IRQ_FAULT);
    }
    o.error = load(m, gpu + SIMTLM_ERROR);
    o.memory_busy = load(m, gpu + SIMTLM_STATUS) & SIMTLM_STATUS_MEMORY_BUSY;
    o.core_cycles = counter(m, gpu + SIMTLM_CORE_CYCLES_LO);
    o.thread_instructions = counter(m, gpu + SIMTLM_THREAD_INSTRUCTIONS_LO);
    return o;
}
