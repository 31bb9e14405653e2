// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/block_ledger.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/line_source.h"
#include "modules/trace/scanner.h"
#include "modules/trace/warp_path.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::trace {

/// Parses the instruction lines of a block.
class line_reader {
public:
    virtual ~line_reader() = default;
    /// Appends the instruction of a line to a block. @throws support::user_error
    virtual void read(const line_source::line& line, const line_source& where,
                      block_trace& block) = 0;
};

/// Reads thread blocks sequentially, and checks them against the header.
class block_reader {
public:
    /// @param begun  whether the last line read was #BEGIN_TB
    /// @param share  whether warps with identical execution share one description of it
    block_reader(line_source& source, const kernel_header& header, line_reader& instructions,
                 bool begun, bool share, bool validate);

    /// Reads the next block into `block`, which is cleared first.
    /// @param stop  if it becomes true, reading may end early and return false
    /// @returns false after the last block
    /// @throws support::user_error
    bool read(block_trace& block, const std::atomic<bool>& stop);

private:
    void read_end();
    void read_index(const line_source::line& line, block_trace& block);
    void read_warp(const line_source::line& line, block_trace& block);
    void read_count(const line_source::line& line, block_trace& block);
    void finish_warp(block_trace& block);
    void check_warps(const block_trace& block) const;
    std::string name_of(const block_trace& block) const;
    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) const;

    line_source& source_;
    const kernel_header& header_;
    line_reader& instructions_;
    bool begun_;
    block_ledger blocks_;
    bool share_;
    bool validate_;
    path_table paths_;
    block_trace scratch_;  ///< the current warp, before its path is shared

    // state of the current block
    bool has_index_ = false;
    bool in_warp_ = false;
    bool has_count_ = false;
    std::uint32_t warp_ = 0;
    std::uint64_t expected_ = 0;  ///< instructions in the current warp
    std::vector<bool> seen_;      ///< by warp
};

}  // namespace simtlm::trace
