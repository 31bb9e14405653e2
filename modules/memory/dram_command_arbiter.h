// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command_bus.h"

#include <cstdint>
#include <memory>

namespace simtlm::memory {

/// Chooses, once per command clock cycle, which of the banks with a legal command may use the
/// command buses. Banks are looked at in turn, from the one with priority on.
class dram_command_arbiter {
public:
    virtual ~dram_command_arbiter() = default;
    /// Issues what goes in this cycle.
    /// @param priority  the bank to look at first; a row command hands it to the next bank
    virtual issued_commands issue(std::uint64_t now, unsigned& priority) = 0;
};

/// A bus for row commands and one for column commands (-dram_dual_bus_interface 1, HBM): one of
/// each may go in a cycle, the column command first.
std::unique_ptr<dram_command_arbiter> make_dual_bus_arbiter(dram_command_bus& bus);

/// One bus (-dram_dual_bus_interface 0). It does what GPGPU-Sim's controller does, which a command
/// bus would not: a column command may follow a row command in the same cycle, if a bank that
/// comes later in the turn has one; and banks that the turn then skips or meets twice are counted
/// so in their idle cycles.
/// @param statistics  of the channel, for those idle cycles
std::unique_ptr<dram_command_arbiter> make_single_bus_arbiter(dram_command_bus& bus,
                                                              dram_statistics& statistics);

}  // namespace simtlm::memory
