// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command_bus.h"

#include <cstdint>

namespace simtlm::memory {

/// Refresh of a whole channel, every tREFI cycles: once it is due, no other command is issued; open
/// banks are precharged, one per cycle, then all banks are refreshed for tRFC. No refresh if tREFI
/// is 0, as in GPGPU-Sim.
class dram_refresh {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    dram_refresh(const dram_timing& timing, dram_command_bus& bus)
        : interval_(timing.tREFI), due_(timing.tREFI != 0 ? timing.tREFI : never), bus_(bus) {}

    /// Cycle from which the buses are reserved for the refresh; never if there is none.
    std::uint64_t due() const { return due_; }
    /// Issues the next command of a due refresh, once it is legal.
    issued_commands issue(std::uint64_t now);

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(due_);
    }

private:
    unsigned interval_;
    std::uint64_t due_;
    dram_command_bus& bus_;
};

}  // namespace simtlm::memory
