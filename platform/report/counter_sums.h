// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/statistics.h"
#include "platform/gpu/gpu.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// The counters of a whole GPU: those of all blocks of a kind, added up as their rows say.
class counter_sums {
public:
    /// One counter, or one cell of an array, over all blocks of a kind.
    struct counter {
        std::string kind;
        const kernel::counter_info* of;
        std::string label;  ///< of a cell of an array; empty: a single value

        /// KIND.NAME or KIND.NAME.LABEL
        std::string name() const;
    };
    struct value {
        std::uint32_t counter;  ///< index among counters()
        std::uint64_t number;   ///< not 0
    };

    /// @param device  complete, and as long as this object
    explicit counter_sums(gpu& device);

    /// By kind, then as the tables have them.
    const std::vector<counter>& counters() const { return counters_; }
    const kernel::statistics& blocks() const { return blocks_; }

    /// What was counted since the call before. A greatest or least value is there if it was set in
    /// that time. Ask between steps.
    std::vector<value> take();
    /// Since the start, by counter, as of the last take().
    const std::vector<std::uint64_t>& whole() const { return before_; }
    /// Their sums at the last take().
    void checkpoint(kernel::archive& a);

private:
    std::vector<std::uint64_t> sum() const;

    gpu& device_;
    kernel::statistics blocks_;
    std::vector<counter> counters_;
    std::vector<std::uint32_t> place_;  ///< of every cell of every block among counters_
    std::vector<std::uint64_t> before_;
};

}  // namespace simtlm::platform
