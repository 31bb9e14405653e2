// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_memory.h"

#include <cstdint>
#include <functional>
#include <string>

namespace simtlm::execution {

struct formatted_text {
    std::string text;
    int arguments = 0;  ///< what printf of a device returns
};

/// printf of device programs: the rules of C's, but that arguments lie packed in memory, each at a
/// multiple of its size.
/// @param read    reads bytes of the arguments from an offset on
/// @param string  reads what a %s points to
formatted_text format_device_text(
    const std::string& format,
    const std::function<void(std::uint64_t offset, void* to, std::uint32_t bytes)>& read,
    const std::function<std::string(device_address)>& string);

}  // namespace simtlm::execution
