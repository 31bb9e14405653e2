// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"

#include <string>

namespace simtlm::platform {

/// The message with which `action` refuses; empty when it does not.
template <typename Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const kernel::user_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace simtlm::platform
