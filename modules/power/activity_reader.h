// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/activity.h"
#include "modules/support/statistics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::power {

/// What the activity of a GPU depends on besides its counters.
struct gpu_parameters {
    unsigned sms = 1;
    unsigned result_buses = 8;        ///< warp instructions that an SM can complete in a cycle
    unsigned dram_access_bytes = 32;  ///< bytes that a DRAM command moves
    bool lanes_gated = true;          ///< idle lanes of a functional unit take no energy
    /// The instruction cache always hits and counts nothing (-gpgpu_perfect_inst_const_cache).
    bool perfect_instruction_cache = false;
    /// An access that joins a pending miss of the L1D reduces the misses, which do not contain it,
    /// as in AccelWattch: the count can become negative.
    bool quirk_merges_reduce_misses = false;
};

/// Reads the activity of a GPU from the counters of its blocks.
class activity_reader {
public:
    /// @param list   of all blocks; must outlive this object
    /// @param also   counters KIND.COUNTER[.CELL] to read besides
    /// @param below  hierarchical name: reads this block and those below it; empty: all
    /// @throws support::user_error  if all blocks are read, and a counter does not exist
    activity_reader(const support::statistics& list, const gpu_parameters& parameters,
                    const std::vector<std::string>& also, const std::string& below = {});

    /// The activity since the start of the simulation. The blocks' counters must be up to date.
    /// @param core_cycles  since the start
    activity_counts read(std::uint64_t core_cycles) const;
    /// The further counters, in the order given.
    std::vector<double> read_also() const;

private:
    /// Counters that add to an activity with the same weight.
    struct group {
        double* (*to)(activity_counts&, activity);
        activity of;
        double weight;
        std::vector<const std::uint64_t*> cells;
        double sum() const;
    };
    void add(activity to, double weight, const std::uint64_t* cell);
    void add_lanes(double weight, const std::uint64_t* cell, bool lanes);
    void add_sm(std::string_view name, std::string_view label, const std::uint64_t* cell);
    void add_operation(std::string_view label, const std::uint64_t* cell, bool lanes);
    void add_cache(std::string_view kind, std::string_view label, const std::uint64_t* cell);
    void add_cell(std::string_view kind, std::string_view name, std::string_view label,
                  const std::uint64_t* cell);

    const gpu_parameters parameters_;
    bool has_l0_ = false;  ///< sub-cores: instructions come from their L0 caches
    std::vector<group> groups_;
    std::vector<std::vector<const std::uint64_t*>> also_;
};

}  // namespace simtlm::power
