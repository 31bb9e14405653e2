// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace simtlm::execution {

/// The heap for malloc and free in device programs: one allocation of device memory, made at the
/// first use. Thread-safe, because CTAs of several host threads share it.
class device_heap {
public:
    /// @param bytes  option -gpgpu_heap_size_limit
    device_heap(device_memory& memory, std::uint64_t bytes) : memory_(memory), limit_(bytes) {}
    ~device_heap();
    device_heap(const device_heap&) = delete;
    device_heap& operator=(const device_heap&) = delete;

    /// Allocates the memory, before programs run; no effect if called again.
    void reserve();
    /// @return 0 if there is no room
    device_address allocate(std::uint64_t bytes);
    /// @return false: no allocation begins there
    bool release(device_address a);

private:
    device_memory& memory_;
    std::uint64_t limit_;
    device_address base_ = 0;
    std::mutex mutex_;
    std::map<device_address, std::uint64_t> used_;  ///< begin, bytes
};

}  // namespace simtlm::execution
