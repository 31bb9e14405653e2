// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/binary_block_decoder.h"
#include "modules/trace/kernel_trace.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::trace {

/// One of the different instructions of a trace, as written.
struct recorded_instruction {
    std::uint64_t pc = 0;
    std::uint64_t width = 0;  ///< 0: its executions have no addresses
    std::uint32_t source_line = 0;
    unsigned n_immediates = 0;
    std::int64_t immediates[3] = {};
    std::string text;  ///< see line_operands

    /// "LDG.E.SYS" of "1 R12 LDG.E.SYS 1 R4".
    std::string_view opcode() const;
};

/// A thread block as written.
struct recorded_block {
    struct warp {
        std::uint64_t first = 0;  ///< of the executions
        std::uint64_t count = 0;
    };
    struct execution : recorded_execution {
        std::uint64_t first = 0;  ///< of the values, as scan_addresses() makes them
        std::uint32_t n_values = 0;
    };
    dim3 index{0, 0, 0};
    std::vector<warp> warps;
    std::vector<execution> executions;
    std::vector<std::uint64_t> values;

    void clear();
};

/// A kernel trace, text or binary, as it was written: what opcodes mean is not looked at. For
/// tools. What a text has after the immediates is not in it, as nothing reads that.
class recorded_trace {
public:
    virtual ~recorded_trace() = default;

    const kernel_header& header() const { return header_; }
    /// The lines that the header was read from.
    const std::string& header_text() const { return header_text_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    /// The different instructions met so far, or all that there are.
    const std::deque<recorded_instruction>& instructions() const { return instructions_; }

    /// Reads the next block. @returns false after the last @throws kernel::user_error
    virtual bool next(recorded_block& block) = 0;

protected:
    kernel_header header_;
    std::string header_text_;
    std::vector<std::string> warnings_;
    std::deque<recorded_instruction> instructions_;
};

/// @throws kernel::user_error
std::unique_ptr<recorded_trace> open_recorded_trace(const std::string& file);

}  // namespace simtlm::trace
