// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/instruction_table.h"
#include "modules/trace/kernel_trace.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::trace {

/// The thread blocks of a kernel trace, independent of its file format. Formats only differ in the
/// positions named in messages.
class block_source {
public:
    virtual ~block_source() = default;

    /// Reads the next block into `block`, which is cleared first.
    /// @param stop  if it becomes true, reading may end early and return false
    /// @returns false after the last block
    /// @throws support::user_error
    virtual bool read(block_trace& block, const std::atomic<bool>& stop) = 0;
};

/// Opens a kernel trace in text or binary format and reads its header.
/// @param header    set; must outlive the source
/// @param warnings  receives warnings about the header
/// @param warn      called with warnings while reading
/// @throws support::user_error
std::unique_ptr<block_source> open_block_source(const std::string& file,
                                                const reader_options& options,
                                                kernel_header& header,
                                                std::vector<std::string>& warnings,
                                                warning_sink warn);

}  // namespace simtlm::trace
