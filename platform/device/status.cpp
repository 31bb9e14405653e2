// SPDX-License-Identifier: Apache-2.0
#include "platform/device/status.h"

namespace simtlm::device {

status status_of_fault(const std::string& message) {
    const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
    if (says("assertion `")) return status::assertion;
    if (says("outside of all allocations")) return status::illegal_address;
    if (says("is not a multiple of")) return status::misaligned_address;
    if (says("this instruction is not executed")) return status::illegal_instruction;
    return status::launch_failure;
}

}  // namespace simtlm::device
