// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::memory {

enum class dram_command : std::uint8_t {
    activate,
    precharge,
    read,
    write,
    refresh,       ///< of all banks
    refresh_bank,  ///< of one bank
};

/// Use of the command buses in a cycle.
struct issued_commands {
    bool row = false;     ///< activate, precharge, refreshes
    bool column = false;  ///< read, write
};

/// Observes every command that a DRAM channel issues.
struct command_observer {
    virtual ~command_observer() = default;
    /// @param cycle   of the command clock
    /// @param bank    after bank indexing; 0 for a refresh of all banks
    /// @param column  byte offset, for reads and writes
    virtual void command(std::uint64_t cycle, dram_command kind, unsigned bank, std::uint32_t row,
                         std::uint32_t column) = 0;
};

}  // namespace simtlm::memory
