// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/check_options.h"
#include "modules/execution/checking/findings.h"

namespace simtlm::execution {

/// What a device checks while programs run, and what it has found. Programs have to be loaded with
/// the same options; device memory has to keep what the checks need (device_memory::track_writes,
/// device_memory::keep_apart).
struct program_checker {
    explicit program_checker(const check_options& what) : options(what) {}

    const check_options options;
    findings found;
};

}  // namespace simtlm::execution
