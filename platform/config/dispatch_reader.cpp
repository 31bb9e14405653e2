// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

namespace simtlm::platform {

void read_dispatch(const option_values& v, dispatch::dispatch_config& d) {
    d.kernel_launch_latency = v.number("-gpgpu_kernel_launch_latency");
    d.block_launch_latency = v.number("-gpgpu_TB_launch_latency");
    d.max_concurrent_kernels = v.number("-gpgpu_max_concurrent_kernel", 1);
    d.concurrent_kernels_per_sm = v.flag("-gpgpu_concurrent_kernel_sm");
    d.max_cycles = v.natural("-gpgpu_max_cycle");
    d.max_instructions = v.natural("-gpgpu_max_insn");
    d.max_ctas = v.natural("-gpgpu_max_cta");
    d.max_completed_ctas = v.natural("-gpgpu_max_completed_cta");
    d.deadlock_detect = v.flag("-gpgpu_deadlock_detect");
}

}  // namespace simtlm::platform
