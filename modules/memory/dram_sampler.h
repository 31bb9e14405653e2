// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_bank_machines.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_data_pipeline.h"
#include "modules/memory/dram_statistics.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// Counts the per-cycle and per-request statistics of a DRAM channel. A span of cycles without
/// commands is counted at once, so that a sleeping channel loses nothing. Command clock cycles.
class dram_sampler {
public:
    dram_sampler(const dram_config& config, const dram_bank_machines& machines,
                 const dram_data_pipeline& pipeline, dram_statistics& statistics);

    /// The first cycle that has not been counted.
    std::uint64_t counted_to() const { return counted_to_; }
    /// Samples a cycle: at its beginning, and at its end with the commands issued in it.
    /// @param pending  requests in the scheduler's queue
    void begin_cycle(unsigned pending);
    void end_cycle(std::uint64_t now, issued_commands issued);
    /// Sets the length of the scheduler's queue for the cycles in which the channel sleeps.
    void rest(unsigned pending) { pending_ = pending; }
    /// Counts all cycles not yet counted, up to but not including `until`, as cycles without a
    /// command.
    void slept(std::uint64_t until);

    /// Counts an arriving request.
    /// @param decoded_bank  before bank indexing
    /// @param queued        queue length that it found, as defined by the statistics
    void arrived(const dram_request& request, unsigned decoded_bank, unsigned queued);
    /// Counts a request that has been assigned to its bank. @param latency  core cycles since its
    /// arrival
    void scheduled(std::uint64_t latency);
    /// A bank gets its next request, or finishes a request, in a cycle.
    void bank_taken(unsigned b, std::uint64_t now);
    void bank_released(unsigned b, std::uint64_t now) { free_since_[b] = now; }
    /// Counts the idle time of banks without a request up to a cycle.
    void count_free_banks(std::uint64_t until);

    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    void sample_banks(std::uint64_t cycles);
    void sample_limits(std::uint64_t from, std::uint64_t to, bool column_issued);
    void sample_limits_of(unsigned b, std::uint64_t from, std::uint64_t to);

    const dram_config& config_;
    const dram_bank_machines& machines_;
    const dram_data_pipeline& pipeline_;
    dram_statistics& s_;
    std::vector<std::uint64_t> group_mask_;  // banks of a group
    std::vector<std::uint64_t> free_since_;  // by bank: cycle since which it has no request
    std::uint64_t counted_to_ = 0;
    unsigned pending_ = 0;
};

}  // namespace simtlm::memory
