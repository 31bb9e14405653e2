// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/address_predictor.h"
#include "modules/trace/binary_file.h"

#include <cstdint>
#include <vector>

namespace simtlm::trace {

/// A recorded execution of an instruction.
struct recorded_execution {
    std::uint32_t instruction = 0;  ///< index into the trace's table of instructions
    std::uint32_t mask = 0;
    recorded_mode mode = recorded_mode::none;
};

/// Decodes thread blocks of a binary trace.
class binary_block_decoder {
public:
    explicit binary_block_decoder(const std::vector<binary_file::instruction>& instructions);

    /// All functions throw support::user_error.
    dim3 begin_block(const binary_cursor& block);
    /// @returns the number of executions of the next warp
    std::uint32_t begin_warp();
    /// Decodes an execution. Appends addresses in the format of scan_addresses().
    recorded_execution next(std::vector<std::uint64_t>& values);
    /// Checks that the block has no further bytes. @throws support::user_error
    void end_block() const;

    const binary_cursor& position() const { return in_; }

private:
    void take_addresses(const recorded_execution& e, bool same_shape,
                        std::vector<std::uint64_t>& values);

    const std::vector<binary_file::instruction>& instructions_;
    address_predictor predictor_;
    binary_cursor in_;
    std::uint64_t executions_ = 0;  // in the block
    std::uint32_t run_ = 0;
    std::uint32_t next_instruction_ = 0;
    std::uint32_t mask_ = 0;
};

}  // namespace simtlm::trace
