// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_heap.h"
#include "modules/execution/state/device_launches.h"
#include "platform/device/engine.h"
#include "platform/device/loaded_module.h"

#include <memory>

namespace simtlm::device {

/// What the programs of one GPU use besides its memory. Memory for malloc and for launches by
/// kernels is reserved for the first launch that needs it. Used while the memory gate is held.
class launch_services {
public:
    explicit launch_services(shared_state& state) : state_(state) {}

    /// The services that do not depend on the engine, except `launches`.
    execution::services of(const loaded_module& module);
    /// Collects the launches by a kernel; nullptr if its module launches none.
    /// @param depth  of the kernel: 0 if it was launched by the host
    std::shared_ptr<execution::device_launches> launches_of(const loaded_module& module,
                                                            unsigned depth);

private:
    shared_state& state_;
    std::unique_ptr<execution::device_heap> heap_;
    std::shared_ptr<execution::device_heap> launch_buffers_;  ///< parameters of launches by kernels
};

}  // namespace simtlm::device
