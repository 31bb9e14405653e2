// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/statistics.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// What all blocks of a GPU have counted in an interval of simulated time, for models of power and
/// the like that look at a run again and again. Reading changes nothing: blocks that sleep are not
/// woken (they add what they have yet to count), edges of the DRAM clock stay deferred, and
/// cycles and statistics of the run are those of a run that nobody reads.
///
/// To be read between steps, that is while the simulation is paused (between two sc_start()).
class interval_counters {
public:
    /// The first interval begins now. @param device  as long as this object
    explicit interval_counters(gpu& device);

    /// A counter of a block: its name is "gpu.cluster0.sm0 thread_instructions_by_class.sp".
    struct counter {
        const kernel::statistics::block* block;
        const kernel::statistics::cell* cell;
        std::string name() const;
    };
    /// All counters, in the order of the values.
    const std::vector<counter>& counters() const { return counters_; }

    /// Core cycles: the interval is [from, to).
    struct interval {
        std::uint64_t from = 0, to = 0;
        /// By counter: what it has grown by. Extremes and states, which do not add up, as they are.
        std::vector<std::uint64_t> values;
    };
    /// Ends the interval and begins the next one. @return valid until the next call
    const interval& take();

    /// Sum over all blocks of a kind of a counter, and of all its cells or of one.
    /// @param kind   of blocks: "sm", "dram"
    /// @param label  of a cell of an array; empty: all
    std::uint64_t sum(const std::string& kind, const std::string& name,
                      const std::string& label = {}) const;

private:
    void read(std::vector<std::uint64_t>& to);

    gpu& device_;
    kernel::statistics list_;
    std::vector<counter> counters_;
    std::vector<std::uint64_t> before_, now_;
    interval last_;
};

}  // namespace simtlm::platform
