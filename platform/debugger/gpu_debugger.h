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

/// What a debugger may ask of programs that a GPU runs; nothing of traces.
struct program_access {
    /// Copies bytes of device memory. @return false: they are not allocated
    std::function<bool(std::uint64_t address, std::size_t bytes, std::byte* to)> read;
    /// Variables and buffers by name.
    std::function<std::optional<memory_range>(const std::string& name)> symbol;
};

/// The debugger of a simulated GPU. It stops between two steps of the GPU's clocks, inside of
/// sc_start(), and sees the GPU only through const accessors and observers: cycles and statistics
/// are those of a run without it. While it exists, Control-C stops at the next core cycle.
class gpu_debugger {
public:
    /// To be made when the GPU is built, before the simulation starts.
    /// @param how  see debugger::services
    gpu_debugger(gpu& device, std::unique_ptr<command_input> input, debugger::services how,
                 program_access programs = {});
    ~gpu_debugger();

    /// Nothing has run yet: the first commands.
    void begin();
    /// The run has come to its end: the last commands.
    void end();

private:
    class target;
    std::unique_ptr<target> target_;
};

}  // namespace simtlm::platform
