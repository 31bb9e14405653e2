// SPDX-License-Identifier: Apache-2.0
#include "platform/device/status.h"

#include "modules/execution/common/execution_error.h"

namespace simtlm::device {

status status_of_fault(const std::exception& e) {
    const auto* const fault = dynamic_cast<const execution::execution_error*>(&e);
    if (fault == nullptr) return status::launch_failure;
    switch (fault->kind()) {
        case execution::fault_kind::outside_of_allocations:
            return status::illegal_address;
        case execution::fault_kind::misaligned:
            return status::misaligned_address;
        case execution::fault_kind::assertion:
            return status::assertion;
        case execution::fault_kind::illegal_instruction:
            return status::illegal_instruction;
        case execution::fault_kind::other:
            break;
    }
    return status::launch_failure;
}

}  // namespace simtlm::device
