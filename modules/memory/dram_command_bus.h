// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_bank_machines.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_data_pipeline.h"
#include "modules/memory/dram_sampler.h"
#include "modules/memory/dram_statistics.h"

#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// Executes commands: updates the bank, its request, the data bus and the counters, and notifies
/// observers. The command arbiter and refresh decide which command is issued.
class dram_command_bus {
public:
    dram_command_bus(const dram_config& config, dram_bank_machines& machines,
                     dram_request_table& requests, dram_data_pipeline& pipeline,
                     dram_sampler& sampler, dram_statistics& statistics);

    /// Adds an observer of every command from now on.
    void observe(command_observer& observer) { observers_.push_back(&observer); }
    bool is_observed() const { return !observers_.empty(); }

    const dram_bank_machines& machines() const { return machines_; }
    /// Banks whose column command is legal and has room in the data pipeline; updates the counters.
    std::uint64_t ready_columns(std::uint64_t now);
    std::uint64_t ready_rows(std::uint64_t now) const { return machines_.ready_rows(now); }

    /// Issues the next column command of a bank's request.
    void issue_column(unsigned b, std::uint64_t now);
    /// Issues a precharge if a row of the bank is open, otherwise an activate for its request.
    void issue_row(unsigned b, std::uint64_t now);
    /// Issue a precharge of a bank, or a refresh of all banks or of one.
    void precharge(unsigned b, std::uint64_t now);
    void refresh(std::uint64_t now);
    void refresh_bank(unsigned b, std::uint64_t now);

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(writing_);
    }

private:
    void notify(std::uint64_t now, dram_command kind, unsigned bank, std::uint32_t row,
                std::uint32_t column);
    void count_column(const dram_request& request, unsigned b);

    const dram_config& config_;
    dram_bank_machines& machines_;
    dram_request_table& requests_;
    dram_data_pipeline& pipeline_;
    dram_sampler& sampler_;
    dram_statistics& statistics_;
    bool writing_ = false;  // direction of the last column command
    std::vector<command_observer*> observers_;
};

}  // namespace simtlm::memory
