// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/block_source.h"

#include <cstdint>
#include <memory>

namespace simtlm::trace {

/// Number of thread blocks of a grid in a range. Blocks are numbered with x varying fastest.
std::uint64_t chosen_blocks(const program::dim3& grid, const cta_range& range);

/// The thread blocks of a source that are in a range. Others are read and dropped; reading ends
/// when all blocks in the range have been read.
class cta_filter final : public block_source {
public:
    /// @param whole  the header of the whole trace
    /// @throws support::user_error if the range contains no block of the grid
    cta_filter(std::unique_ptr<block_source> blocks, const kernel_header& whole,
               const cta_range& range);

    bool read(block_trace& block, const std::atomic<bool>& stop) override;

private:
    std::unique_ptr<block_source> blocks_;
    program::dim3 grid_;
    cta_range range_;
    std::uint64_t left_;
};

}  // namespace simtlm::trace
