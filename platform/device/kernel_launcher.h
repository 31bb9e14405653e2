// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/launch_selection.h"
#include "platform/device/launch_services.h"
#include "platform/device/run_log.h"
#include "platform/device/simulated_gpus.h"
#include "platform/device/timed_checkpoint.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace simtlm::device {

/// Makes the kernel of a validated launch and submits it to its GPU; keeps the kernels in progress
/// there.
class kernel_launcher {
public:
    kernel_launcher(shared_state& state, const platform::gpu_config& config, simulated_gpus& gpus,
                    launch_selection& selection, host_checkpoint& checkpoint,
                    timed_checkpoint& replay, run_log& log);

    struct result {
        /// Collects the launches by the kernel; nullptr: it launches none.
        std::shared_ptr<execution::device_launches> launches;
        bool has_ended = false;  ///< executed in functional mode
    };
    /// Launches a kernel. @param depth  0: by the host  @throws support::user_error
    result launch(const task_ptr& t, unsigned depth);

    /// The kernel in progress with a launch number; nullptr if there is none.
    task_ptr find(std::uint64_t launch) const;
    /// Removes a kernel that has ended on its GPU.
    void remove(std::uint64_t launch) { running_.erase(launch); }
    /// Kernels in progress by launch number.
    const std::map<std::uint64_t, task_ptr>& running() const { return running_; }
    void clear() { running_.clear(); }
    /// Number of launches so far.
    std::uint32_t launches() const { return launches_; }
    /// Task numbers of the kernels in progress.
    std::vector<std::uint64_t> open() const;

private:
    execution::services services_of(const task& t);
    std::shared_ptr<program::kernel_source> make_kernel(const task& t, const execution::launch& l,
                                                        const execution::services& world);
    void submit(const task& t, std::shared_ptr<program::kernel_source> kernel);

    shared_state& state_;
    const platform::gpu_config& config_;
    simulated_gpus& gpus_;
    launch_selection& selection_;
    host_checkpoint& checkpoint_;
    timed_checkpoint& replay_;
    run_log& log_;
    std::vector<launch_services> services_;  ///< by device
    std::map<std::uint64_t, task_ptr> running_;
    std::uint32_t launches_ = 0;
};

}  // namespace simtlm::device
