// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"

#include <cstdint>
#include <functional>
#include <string>

namespace simtlm::execution {

/// Result of format_device_text().
struct formatted_text {
    std::string text;
    int arguments = 0;  ///< return value of the device's printf
};

/// printf of device programs: as in C, but with arguments packed in memory, each aligned to its
/// size.
/// @param read    reads bytes of the arguments from an offset
/// @param string  reads the string to which a %s argument points
formatted_text format_device_text(
    const std::string& format,
    const std::function<void(std::uint64_t offset, void* to, std::uint32_t bytes)>& read,
    const std::function<std::string(device_address)>& string);

}  // namespace simtlm::execution
