// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::opencl {

/// The largest alignment of a type, that of long16: bytes. Local arguments have it.
constexpr std::uint32_t local_alignment = 128;

/// What a device can hold at most: sizes in bytes, images in elements.
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
