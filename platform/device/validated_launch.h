// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system_config.h"
#include "platform/device/task.h"

namespace simtlm::device {

/// A launch that the GPUs can execute. The shape of its grid and blocks is complete, and its kernel
/// is fitted to the block size (loaded_module::fitted()).
class validated_launch {
public:
    /// Rejects a launch with the error that the API call returns. @throws failure
    validated_launch(const system_config& config, launch_request request);

    const launch_request& request() const { return request_; }
    /// A task that executes the launch; may be called repeatedly, for graphs.
    task_ptr make_task(unsigned device) const;

private:
    void check_shape() const;
    /// Shared memory, registers, resident blocks and clusters. Fits the kernel.
    void check_resources(const system_config& config);
    void check_timing(const system_config& config) const;
    [[noreturn]] void reject(status code, const std::string& why) const;

    launch_request request_;
};

}  // namespace simtlm::device
