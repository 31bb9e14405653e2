// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_launches.h"
#include "platform/device/task.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::device {

/// A kernel and the kernels, copies and fills that it has launched (dynamic parallelism). The
/// latter begin when its own grid has ended, those of one thread block and stream one after the
/// other. Launches into the tail stream follow when all others have completed, with all their
/// descendants.
class child_kernels {
public:
    /// @param requested  receives the launches; nullptr if the kernel cannot launch
    child_kernels(task_ptr kernel, std::shared_ptr<child_kernels> parent,
                  std::shared_ptr<execution::device_launches> requested)
        : kernel_(std::move(kernel)),
          parent_(std::move(parent)),
          requested_(std::move(requested)) {}

    const task_ptr& kernel() const { return kernel_; }
    /// nullptr: the host has launched the kernel
    const std::shared_ptr<child_kernels>& parent() const { return parent_; }
    /// The kernel launched by the host.
    const task_ptr& root() const { return parent_ ? parent_->root() : kernel_; }

    /// 0: launched by the host
    unsigned depth() const { return parent_ ? parent_->depth() + 1 : 0; }

    /// The grid has ended. @return the kernels that begin now
    std::vector<task_ptr> grid_ended();
    /// A child and all its descendants have completed. @return the kernels that begin now
    std::vector<task_ptr> child_ended(const task_ptr& child);
    /// A child could not be launched: those that have not begun will not.
    void abandon(const task_ptr& child);
    /// Whether no child runs, so that the kernel has completed, once its grid has ended.
    bool completed() const { return running_.empty(); }

private:
    /// A thread block and a stream.
    using chain = std::pair<std::uint64_t, std::uint64_t>;

    void begin(const execution::device_launch& l, const chain& in, std::vector<task_ptr>& begun);

    task_ptr kernel_;
    std::shared_ptr<child_kernels> parent_;
    std::shared_ptr<execution::device_launches> requested_;
    std::map<chain, std::deque<execution::device_launch>> waiting_;
    std::deque<execution::device_launch> tails_;
    std::map<task_ptr, chain> running_;
};

}  // namespace simtlm::device
