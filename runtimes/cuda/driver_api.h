// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/runtime_api.h"

namespace simtlm::cuda {

/// A call of the driver API.
template <class Act>
result driver_call(const char* name, Act&& act) noexcept {
    return call<library_kind::driver>(name, after_fault::refused, [&](session& s) {
        act(s);
        return status::success;
    });
}

}  // namespace simtlm::cuda
