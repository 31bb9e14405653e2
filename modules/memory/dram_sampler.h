// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/memory/dram_bank_machines.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_data_pipeline.h"
#include "modules/memory/dram_statistics.h"

#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// What a DRAM channel counts per cycle and per request. A span of cycles without commands is
/// counted in one go, so that a channel that has slept loses nothing. Command clock cycles.
class dram_sampler {
public:
    dram_sampler(const dram_config& config, const dram_bank_machines& machines,
                 const dram_data_pipeline& pipeline, dram_statistics& statistics);

    /// Cycles below this have been counted.
    std::uint64_t counted_to() const { return counted_to_; }
    /// A cycle: its beginning, and its end with the commands that were issued in it.
    /// @param pending  requests in the scheduler's queue
    void begin_cycle(unsigned pending);
    void end_cycle(std::uint64_t now, issued_commands issued);
    /// What the scheduler's queue holds in the cycles to come, should the channel sleep.
    void rest(unsigned pending) { pending_ = pending; }
    /// All cycles not yet counted, up to but not including `until`, had no command.
    void slept(std::uint64_t until);

    /// A request has arrived. @param decoded_bank  before bank indexing
    /// @param queued  what the statistics of the queue's length take it to have found
    void arrived(const dram_request& request, unsigned decoded_bank, unsigned queued);
    /// It has reached its bank. @param latency  core cycles since it arrived
    void scheduled(std::uint64_t latency);
    void bank_taken(unsigned b, std::uint64_t now);
    void bank_released(unsigned b, std::uint64_t now) { free_since_[b] = now; }
    /// Counts the time of banks without a request up to a cycle.
    void count_free_banks(std::uint64_t until);

    /// State that outlives kernels, of a block at rest.
    void checkpoint(kernel::archive& a);

private:
    void sample_banks(std::uint64_t cycles);
    void sample_limits(std::uint64_t from, std::uint64_t to, bool column_issued);
    void sample_limits_of(unsigned b, std::uint64_t from, std::uint64_t to);

    const dram_bank_machines& machines_;
    const dram_data_pipeline& pipeline_;
    dram_statistics& s_;
    unsigned atom_bytes_;
    std::vector<std::uint64_t> group_mask_;  // banks of a group
    std::vector<std::uint64_t> free_since_;  // by bank without a request
    std::uint64_t counted_to_ = 0;
    unsigned pending_ = 0;
};

}  // namespace simtlm::memory
