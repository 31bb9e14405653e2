// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/check_options.h"
#include "modules/execution/checking/findings.h"

namespace simtlm::execution {

/// The enabled checks of a device and their findings. Programs must be loaded with the same
/// options; device memory must maintain the state required by the checks
/// (device_memory::track_writes, device_memory::keep_apart).
struct program_checker {
    explicit program_checker(const check_options& what) : options(what) {}

    const check_options options;
    findings found;
};

}  // namespace simtlm::execution
