// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <cmath>

namespace simtlm::platform {

void read_dispatch(const option_values& v, dispatch::dispatch_config& d) {
    d.kernel_launch_latency = v.number("-gpgpu_kernel_launch_latency");
    d.block_launch_latency = v.number("-gpgpu_TB_launch_latency");
    const double interval = v.real("-gpgpu_cta_launch_interval");
    if (!(interval >= 0 && interval <= 1000))
        v.fail("-gpgpu_cta_launch_interval", "is not possible", "0 to 1000 core cycles");
    d.cta_launch_interval = static_cast<unsigned>(std::lround(interval * 1000));
    d.max_concurrent_kernels = v.number("-gpgpu_max_concurrent_kernel", 1);
    d.concurrent_kernels_per_sm = v.flag("-gpgpu_concurrent_kernel_sm");
    d.max_cycles = v.natural("-gpgpu_max_cycle");
    d.max_instructions = v.natural("-gpgpu_max_insn");
    d.max_ctas = v.natural("-gpgpu_max_cta");
    d.max_completed_ctas = v.natural("-gpgpu_max_completed_cta");
    d.deadlock_detect = v.flag("-gpgpu_deadlock_detect");
}

}  // namespace simtlm::platform
