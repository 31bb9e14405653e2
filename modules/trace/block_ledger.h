// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_descriptor.h"

#include <cstdint>
#include <set>

namespace simtlm::trace {

/// The set of thread blocks of a grid that have been read. Files contain blocks in nearly ascending
/// order, so that few numbers must be stored.
class block_ledger {
public:
    explicit block_ledger(const program::dim3& grid) : grid_(grid) {}

    /// @returns false if the block has been entered before. @param at  index in the grid
    bool enter(const program::dim3& at) {
        const std::uint64_t number = at.x + grid_.x * (at.y + std::uint64_t{grid_.y} * at.z);
        if (number < complete_ || !beyond_.insert(number).second) return false;
        ++blocks_;
        while (!beyond_.empty() && *beyond_.begin() == complete_) {
            beyond_.erase(beyond_.begin());
            ++complete_;
        }
        return true;
    }
    std::uint64_t blocks() const { return blocks_; }

private:
    program::dim3 grid_;
    std::uint64_t complete_ = 0;  ///< all blocks below this number have been entered
    std::set<std::uint64_t> beyond_;
    std::uint64_t blocks_ = 0;
};

}  // namespace simtlm::trace
