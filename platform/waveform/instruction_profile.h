// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/waveform/instruction_counts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// What every instruction of every kernel has cost (-enable_ptx_file_line_stats): issues, lanes,
/// latency, what warps waited for, transactions, bank conflicts, outcomes in the caches, DRAM
/// traffic. docs/statistics-files.md explains the numbers.
///
/// Sees the GPU only through const accessors and observers, and changes no statistic.
class instruction_profile {
public:
    struct row {
        std::uint64_t pc = 0;
        std::uint32_t line = 0;  ///< of the PTX or the source; 0: not known
        std::string opcode;
        std::string text;    ///< the instruction with its operands; empty for a recorded one
        std::string source;  ///< "file.cu:12", where the program has line numbers
        instruction_counts counts;
    };

    explicit instruction_profile(gpu& device);
    ~instruction_profile();

    /// A launch has ended: its instructions, by PC. They are counted into write()'s file under the
    /// kernel's name, and forgotten.
    std::vector<row> take(std::uint64_t launch, const std::string& name);
    /// Writes the file that AerialVision's source view reads, in GPGPU-Sim's format: a line per
    /// kernel and source line, or PC where the line is not known.
    /// @throws kernel::user_error, kernel::output_error
    void write(const std::string& file) const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// The profile that the options ask for, or nothing. Call it once the GPU is built and before the
/// simulation starts.
std::unique_ptr<instruction_profile> attach_instruction_profile(gpu& device, const run_config& how);

}  // namespace simtlm::platform
