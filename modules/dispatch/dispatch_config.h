// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace simtlm::dispatch {

/// Parameters of command processor, kernel manager and CTA scheduler.
struct dispatch_config {
    unsigned kernel_launch_latency = 0;  ///< core cycles, -gpgpu_kernel_launch_latency
    unsigned block_launch_latency = 0;   ///< core cycles per thread block, -gpgpu_TB_launch_latency
    /// Interval between two CTAs placed on the whole GPU, in thousandths of core cycles; 0: every
    /// cluster may get one per cycle. -gpgpu_cta_launch_interval
    unsigned cta_launch_interval = 0;
    /// Order in which clusters get thread blocks, each cluster once; empty: by number.
    /// -gpgpu_cta_order
    std::vector<unsigned> cluster_order;
    /// A CTA goes to the SM that has room for the largest number of CTAs of its kernel; among
    /// equals, to the first in the order of clusters. Otherwise the clusters are served round
    /// robin. -gpgpu_cta_placement
    bool by_capacity = false;
    unsigned max_concurrent_kernels = 8;     ///< -gpgpu_max_concurrent_kernel
    bool concurrent_kernels_per_sm = false;  ///< -gpgpu_concurrent_kernel_sm
    /// Kernels of different streams run serially unless an SM may hold several kernels (quirk
    /// serial-kernels).
    bool serial_kernels = false;
    std::uint64_t max_cycles = 0;        ///< core cycles, 0 = no limit (-gpgpu_max_cycle)
    std::uint64_t max_instructions = 0;  ///< thread instructions (-gpgpu_max_insn)
    std::uint64_t max_ctas = 0;          ///< issued (-gpgpu_max_cta)
    std::uint64_t max_completed_ctas = 0;
    bool deadlock_detect = true;            ///< -gpgpu_deadlock_detect
    std::uint64_t deadlock_window = 50000;  ///< core cycles without an instruction
};

}  // namespace simtlm::dispatch
