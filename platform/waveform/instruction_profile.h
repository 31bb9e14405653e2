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

/// Cost of every instruction of every kernel (-enable_ptx_file_line_stats): issues, active lanes,
/// latency, wait reasons, transactions, bank conflicts, cache outcomes, DRAM traffic.
/// docs/statistics-files.md describes the values.
///
/// It accesses the GPU only through const functions and observers and changes no statistics.
class instruction_profile {
public:
    /// An instruction and its counts.
    struct row {
        std::uint64_t pc = 0;
        std::uint32_t line = 0;  ///< of the PTX or the source; 0: unknown
        std::string opcode;
        std::string text;    ///< the instruction with its operands; empty for traces
        std::string source;  ///< "file.cu:12", if the program has line information
        instruction_counts counts;
        /// Energy by component, pJ; empty without a power model.
        std::vector<std::uint64_t> picojoules;
    };

    explicit instruction_profile(gpu& device);
    ~instruction_profile();

    /// A launch has ended: returns its instructions by PC. They are added to the totals of the
    /// kernel for write() and removed.
    std::vector<row> take(std::uint64_t launch, const std::string& name);
    /// Writes the file read by AerialVision's source view, in the format of GPGPU-Sim: one line per
    /// kernel and source line, or per PC if the line is unknown.
    /// @throws support::user_error, support::output_error
    void write(const std::string& file) const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Returns the profile that the options request, or nullptr. Call after the GPU has been built and
/// before the simulation starts.
std::unique_ptr<instruction_profile> attach_instruction_profile(gpu& device, const run_config& how);

}  // namespace simtlm::platform
