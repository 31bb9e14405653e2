// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/memory_config.h"
#include "modules/support/archive_fwd.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// Derived timing parameters, in command clock cycles (GPGPU-Sim's memory_config::init).
struct derived_timing {
    explicit derived_timing(const dram_config& c);
    unsigned burst;       ///< command cycles for which a column access occupies the data bus
    unsigned tRCD_write;  ///< activate to column write
    unsigned tRTW;        ///< column read to column write, any banks
    unsigned tWTR;        ///< column write to column read, any banks
    unsigned tWTP;        ///< column write to precharge
    unsigned tRTP;        ///< column read to precharge, same bank
};

/// Determines from which cycle on each command of each bank is legal: a state machine per bank
/// (idle or row open), and the earliest cycle of every kind of command. Issuing a command updates
/// these cycles; there are no down-counters.
class dram_timing_state {
public:
    explicit dram_timing_state(const dram_config& config);

    unsigned banks() const { return static_cast<unsigned>(bank_.size()); }
    unsigned groups() const { return static_cast<unsigned>(group_.size()); }
    unsigned group_of(unsigned b) const { return bank_[b].group; }
    bool active(unsigned b) const { return bank_[b].active; }
    /// The open row, or the last open row; initially 0.
    std::uint32_t row(unsigned b) const { return bank_[b].row; }

    /// Earliest cycle of a command, considering the bank and its group. @pre the bank's state
    /// permits the command
    std::uint64_t activate_at(unsigned b) const {
        return std::max({activate_any_, bank_[b].precharged, bank_[b].activate});
    }
    std::uint64_t precharge_at(unsigned b) const {
        const bank& k = bank_[b];
        return std::max(
            {k.restored, k.write_to_precharge, k.read_to_precharge, group_[k.group].precharge});
    }
    std::uint64_t read_at(unsigned b) const {
        const bank& k = bank_[b];
        return std::max({column_any_, read_any_, k.read, group_[k.group].column});
    }
    std::uint64_t write_at(unsigned b) const {
        const bank& k = bank_[b];
        return std::max({column_any_, write_any_, k.write, group_[k.group].column});
    }

    /// Update the state for a command issued in a cycle.
    void activate(unsigned b, std::uint32_t row, std::uint64_t now);
    void precharge(unsigned b, std::uint64_t now);
    void read(unsigned b, std::uint64_t now);
    void write(unsigned b, std::uint64_t now);
    /// Refreshes all banks: no activate until the refresh has ended. @pre all banks are idle
    void refresh(std::uint64_t now);
    /// Earliest cycle of a refresh. @pre all banks are idle
    std::uint64_t refresh_at() const;
    /// Refreshes one bank: no activate of it until the refresh has ended. @pre the bank is idle
    void refresh_bank(unsigned b, std::uint64_t now) {
        bank_[b].precharged = after(now, timing_.tRFCSB);
    }
    /// Earliest cycle of a refresh of one bank. @pre the bank is idle
    std::uint64_t refresh_bank_at(unsigned b) const { return bank_[b].precharged; }

    // Individual constraints, for statistics of what delays column commands.
    std::uint64_t column_any() const { return column_any_; }  ///< tCCD
    std::uint64_t read_any() const { return read_any_; }      ///< tWTR
    std::uint64_t write_any() const { return write_any_; }    ///< tRTW
    std::uint64_t column_of_group(unsigned b) const { return group_[bank_[b].group].column; }
    std::uint64_t activated_read(unsigned b) const { return bank_[b].read; }    ///< tRCD
    std::uint64_t activated_write(unsigned b) const { return bank_[b].write; }  ///< tRCDWR
    /// From this cycle on only intervals that delay precharges after column commands are pending.
    std::uint64_t quiet_at() const { return quiet_at_; }

    const derived_timing& derived() const { return derived_; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    struct bank {
        std::uint64_t read = 0;                ///< tRCD after activate
        std::uint64_t write = 0;               ///< tRCD - WL - 1 after activate
        std::uint64_t restored = 0;            ///< tRAS after activate
        std::uint64_t activate = 0;            ///< tRC after activate
        std::uint64_t precharged = 0;          ///< tRP after precharge
        std::uint64_t write_to_precharge = 0;  ///< tWTP after write
        std::uint64_t read_to_precharge = 0;   ///< burst after read
        std::uint32_t row = 0;
        std::uint16_t group = 0;
        bool active = false;
    };
    struct bank_group {
        std::uint64_t column = 0;     ///< tCCDL
        std::uint64_t precharge = 0;  ///< tRTPL
    };
    std::uint64_t after(std::uint64_t now, unsigned interval) {
        quiet_at_ = std::max(quiet_at_, now + interval);
        return now + interval;
    }

    dram_timing timing_;
    derived_timing derived_;
    std::vector<bank> bank_;
    std::vector<bank_group> group_;
    std::uint64_t column_any_ = 0;
    std::uint64_t read_any_ = 0;
    std::uint64_t write_any_ = 0;
    std::uint64_t activate_any_ = 0;
    std::uint64_t quiet_at_ = 0;
};

}  // namespace simtlm::memory
