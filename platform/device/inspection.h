// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/program_checker.h"
#include "modules/execution/state/device_memory.h"
#include "modules/execution/state/launch.h"
#include "platform/device/debug_output.h"
#include "platform/options/options.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// Runtime inspection of programs: --check and the debug output of GPGPU-Sim. One object for all
/// programs of a device.
class inspection {
public:
    /// @param print  writes to stdout
    /// @throws support::user_error  for a faulty option or log file
    inspection(const platform::option_values& values, std::function<void(std::string_view)> print);

    /// Checks that programs must be instrumented with when they are loaded.
    const execution::check_options& checks() const { return checks_; }
    /// Returns whether any check of programs is enabled.
    bool finds() const { return checks_.any(); }
    debug_output& debug() { return debug_; }

    /// Enables the bookkeeping in device memory that the checks need. Call before any allocation.
    void prepare(execution::device_memory& memory) const;
    /// Attaches the inspection to a launch.
    void attach(execution::services& world);
    /// Returns the findings since the last call, one per line. Must not be called while programs
    /// run.
    std::vector<std::string> take_findings();

private:
    debug_output debug_;
    execution::check_options checks_;
    execution::program_checker checker_;
};

}  // namespace simtlm::device
