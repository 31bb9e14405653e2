// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "platform/config/config.h"
#include "platform/sampling/kernel_traits.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace simtlm {

/// A command list that has been looked through before the run.
struct workload {
    std::vector<dispatch::host_command> commands;
    /// Asked when all commands are done: does what comes next without time, if anything, and gives
    /// the commands after that; none at the end. Empty: there is nothing after `commands`.
    std::function<std::vector<dispatch::host_command>()> next;
    std::vector<std::string> kernel_files;  ///< each once
    /// By file: what the header of a recorded kernel tells.
    std::map<std::string, platform::kernel_traits> headers;
    std::uint64_t kernels = 0;
    std::uint64_t ctas = 0;
    std::vector<std::string> warnings;  ///< odd values in headers
    /// Why kernels cannot run on the configured GPU, a line for each reason.
    std::vector<std::string> refusals;
};

/// Reads the list of config.run.trace and the header of every kernel in it that is chosen. What the
/// list itself chooses is added to the configuration.
/// @throws kernel::user_error when the list cannot be read
workload read_workload(platform::gpu_config& config);

}  // namespace simtlm
