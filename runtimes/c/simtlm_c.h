/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A GPU with a C interface, in libsimtlm_c.so: for simulators and scripts that do not use SystemC,
 * or another version of it. The library has a SystemC of its own: a process that has another loads
 * it with dlmopen(LM_ID_NEWLM, ...). See docs/cosimulation.md; simtlm_registers.h has the register
 * map.
 *
 * A process has one GPU. Functions are called by one thread. Those that return int return 0 for
 * success; otherwise simtlm_message() reports why. Times are in femtoseconds. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Incremented when a function changes; functions may be added. */
#define SIMTLM_C_VERSION 1
uint32_t simtlm_version(void);

typedef struct simtlm_gpu simtlm_gpu;

/* Serves a request of a memory channel: reads or writes `bytes` bytes at the device address, or
 * models their time only. Must not call functions of this header. Returns the time that the request
 * takes. */
typedef uint64_t (*simtlm_memory)(void* user, int write, uint64_t address, unsigned char* data,
                                  uint32_t bytes);
/* Called when the interrupt line changes. Must not call functions of this header. */
typedef void (*simtlm_interrupt)(void* user, int level);

/* Creates a GPU from `count` options of the program simtlm: {"--preset", "QV100"}. NULL if they do
 * not describe one, or the process has one; see simtlm_message(NULL). config_folder: the presets;
 * NULL: where the library knows. */
simtlm_gpu* simtlm_create(const char* const* options, uint32_t count, const char* config_folder);
void simtlm_destroy(simtlm_gpu* gpu);

/* Why the last call has failed; empty if it has not. Valid until the next call. */
const char* simtlm_message(const simtlm_gpu* gpu);

/* Both before the first call of a function below. A channel without a memory has the built-in DRAM.
 */
int simtlm_bind_memory(simtlm_gpu* gpu, uint32_t channel, simtlm_memory serve, void* user);
int simtlm_bind_interrupt(simtlm_gpu* gpu, simtlm_interrupt changed, void* user);

/* Makes the kernels of a kernelslist.g launchable. first: the number of the first one, for the
 * register KERNEL. */
int simtlm_load_traces(simtlm_gpu* gpu, const char* kernelslist, uint32_t* first, uint32_t* count);

/* An access to registers or to the aperture of device memory, which takes simulated time. */
int simtlm_read(simtlm_gpu* gpu, uint64_t address, void* data, uint32_t bytes);
int simtlm_write(simtlm_gpu* gpu, uint64_t address, const void* data, uint32_t bytes);

/* Simulates until a time, or until the interrupt line rises. */
int simtlm_run_until(simtlm_gpu* gpu, uint64_t time);
uint64_t simtlm_time(const simtlm_gpu* gpu);

/* A statistic of docs/statistics.md. */
int simtlm_statistic(simtlm_gpu* gpu, const char* name, double* value);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
