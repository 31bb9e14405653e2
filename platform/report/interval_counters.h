// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/statistics.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// Counters of all blocks of a GPU over intervals of simulated time, for power models and similar
/// tools that sample a run repeatedly. Reading has no side effects: sleeping blocks are not woken
/// (pending counts are added), DRAM clock edges stay deferred, and cycles and statistics are the
/// same as without sampling.
///
/// Call between steps, that is while the simulation is paused between two calls of sc_start().
class interval_counters {
public:
    /// Begins the first interval. @param device  must outlive this object
    explicit interval_counters(gpu& device);

    /// A counter of a block, named as in "gpu.cluster0.sm0 thread_instructions_by_class.sp".
    struct counter {
        const support::statistics::block* block;
        const support::statistics::cell* cell;
        std::string name() const;
    };
    /// All counters, in the order of interval::values.
    const std::vector<counter>& counters() const { return counters_; }

    /// The half-open interval [from, to) in core cycles.
    struct interval {
        std::uint64_t from = 0, to = 0;
        /// Increase by counter; for extremes and states, which cannot be subtracted, the current
        /// value.
        std::vector<std::uint64_t> values;
    };
    /// Ends the interval and begins the next one. @return a reference valid until the next call
    const interval& take();

    /// Sum of a counter over all blocks of a kind, over all of its cells or one.
    /// @param kind   of blocks: "sm", "dram"
    /// @param label  cell of an array; empty: all cells
    std::uint64_t sum(const std::string& kind, const std::string& name,
                      const std::string& label = {}) const;

private:
    void read(std::vector<std::uint64_t>& to);

    gpu& device_;
    support::statistics list_;
    std::vector<counter> counters_;
    std::vector<std::uint64_t> before_, now_;
    interval last_;
};

}  // namespace simtlm::platform
