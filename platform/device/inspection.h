// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/program_checker.h"
#include "modules/execution/device_memory.h"
#include "modules/execution/launch.h"
#include "platform/device/debug_output.h"
#include "platform/options/options.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// What the user looks for in programs while they run: --check, and the manual's aids for looking
/// into them. One for all programs of a device.
class inspection {
public:
    /// @param print  writes to stdout
    /// @throws kernel::user_error  an option is at fault, or the file of a log
    inspection(const platform::option_values& values, std::function<void(std::string_view)> print);

    /// Programs have to be loaded with these.
    const execution::check_options& checks() const { return checks_; }
    /// Whether anything is looked for in programs.
    bool finds() const { return checks_.any(); }
    debug_output& debug() { return debug_; }

    /// Device memory keeps from now on what the checks need. Before anything is allocated.
    void prepare(execution::device_memory& memory) const;
    /// A launch is inspected.
    void attach(execution::services& world);
    /// Lines that say what the checks have found since the last call. Not while programs run.
    std::vector<std::string> take_findings();

private:
    debug_output debug_;
    execution::check_options checks_;
    execution::program_checker checker_;
};

}  // namespace simtlm::device
