// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "platform/config/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm {

/// A command list that has been looked through before the run.
struct workload {
    std::vector<dispatch::host_command> commands;
    std::vector<std::string> kernel_files;  ///< each once
    std::uint64_t kernels = 0;
    std::uint64_t ctas = 0;
    std::vector<std::string> warnings;  ///< odd values in headers
    /// Kernels that cannot run on the configured GPU, a line each.
    std::vector<std::string> refusals;
};

/// Reads the list of config.run.trace and the header of every kernel in it.
/// @throws kernel::user_error when the list cannot be read
workload read_workload(const platform::gpu_config& config);

}  // namespace simtlm
