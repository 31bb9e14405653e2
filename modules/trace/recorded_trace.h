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

/// An instruction of a trace as written.
struct recorded_instruction {
    std::uint64_t pc = 0;
    std::uint64_t width = 0;  ///< 0: executions have no addresses
    std::uint32_t source_line = 0;
    unsigned n_immediates = 0;
    std::int64_t immediates[3] = {};
    std::string text;  ///< see line_operands

    /// The opcode: "LDG.E.SYS" of "1 R12 LDG.E.SYS 1 R4".
    std::string_view opcode() const;
};

/// A thread block as written.
struct recorded_block {
    /// The executions of a warp.
    struct warp {
        std::uint64_t first = 0;  ///< index of its first execution
        std::uint64_t count = 0;
    };
    /// An executed instruction and its address values.
    struct execution : recorded_execution {
        std::uint64_t first = 0;  ///< index of its first value, in the format of scan_addresses()
        std::uint32_t n_values = 0;
        /// Asynchronous instructions: index of the text from the width on, verbatim; -1: none.
        std::int32_t tail = -1;
    };
    dim3 index{0, 0, 0};
    std::vector<warp> warps;
    std::vector<execution> executions;
    std::vector<std::uint64_t> values;
    std::vector<std::string> tails;

    void clear();
};

/// A kernel trace in text or binary format as it was written, without interpretation of opcodes,
/// for tools. Text after the immediates is dropped unless it describes asynchronous instructions,
/// because no reader uses it.
class recorded_trace {
public:
    virtual ~recorded_trace() = default;

    const kernel_header& header() const { return header_; }
    /// The header lines as text.
    const std::string& header_text() const { return header_text_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    /// The instructions read so far, or all instructions of the trace.
    const std::deque<recorded_instruction>& instructions() const { return instructions_; }

    /// Reads the next block. @returns false after the last @throws support::user_error
    virtual bool next(recorded_block& block) = 0;

protected:
    kernel_header header_;
    std::string header_text_;
    std::vector<std::string> warnings_;
    std::deque<recorded_instruction> instructions_;
};

/// Opens a trace in text or binary format. @throws support::user_error
std::unique_ptr<recorded_trace> open_recorded_trace(const std::string& file);

}  // namespace simtlm::trace
