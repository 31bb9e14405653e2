// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu.h"
#include "platform/sampling/kernel_sampler.h"
#include "platform/sampling/rate_monitor.h"
#include "sc_main/workload.h"

#include <cstdint>
#include <map>
#include <memory>

namespace simtlm {

/// A run of recorded kernels by samples (--sample, --sample-stable): chooses kernels before it,
/// measures them, and prints the projection after the last.
class sampled_run {
public:
    /// Leaves in the workload those kernels that are simulated. In front of one that would have
    /// found its code and data in the L2, copies that put them there.
    /// @throws kernel::user_error  kernels of several streams, which may run at the same time
    sampled_run(const platform::sampling_options& how, const platform::gpu_config& config,
                workload& work);

    /// The GPU is built; nothing has run.
    void attach(platform::gpu& device);
    /// A kernel has ended; between steps.
    void kernel_ended(const dispatch::finished_kernel& kernel);
    /// All have: prints the projection, and writes its file.
    /// @throws kernel::output_error
    void finish() const;

private:
    platform::sampling_options how_;
    platform::kernel_sampler sampler_;
    std::map<std::uint64_t, std::size_t> number_;  // by place in the list
    platform::gpu* device_ = nullptr;
    std::unique_ptr<platform::rate_monitor> monitor_;
    std::uint64_t cycles_ = 0;  // when the last kernel ended
};

}  // namespace simtlm
