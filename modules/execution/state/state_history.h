// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/warp.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// The states of a warp, for a progress_monitor: Brent's algorithm.
class state_history {
public:
    /// Called before an instruction. @param quantum  other state that determines the
    /// execution
    void add(const warp& w, std::uint32_t round, std::uint64_t quantum);
    /// Whether the warp has repeated a state in this round.
    bool repeats(std::uint32_t round) const { return round_ == round && repeated_; }
    /// Whether it has executed nothing in this round.
    bool is_idle(std::uint32_t round) const { return round_ != round; }

private:
    std::uint32_t round_ = 0;
    bool repeated_ = false;
    const operation* next_ = nullptr;  ///< of the state to compare with
    std::uint64_t state_ = 0;
    std::uint64_t executed_ = 0, limit_ = 1;
};

/// Copies of memory that an access may change.
class memory_copy {
public:
    void clear();
    void add(const std::byte* from, std::size_t bytes);
    bool differs() const;

private:
    std::vector<std::pair<const std::byte*, std::size_t>> from_;
    std::vector<std::byte> bytes_;
};

}  // namespace simtlm::execution
