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

/// A command list whose kernel headers have been read and checked.
struct workload {
    std::vector<dispatch::host_command> commands;
    /// Called when all commands are done: performs functional execution that is due, if any, and
    /// returns the next commands; none at the end. Empty: nothing follows `commands`.
    std::function<std::vector<dispatch::host_command>()> next;
    std::vector<std::string> kernel_files;  ///< unique
    /// Traits from the headers of traced kernels, by file.
    std::map<std::string, platform::kernel_traits> headers;
    std::uint64_t kernels = 0;
    std::uint64_t ctas = 0;
    std::vector<std::string> warnings;  ///< unusual values in headers
    /// Reasons why kernels cannot run on the configured GPU, one line each.
    std::vector<std::string> refusals;
};

/// Reads the list of config.run.trace and the header of every selected kernel. Selections in the
/// list itself are added to the configuration.
/// @throws support::user_error  if the list cannot be read
workload read_workload(platform::gpu_config& config);

}  // namespace simtlm
