// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_request.h"
#include "modules/memory/dram_timing_state.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// The bank machines of a channel: the request that each bank serves, and the command that it needs
/// next for this request (a column command if the request's row is open, otherwise a row command
/// that opens it). Sets of banks are masks with one bit per bank.
class dram_bank_machines {
public:
    static constexpr std::uint32_t none = dram_request_table::none;
    static std::uint64_t bit(unsigned b) { return std::uint64_t{1} << b; }

    dram_bank_machines(const dram_config& config, const dram_request_table& requests);

    unsigned banks() const { return timing_.banks(); }
    std::uint32_t request(unsigned b) const { return request_[b]; }
    std::uint64_t free() const { return all_ & ~busy_; }
    /// Banks with a request.
    std::uint64_t busy() const { return busy_; }
    /// Busy banks whose requested row is open.
    std::uint64_t open() const { return open_read_ | open_write_; }
    std::uint64_t open_write() const { return open_write_; }

    /// Assigns a request to a free bank.
    void take(unsigned b, std::uint32_t request);
    /// Ends the request of a bank, whose last column command has been issued.
    void release(unsigned b);

    // Issuing a command updates the timing state and the banks' next commands.
    void activate(unsigned b, std::uint32_t row, std::uint64_t now);
    void precharge(unsigned b, std::uint64_t now);
    void read(unsigned b, std::uint64_t now) { timing_.read(b, now); }
    void write(unsigned b, std::uint64_t now) { timing_.write(b, now); }
    void refresh(std::uint64_t now) { timing_.refresh(now); }
    void refresh_bank(unsigned b, std::uint64_t now) { timing_.refresh_bank(b, now); }

    /// Banks whose column command, or row command, is legal in a cycle.
    std::uint64_t ready_columns(std::uint64_t now) const;
    std::uint64_t ready_rows(std::uint64_t now) const;
    /// The first cycle in [earliest, latest] in which a command is legal, or `latest`.
    /// @param columns  whether column commands are considered
    std::uint64_t next_command(std::uint64_t earliest, std::uint64_t latest, bool columns) const;

    const dram_timing_state& timing() const { return timing_; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    void find_next_command(unsigned b);

    const dram_request_table& requests_;
    dram_timing_state timing_;
    std::vector<std::uint32_t> request_;  // by bank, or none
    std::uint64_t all_;
    std::uint64_t busy_ = 0;
    std::uint64_t open_read_ = 0;
    std::uint64_t open_write_ = 0;
};

}  // namespace simtlm::memory
