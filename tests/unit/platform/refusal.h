// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <string>

namespace simtlm::platform {

/// The error message of `action`; empty if it does not throw.
template <typename Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const support::user_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace simtlm::platform
