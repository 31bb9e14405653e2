// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "platform/debugger/debugger.h"

#include <memory>
#include <string>

namespace simtlm::platform {

/// Debugger for programs executed in functional mode, PTX or machine code. It stops before an
/// instruction of a warp, and its time unit is the warp instruction. Thread blocks run one at a
/// time and take the place of SMs: a warp is identified by CTA:WARP.
class functional_debugger final : public execution::execution_observer {
public:
    /// @param memory  of the programs; must outlive this object
    /// @param symbol  looks up variables and buffers by name
    functional_debugger(const execution::device_memory& memory,
                        std::function<std::optional<memory_range>(const std::string& name)> symbol,
                        std::unique_ptr<command_input> input, debugger::services how);
    ~functional_debugger() override;

    /// Prompts for the first commands, before anything has run.
    void begin();
    /// Begin and end of a launch. @param launch  number, from 1
    void launch_begins(const execution::launch& l, std::uint64_t launch);
    void launch_ended();
    /// Prompts for the last commands, at the end of the run.
    void end();

    void about_to_execute(execution::warp& w, const execution::operation& op) override;

private:
    class target;
    std::unique_ptr<target> target_;
};

}  // namespace simtlm::platform
