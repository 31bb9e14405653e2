// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/debugger/debugger.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace simtlm::platform {

class gpu;

/// Access to the programs that a GPU runs; empty for traces.
struct program_access {
    /// Copies bytes of device memory. @return false if they are not allocated
    std::function<bool(std::uint64_t address, std::size_t bytes, std::byte* to)> read;
    /// Looks up variables and buffers by name.
    std::function<std::optional<memory_range>(const std::string& name)> symbol;
};

/// Debugger for a simulated GPU. It stops between two steps of the GPU clocks, inside sc_start(),
/// and accesses the GPU only through const functions and observers, so cycles and statistics are
/// the same as without it. While it exists, Control-C stops at the next core cycle.
class gpu_debugger {
public:
    /// Construct after the GPU has been built and before the simulation starts.
    /// @param how  see debugger::services
    gpu_debugger(gpu& device, std::unique_ptr<command_input> input, debugger::services how,
                 program_access programs = {});
    ~gpu_debugger();

    /// Prompts for the first commands, before anything has run.
    void begin();
    /// Prompts for the last commands, at the end of the run.
    void end();

private:
    class target;
    std::unique_ptr<target> target_;
};

}  // namespace simtlm::platform
