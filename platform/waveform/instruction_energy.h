// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_blocks.h"
#include "platform/waveform/instruction_counts.h"

#include <vector>

namespace simtlm::platform {

/// Attributes the energy of events to the instruction that causes them, from its counts in the
/// instruction profile: front end, registers, functional units, shared memory, and the accesses to
/// caches and DRAM.
///
/// Not attributed: time (constant and static power), misses of the instruction cache, network,
/// write-backs, DRAM precharges, and counters that a table adds.
class instruction_energy {
public:
    /// @param sub_cores  the SMs have sub-cores, which count an access of shared memory for each
    ///                   instruction even if no lane is active
    instruction_energy(const power::energy_meter& meter, bool sub_cores);
    instruction_energy(const instruction_energy&) = delete;
    instruction_energy& operator=(const instruction_energy&) = delete;

    /// Picojoules by component, at the current voltage of the core.
    /// @param info  of the instruction; its opcode is not read
    power::energies of(const program::static_instruction& info, const instruction_counts& counts);

private:
    const power::energy_meter& meter_;
    const bool sub_cores_;
    // Counters as blocks have them, of one instruction.
    core::core_statistics sm_;
    cache::cache_statistics data_, texture_, constant_, l2_;
    memory::dram_statistics dram_;
    support::statistics list_;
    power::activity_reader reader_;
    const std::vector<double> no_further_;
};

}  // namespace simtlm::platform
