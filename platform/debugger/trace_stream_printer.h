// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/debugger/debugger_options.h"

#include <functional>
#include <memory>
#include <string_view>

namespace simtlm::platform {

class gpu;

/// Prints what components of a GPU do, as the manual's debug tracing does (-trace_enabled): a line
/// per event, "GPGPU-Sim Cycle N: COMPONENT - Core 0 - ...". Sees the GPU only through observers,
/// and changes no statistic.
class trace_stream_printer {
public:
    /// To be made when the GPU is built, before the simulation starts.
    trace_stream_printer(gpu& device, const stream_config& what,
                         std::function<void(std::string_view)> write);
    ~trace_stream_printer();

    /// The run has ended: tells what its last cycle has done.
    void finish();

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// The printer that the options ask for, or nothing.
std::unique_ptr<trace_stream_printer> attach_trace_streams(
    gpu& device, const stream_config& what, std::function<void(std::string_view)> write);

}  // namespace simtlm::platform
