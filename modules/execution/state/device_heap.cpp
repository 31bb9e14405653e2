// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/device_heap.h"

#include "modules/execution/checking/written_map.h"

namespace simtlm::execution {

device_heap::~device_heap() {
    if (base_ != 0) memory_.release(base_);
}

void device_heap::reserve() {
    if (base_ == 0) base_ = memory_.allocate(limit_, 256, "device heap");
}

device_address device_heap::allocate(std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (base_ == 0 || bytes == 0 || bytes > limit_) return 0;
    bytes = (bytes + 15) & ~std::uint64_t{15};
    device_address at = base_;
    for (const auto& [begin, size] : used_) {
        if (begin - at >= bytes) break;
        at = begin + size;
    }
    if (base_ + limit_ - at < bytes) return 0;
    used_[at] = bytes;
    if (memory_.writes() != nullptr) memory_.writes()->clear(at, bytes);
    return at;
}

bool device_heap::release(device_address a) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_.erase(a) != 0;
}

}  // namespace simtlm::execution
