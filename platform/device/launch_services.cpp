// SPDX-License-Identifier: Apache-2.0
#include "platform/device/launch_services.h"

namespace simtlm::device {

execution::services launch_services::of(const loaded_module& module) {
    execution::services world;
    if (module.allocates()) {
        if (!heap_)
            heap_ =
                std::make_unique<execution::device_heap>(state_.memory.table(), state_.heap_limit);
        heap_->reserve();
        world.heap = heap_.get();
    }
    world.print = state_.print;
    world.stack_limit = state_.stack_limit;
    world.textures = &state_.textures;
    if (state_.inspector != nullptr) state_.inspector->attach(world);
    return world;
}

std::shared_ptr<execution::device_launches> launch_services::launches_of(
    const loaded_module& module, unsigned depth) {
    if (!module.image().launches_kernels()) return nullptr;
    if (!launch_buffers_)
        launch_buffers_ = std::make_shared<execution::device_heap>(
            state_.memory.table(), execution::device_launches::buffer_bytes);
    launch_buffers_->reserve();
    return std::make_shared<execution::device_launches>(launch_buffers_, depth);
}

}  // namespace simtlm::device
