// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/memory_config.h"

#include <string>
#include <vector>

namespace simtlm::memory {

/// Judges a stream of DRAM commands by the options alone: it remembers when each command was issued
/// and knows nothing of the scheduler or of its bookkeeping.
class dram_timing_checker : public command_observer {
public:
    /// @param name    in reports
    /// @param report  raise SC_REPORT_ERROR as well as collecting
    dram_timing_checker(std::string name, const dram_config& config, bool report);

    void command(std::uint64_t cycle, dram_command kind, unsigned bank, std::uint32_t row,
                 std::uint32_t column) override;

    /// One line per violation, at most 100.
    const std::vector<std::string>& violations() const { return violations_; }
    std::uint64_t commands() const { return commands_; }

    /// State that outlives kernels, of a block at rest.
    void checkpoint(kernel::archive& a);

private:
    /// Cycle of the last command of a kind, or never.
    struct moment {
        std::uint64_t cycle = 0;
        bool happened = false;
        void set(std::uint64_t c) { cycle = c, happened = true; }
    };
    struct bank_history {
        moment activate, precharge, read, write;
        bool open = false;
        std::uint32_t row = 0;
    };
    struct group_history {
        moment column, read;
    };
    void at_least(std::uint64_t cycle, const moment& since, unsigned interval, const char* what,
                  unsigned bank);
    void violation(std::uint64_t cycle, const std::string& what, unsigned bank);
    void check_data_bus(std::uint64_t first, unsigned bank, std::uint64_t cycle);
    unsigned group(unsigned bank) const;

    std::string name_;
    dram_config config_;
    bool report_;
    unsigned burst_;
    std::vector<bank_history> banks_;
    std::vector<group_history> groups_;
    moment activate_, read_, write_, column_, refresh_, row_bus_, data_;
    std::vector<std::string> violations_;
    std::uint64_t commands_ = 0;
};

}  // namespace simtlm::memory
