// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/instruction_table.h"
#include "modules/trace/kernel_trace.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::trace {

/// The thread blocks of one kernel trace, whatever the form of its file. To those who use it the
/// forms cannot be told apart, but for the places that messages name.
class block_source {
public:
    virtual ~block_source() = default;

    /// Reads the next block into `block`, which is emptied first.
    /// @param stop  when it becomes true, reading may end early with false
    /// @returns false after the last block
    /// @throws kernel::user_error
    virtual bool read(block_trace& block, const std::atomic<bool>& stop) = 0;
};

/// Opens a kernel trace, text or binary, and reads its header.
/// @param header    filled in; must outlive the source
/// @param warnings  about the header
/// @param warn      for warnings while reading
/// @throws kernel::user_error
std::unique_ptr<block_source> open_block_source(const std::string& file,
                                                const reader_options& options,
                                                kernel_header& header,
                                                std::vector<std::string>& warnings,
                                                warning_sink warn);

}  // namespace simtlm::trace
