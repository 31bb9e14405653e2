// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command_bus.h"

#include <cstdint>

namespace simtlm::memory {

/// Refresh of a whole channel, every tREFI cycles: from then on no other command goes; open banks
/// are closed, one per cycle, then all banks refresh for tRFC. Without a tREFI there is none, as in
/// GPGPU-Sim.
class dram_refresh {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    dram_refresh(const dram_timing& timing, dram_command_bus& bus)
        : interval_(timing.tREFI), due_(timing.tREFI != 0 ? timing.tREFI : never), bus_(bus) {}

    /// Cycle from which on the buses belong to the refresh; never if there is none.
    std::uint64_t due() const { return due_; }
    /// Issues the next command of a refresh that is due, once it is legal.
    issued_commands issue(std::uint64_t now);

    /// State that outlives kernels.
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
