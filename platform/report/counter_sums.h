// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive_fwd.h"
#include "modules/support/statistics.h"
#include "platform/gpu/gpu_blocks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// The counters of a whole GPU: those of all blocks of a kind, combined by the rule of each
/// counter.
class counter_sums {
public:
    /// One counter, or one cell of an array, over all blocks of a kind.
    struct counter {
        std::string kind;
        const support::counter_info* of;
        std::string label;  ///< cell of an array; empty: a single value

        /// Returns KIND.NAME or KIND.NAME.LABEL.
        std::string name() const;
    };
    /// The increase of one counter.
    struct value {
        std::uint32_t counter;  ///< index among counters()
        std::uint64_t number;   ///< nonzero
    };

    /// @param device  complete; must outlive this object
    explicit counter_sums(gpu& device);

    /// Ordered by kind, then as in the counter tables.
    const std::vector<counter>& counters() const { return counters_; }
    const support::statistics& blocks() const { return blocks_; }

    /// Counts since the previous call. Extremes are included if they were set since then. Call
    /// between steps.
    std::vector<value> take();
    /// Counts since the start, by counter, as of the last take().
    const std::vector<std::uint64_t>& whole() const { return before_; }
    /// Saves or restores the sums of the last take().
    void checkpoint(support::archive& a);

private:
    std::vector<std::uint64_t> sum() const;

    gpu& device_;
    support::statistics blocks_;
    std::vector<counter> counters_;
    std::vector<std::uint32_t> place_;  ///< index in counters_ of every cell of every block
    std::vector<std::uint64_t> before_;
};

}  // namespace simtlm::platform
