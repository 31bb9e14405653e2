// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::opencl {

/// Rows of rows of bytes at an address.
struct place {
    std::uint64_t address = 0;
    std::size_t row_pitch = 0, slice_pitch = 0;
};

/// A copy of a block; `region` is bytes, rows, slices.
device::task_ptr copy_task(session& s, const place& to, const place& from,
                           const std::array<std::size_t, 3>& region);

/// Fills a block with a pattern, again and again; `region` is bytes, rows, slices, and rows are
/// whole patterns.
device::task_ptr fill_task(session& s, const place& to, const std::array<std::size_t, 3>& region,
                           std::vector<std::byte> pattern);

inline std::uint64_t address_of(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}

/// Waits until a task is done, which is in no queue. @throws error  the device has failed
void carry_out(session& s, const device::task_ptr& t);

}  // namespace simtlm::opencl
