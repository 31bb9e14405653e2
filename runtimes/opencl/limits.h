// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::opencl {

/// Alignment of local arguments in bytes: the largest of any type, that of long16.
constexpr std::uint32_t local_alignment = 128;

/// Limits of a device: sizes in bytes, image extents in elements.
struct limits {
    std::size_t work_group = 1024;  ///< work items
    std::uint64_t allocation = 0;
    std::uint64_t local = 0;
    std::uint64_t l2_bytes = 0;
    std::size_t image_2d = 16384, image_3d = 2048, image_layers = 2048;
    std::size_t image_buffer = std::size_t{1} << 27;

    static limits of(const device::system_config& c);
};

}  // namespace simtlm::opencl
