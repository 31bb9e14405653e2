// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional.h"
#include "platform/debugger/debugger.h"

#include <memory>
#include <string>

namespace simtlm::platform {

/// The debugger of programs that are executed without time, PTX or machine code: it stops before
/// an instruction of a warp, and its cycles are warp instructions. Thread blocks run one after the
/// other, and take the place of SMs: a warp is CTA:WARP.
class functional_debugger final : public execution::execution_observer {
public:
    /// @param memory  of the programs, as long as this object
    /// @param symbol  variables and buffers by name
    functional_debugger(const execution::device_memory& memory,
                        std::function<std::optional<memory_range>(const std::string& name)> symbol,
                        std::unique_ptr<command_input> input, debugger::services how);
    ~functional_debugger() override;

    /// Nothing has run yet: the first commands.
    void begin();
    /// A launch begins, and ends. @param launch  from 1
    void launch_begins(const execution::launch& l, std::uint64_t launch);
    void launch_ended();
    /// The run has come to its end: the last commands.
    void end();

    void about_to_execute(execution::warp& w, const execution::operation& op) override;

private:
    class target;
    std::unique_ptr<target> target_;
};

}  // namespace simtlm::platform
