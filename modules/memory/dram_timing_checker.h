// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command.h"
#include "modules/memory/memory_config.h"
#include "modules/support/archive_fwd.h"

#include <string>
#include <vector>

namespace simtlm::memory {

/// Checks a stream of DRAM commands against the timing options: records when each command was
/// issued, independently of the scheduler and its state.
class dram_timing_checker : public command_observer {
public:
    /// @param name    used in reports
    /// @param report  also raise SC_REPORT_ERROR
    dram_timing_checker(std::string name, const dram_config& config, bool report);

    void command(std::uint64_t cycle, dram_command kind, unsigned bank, std::uint32_t row,
                 std::uint32_t column) override;

    /// One line per violation, at most 100.
    const std::vector<std::string>& violations() const { return violations_; }
    std::uint64_t commands() const { return commands_; }

    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    /// Cycle of the last command of a kind, or none.
    struct moment {
        std::uint64_t cycle = 0;
        bool happened = false;
        void set(std::uint64_t c) { cycle = c, happened = true; }
    };
    struct bank_history {
        moment activate, precharge, read, write, refresh;
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
