// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/debugger/debugger_options.h"

#include <functional>
#include <memory>
#include <string_view>

namespace simtlm::platform {

class gpu;

/// Prints the activity of GPU components as described under debug tracing in the GPGPU-Sim manual
/// (-trace_enabled): one line per event, "GPGPU-Sim Cycle N: COMPONENT - Core 0 - ...". It observes
/// the GPU from outside and changes no statistics.
class trace_stream_printer {
public:
    /// Construct after the GPU has been built and before the simulation starts.
    trace_stream_printer(gpu& device, const stream_config& what,
                         std::function<void(std::string_view)> write);
    ~trace_stream_printer();

    /// The run has ended: prints the events of the last cycle.
    void finish();

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Returns the printer that the options request, or nullptr.
std::unique_ptr<trace_stream_printer> attach_trace_streams(
    gpu& device, const stream_config& what, std::function<void(std::string_view)> write);

}  // namespace simtlm::platform
