// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace simtlm::execution {

/// Deleter of memory for lanes, which is aligned for the host's widest vectors.
struct lane_buffer_deleter {
    void operator()(std::byte* p) const { std::free(p); }
};
using lane_buffer = std::unique_ptr<std::byte[], lane_buffer_deleter>;

/// Allocates zeroed memory for lanes.
inline lane_buffer make_lane_buffer(std::size_t bytes) {
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    void* const p = std::aligned_alloc(64, rounded == 0 ? 64 : rounded);
    if (p == nullptr) throw std::bad_alloc();
    std::memset(p, 0, rounded);
    return lane_buffer(static_cast<std::byte*>(p));
}

}  // namespace simtlm::execution
