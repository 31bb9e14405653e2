// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/program/kernel_descriptor.h"
#include "modules/trace/kernel_trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// What a kernel executes, as far as it is known before it runs.
struct kernel_traits {
    std::string name;
    program::dim3 grid, block;
    std::uint32_t shared_memory = 0;  ///< bytes per CTA
    std::uint32_t registers = 0;      ///< per thread
    std::uint64_t stream = 0;         ///< that it was recorded in
    double instructions = 0;          ///< warp instructions of a CTA; 0: not known
    double longest_warp = 0;          ///< instructions of the longest of its warps; 0: not known
    std::array<double, program::op_class_count> mix{};  ///< shares of the instructions, by class
    double footprint = 0;  ///< bytes of global memory that a CTA touches
    double recorded = 0;   ///< bytes of the text of its recording; 0: not known

    /// Warp instructions of the whole kernel, estimated: by the size of its recording, or by its
    /// first CTAs; of programs, whose instructions are not known, their threads.
    double work() const;
};

/// Whether name, grid, block and demand of shared memory and registers are the same.
bool same_launch(const kernel_traits& a, const kernel_traits& b);

/// What the header of a recorded kernel tells of it; nothing is known of its instructions.
kernel_traits traits_of_header(const trace::kernel_header& h);

/// The traits of a recorded kernel: its header, and what its first thread blocks execute.
/// @throws kernel::user_error
kernel_traits traits_of_trace(const std::string& file, const trace::reader_options& options);

/// An area of device memory: address and bytes.
using memory_area = std::pair<std::uint64_t, std::uint64_t>;

/// The sectors of memory that a recorded kernel touches, code included, joined to areas, by
/// address; nothing when they are more than so many bytes. @throws kernel::user_error
std::optional<std::vector<memory_area>> areas_of_trace(const std::string& file,
                                                       const trace::reader_options& options,
                                                       std::uint64_t most_bytes);

}  // namespace simtlm::platform
