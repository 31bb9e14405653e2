// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::opencl {

/// A block of slices and rows of bytes at an address.
struct place {
    std::uint64_t address = 0;
    std::size_t row_pitch = 0, slice_pitch = 0;
};

/// Copies a block; `region` is in bytes, rows and slices.
device::task_ptr copy_task(session& s, const place& to, const place& from,
                           const std::array<std::size_t, 3>& region);

/// Fills a block with a repeated pattern; `region` is in bytes, rows and slices, and rows are
/// multiples of the pattern.
device::task_ptr fill_task(session& s, const place& to, const std::array<std::size_t, 3>& region,
                           std::vector<std::byte> pattern);

/// Device address of host memory, which is the same.
inline std::uint64_t address_of(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}

/// Executes a task outside of queues and waits for it. @throws error  if the device has failed
void carry_out(session& s, const device::task_ptr& t);

}  // namespace simtlm::opencl
