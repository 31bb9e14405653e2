// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_blocks.h"
#include "platform/sampling/kernel_sampler.h"
#include "platform/sampling/rate_monitor.h"
#include "sc_main/workload.h"

#include <cstdint>
#include <map>
#include <memory>

namespace simtlm {

/// A run of traced kernels by samples (--sample, --sample-stable): chooses the kernels, measures
/// them, and prints the projection after the last one.
class sampled_run {
public:
    /// Reduces the workload to the kernels that are simulated. A kernel whose code and data would
    /// have been in the L2 is preceded by copies that place them there.
    /// @throws support::user_error  for kernels of several streams, which may run concurrently
    sampled_run(const platform::sampling_options& how, const platform::gpu_config& config,
                workload& work);

    /// Attaches to the GPU after it has been built, before anything runs.
    void attach(platform::gpu& device);
    /// A kernel has ended. Call between steps.
    void kernel_ended(const dispatch::finished_kernel& kernel);
    /// The projection, when all kernels have ended.
    std::string text() const;
    /// Writes the file of the projection. @throws support::output_error
    void write() const;

private:
    platform::sampling_options how_;
    platform::kernel_sampler sampler_;
    std::map<std::uint64_t, std::size_t> number_;  // by position in the list
    platform::gpu* device_ = nullptr;
    std::unique_ptr<platform::rate_monitor> monitor_;
    std::uint64_t cycles_ = 0;  // end time of the last kernel
};

}  // namespace simtlm
