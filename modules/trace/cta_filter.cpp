// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/cta_filter.h"

#include "modules/support/error.h"

#include <algorithm>
#include <string>

namespace simtlm::trace {

std::uint64_t chosen_blocks(const program::dim3& grid, const cta_range& range) {
    const std::uint64_t all = grid.volume();
    if (range.first >= all) return 0;
    return std::min(all - 1, range.last) - range.first + 1;
}

cta_filter::cta_filter(std::unique_ptr<block_source> blocks, const kernel_header& whole,
                       const cta_range& range)
    : blocks_(std::move(blocks)),
      grid_(whole.grid),
      range_(range),
      left_(chosen_blocks(whole.grid, range)) {
    if (left_ == 0)
        throw support::user_error(
            whole.origin,
            "kernel " + whole.name + " has " + std::to_string(grid_.volume()) +
                " thread blocks, none of which is chosen",
            "--ctas counts from 0; --kernels and --kernel-names choose kernels");
}

bool cta_filter::read(block_trace& block, const std::atomic<bool>& stop) {
    while (left_ != 0 && blocks_->read(block, stop)) {
        const program::dim3& at = block.index;
        const std::uint64_t number = at.x + grid_.x * (at.y + std::uint64_t{grid_.y} * at.z);
        if (number < range_.first || number > range_.last) continue;
        --left_;
        return true;
    }
    block.clear();
    return false;
}

}  // namespace simtlm::trace
