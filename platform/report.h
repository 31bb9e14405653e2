// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace simtlm::platform {

/// One figure of the report, under the name that GPGPU-Sim prints.
struct figure {
    std::string name;
    double value = 0;
    bool whole = true;  ///< an integer
};

/// What had been counted when the last report was made: figures per kernel are differences.
struct report_baseline {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t requests = 0, replies = 0, request_cycles = 0;  // memory partitions
    std::uint64_t occupied_slots = 0, slots = 0;
};

/// Everything the GPU has counted, in the order in which it is printed. Call between steps.
/// @param last  the report before; brought up to date
std::vector<figure> collect_figures(gpu& device, report_baseline& last);

/// Prints what GPGPU-Sim prints after a kernel.
void write_report(std::ostream& out, const std::vector<figure>& figures,
                  const dispatch::finished_kernel* kernel);

}  // namespace simtlm::platform
