// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_request.h"
#include "modules/memory/dram_statistics.h"
#include "modules/memory/dram_timing_state.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::memory {

/// Assigns waiting requests to banks, one per cycle.
class dram_scheduler {
public:
    virtual ~dram_scheduler() = default;

    /// Adds a request that has arrived.
    virtual void add(std::uint32_t request) = 0;
    /// Removes a request for a bank that has none from the queue and returns it, or none.
    /// @param free      bit b: bank b has no request
    /// @param priority  the bank to consider first; may be advanced
    /// @param core_now  core cycle, relative to the start of the kernel
    virtual std::uint32_t choose(std::uint64_t free, unsigned& priority,
                                 const dram_timing_state& banks, std::uint64_t core_now) = 0;
    /// Whether choose() may return a request or change its state for these banks.
    virtual bool may_choose(std::uint64_t free) const = 0;
    /// Requests in the queue (of reads only, with a separate write queue).
    virtual unsigned pending() const = 0;
    /// Whether a request of a kind cannot be accepted.
    virtual bool full(bool write) const = 0;
    /// Whether chosen requests are counted as scheduled by row (statistics of row locality and
    /// latency).
    virtual bool by_row() const = 0;
    /// Saves or restores state that outlives requests. @throws support::user_error  if not
    /// overridden
    virtual void checkpoint(support::archive& a);
};

/// Arguments of a scheduler's constructor. All must outlive it.
struct dram_scheduler_parts {
    const dram_config& config;
    dram_request_table& requests;
    dram_statistics& statistics;  ///< of the channel; `banks` has an entry per bank
};

/// Strictly in order; a queue of two requests.
std::unique_ptr<dram_scheduler> make_fifo_scheduler(const dram_scheduler_parts& parts);
/// First ready, first come first served.
std::unique_ptr<dram_scheduler> make_fr_fcfs_scheduler(const dram_scheduler_parts& parts);

/// Schedulers, indexed by the number of -gpgpu_dram_scheduler.
struct named_dram_scheduler {
    const char* name;
    dram_scheduler_maker make;
};
/// The available schedulers.
const std::vector<named_dram_scheduler>& dram_schedulers();

}  // namespace simtlm::memory
