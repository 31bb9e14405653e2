// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_statistics.h"
#include "modules/memory/dram_timing_state.h"

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

namespace simtlm::memory {

/// A request inside a DRAM channel.
struct dram_request {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint16_t bank = 0;
    bool write = false;
    bool posted = false;  ///< consumed without a response
    protocol::access_type type = protocol::access_type::global_read;
    std::uint32_t bytes = 0;      ///< to move
    std::uint32_t commanded = 0;  ///< bytes with a column command
    std::uint32_t moved = 0;      ///< bytes that passed the data bus
    std::uint64_t arrived = 0;    ///< core cycle
    std::uint64_t order = 0;      ///< counts arrivals
    std::uint32_t next = 0;       ///< scheduler's list
};

/// Requests by number; numbers are reused. Grows only where the queue is unlimited.
class dram_request_table {
public:
    static constexpr std::uint32_t none = 0xffffffffu;
    explicit dram_request_table(std::size_t capacity) { grow(capacity); }

    dram_request& operator[](std::uint32_t i) { return entries_[i]; }
    const dram_request& operator[](std::uint32_t i) const { return entries_[i]; }
    std::uint32_t take() {
        if (free_ == none) grow(entries_.size());
        const std::uint32_t i = free_;
        free_ = entries_[i].next;
        return i;
    }
    void give_back(std::uint32_t i) {
        entries_[i].next = free_;
        free_ = i;
    }

private:
    void grow(std::size_t by) {
        const std::size_t first = entries_.size();
        entries_.resize(first + (by != 0 ? by : 16));
        for (std::size_t i = entries_.size(); i-- > first;) {
            entries_[i].next = free_;
            free_ = static_cast<std::uint32_t>(i);
        }
    }
    std::vector<dram_request> entries_;
    std::uint32_t free_ = none;
};

/// Decides which waiting request goes to which bank, one per cycle.
class dram_scheduler {
public:
    virtual ~dram_scheduler() = default;

    /// A request has arrived. Core cycles.
    virtual void add(std::uint32_t request) = 0;
    /// A request for a bank that has none, removed from the queue; none if there is none to choose.
    /// @param free      bit b: bank b has no request
    /// @param priority  the bank to look at first; may be moved on
    /// @param core_now  core cycle, of the kernel
    virtual std::uint32_t choose(std::uint64_t free, unsigned& priority,
                                 const dram_timing_state& banks, std::uint64_t core_now) = 0;
    /// Whether choose() may find something or change its state for these banks.
    virtual bool may_choose(std::uint64_t free) const = 0;
    /// Requests in the queue (of reads only, with a separate write queue).
    virtual unsigned pending() const = 0;
    /// Whether a request of that kind must not be sent.
    virtual bool full(bool write) const = 0;
    /// Whether chosen requests count as scheduled by row (statistics of row locality and latency).
    virtual bool by_row() const = 0;
};

/// -gpgpu_dram_scheduler 0: strictly in order, a queue of two.
std::unique_ptr<dram_scheduler> make_fifo_scheduler(dram_request_table& requests);
/// -gpgpu_dram_scheduler 1: first ready, first come first served.
std::unique_ptr<dram_scheduler> make_fr_fcfs_scheduler(const dram_config& config,
                                                       dram_request_table& requests,
                                                       dram_statistics& statistics);

}  // namespace simtlm::memory
