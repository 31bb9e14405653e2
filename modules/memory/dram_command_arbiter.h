// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_command_bus.h"

#include <cstdint>
#include <memory>

namespace simtlm::memory {

/// Selects, once per command clock cycle, which of the banks with a legal command may use the
/// command buses. Banks are considered in cyclic order, starting with the one that has priority.
class dram_command_arbiter {
public:
    virtual ~dram_command_arbiter() = default;
    /// Issues the commands of this cycle.
    /// @param priority  the bank to consider first; after a row command, the next bank gets
    ///                  priority
    virtual issued_commands issue(std::uint64_t now, unsigned& priority) = 0;
};

/// Separate buses for row and column commands (-dram_dual_bus_interface 1, HBM): one of each may be
/// issued per cycle, the column command first.
std::unique_ptr<dram_command_arbiter> make_dual_bus_arbiter(dram_command_bus& bus);

/// A single bus (-dram_dual_bus_interface 0), which reproduces GPGPU-Sim's controller where it
/// differs from a real bus: a column command may follow a row command in the same cycle if a bank
/// later in the order has one, and banks that the order then skips or visits twice are counted
/// accordingly in their idle cycles.
/// @param statistics  of the channel, for those idle cycles
std::unique_ptr<dram_command_arbiter> make_single_bus_arbiter(dram_command_bus& bus,
                                                              dram_statistics& statistics);

}  // namespace simtlm::memory
