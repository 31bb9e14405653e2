// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/child_kernels.h"
#include "platform/device/kernel_launcher.h"

#include <map>
#include <memory>
#include <vector>

namespace simtlm::device {

/// Kernels from their launch to their completion. One that launches kernels (dynamic parallelism)
/// completes when all of these have; if one of them cannot be launched, the kernel that the host
/// has launched has failed.
class kernel_families {
public:
    /// @param completed  receives kernels launched by the host that have completed or failed
    kernel_families(shared_state& state, simulated_gpus& gpus, kernel_launcher& launcher,
                    run_log& log, std::vector<task_ptr>& completed);

    /// Launches a kernel for the host.
    void launch(const task_ptr& t) { launch(t, nullptr); }
    /// The grid of a kernel has ended: launches the kernels that it has launched.
    void grid_ended(const task_ptr& t);
    /// The kernel that the host has launched.
    const task_ptr& root_of(const task_ptr& t) const;
    void clear() { families_.clear(); }

private:
    void launch(const task_ptr& t, const std::shared_ptr<child_kernels>& parent);
    void launch_children(const std::shared_ptr<child_kernels>& parent,
                         const std::vector<task_ptr>& children);
    void complete(const task_ptr& t);

    shared_state& state_;
    simulated_gpus& gpus_;
    kernel_launcher& launcher_;
    run_log& log_;
    std::vector<task_ptr>& completed_;
    /// Kernels that may launch kernels, and those that they have launched, until they complete.
    std::map<task_ptr, std::shared_ptr<child_kernels>> families_;
};

}  // namespace simtlm::device
