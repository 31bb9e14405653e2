// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command_bus.h"

#include <algorithm>
#include <cstdint>

namespace simtlm::memory {

/// Refresh of a channel, in one of two ways, or none if tREFI is 0, as in GPGPU-Sim.
///
/// All banks together, every tREFI cycles (tRFC): once it is due, no other command is issued; open
/// banks are precharged, one per cycle, then all banks are refreshed for tRFC.
///
/// One bank after the other, every tREFI / nbk cycles (tRFCSB; REFSB of HBM, JESD235): once it is
/// due, the bank accepts no new request, ends the current one, is precharged and then refreshed for
/// tRFCSB, while the other banks continue.
class dram_refresh {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    dram_refresh(const dram_timing& timing, dram_command_bus& bus)
        : of_banks_(timing.tREFI != 0 && timing.tRFC == 0),
          interval_(of_banks_ ? std::max(1u, timing.tREFI / timing.nbk) : timing.tREFI),
          due_(interval_ != 0 ? interval_ : never),
          bus_(bus) {}

    /// Cycle in which the next refresh is due; never if there is none.
    std::uint64_t due() const { return due_; }
    /// Whether the buses are reserved for a refresh of all banks.
    bool stops_channel(std::uint64_t now) const { return !of_banks_ && now >= due_; }
    /// Banks that accept no request because their refresh is due.
    std::uint64_t held(std::uint64_t now) const {
        return of_banks_ && now >= due_ ? dram_bank_machines::bit(bank_) : 0;
    }
    /// Issues the next command of a due refresh, once it is legal. @pre now >= due(), and the bus
    /// for row commands is free
    issued_commands issue(std::uint64_t now) {
        return of_banks_ ? issue_of_bank(now) : issue_of_all(now);
    }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(due_, bank_);
    }

private:
    issued_commands issue_of_all(std::uint64_t now);
    issued_commands issue_of_bank(std::uint64_t now);

    bool of_banks_;
    unsigned interval_;
    std::uint64_t due_;
    unsigned bank_ = 0;  // to be refreshed next
    dram_command_bus& bus_;
};

}  // namespace simtlm::memory
