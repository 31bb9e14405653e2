// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/instruction_sockets.h"
#include "modules/kernel/clocked_process.h"
#include "modules/kernel/counter_table.h"

#include <vector>

namespace simtlm::core {

/// A SIMD functional unit that cannot stall: SP, INT, DP, SFU, tensor or specialised.
///
/// An instruction dispatched at core cycle t occupies the unit's dispatch register until t +
/// initiation interval, and returns for write-back at t + latency + 1. The unit accepts an
/// instruction if the register is free and no other instruction completes in the same cycle
/// (GPGPU-Sim manual: Functional Units / SIMD pipeline). The pipeline is implemented as a ring
/// indexed by completion cycle, as long as the longest latency so far, so that nothing is shifted.
class functional_unit : public sc_core::sc_module {
public:
    /// Receives instructions, @pre can_accept(), and returns completed ones with BEGIN_RESP.
    instruction_target<functional_unit> dispatch;

    functional_unit(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer);

    /// Whether the unit can accept an instruction in a core cycle: its dispatch register is free,
    /// and no other instruction completes in the same cycle.
    bool can_accept(const program::static_instruction& inst, std::uint64_t now) const {
        const std::uint64_t done = completion(inst, now);
        return now >= register_free_at_ && (done - now > mask_ || !leaves_at(done));
    }

    /// The first core cycle in which the dispatch register is free.
    std::uint64_t register_free_at() const { return register_free_at_; }

    /// Counters of the unit.
    struct statistics {
        std::uint64_t instructions = 0;
    };
    const statistics& counted() const { return statistics_; }
    unsigned in_flight() const { return in_flight_; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(register_free_at_);
    }

private:
    static std::uint64_t completion(const program::static_instruction& inst, std::uint64_t now) {
        return now + std::max(inst.latency, inst.initiation_interval) + 1;
    }
    tlm::tlm_sync_enum accept(warp_instruction& inst, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
    /// Whether an instruction completes in a cycle within the ring's range.
    bool leaves_at(std::uint64_t cycle) const {
        const std::uint64_t place = cycle & mask_;
        return place < 64 ? (taken_ >> place & 1u) != 0 : ring_[place] != nullptr;
    }
    void put(std::uint64_t done, warp_instruction* inst) {
        const std::uint64_t place = done & mask_;
        ring_[place] = inst;
        if (place >= 64) return;
        const std::uint64_t bit = std::uint64_t{1} << place;
        taken_ = inst != nullptr ? taken_ | bit : taken_ & ~bit;
    }
    void cycle();
    void lengthen(std::uint64_t now);

    // One cache line; the process follows in the next one.
    alignas(
        64) std::vector<warp_instruction*> ring_;  // by completion cycle; size is a power of two
    std::uint64_t mask_;
    std::uint64_t taken_ = 0;  // occupancy of the first 64 entries of the ring, as a bit set
    std::uint64_t register_free_at_ = 0;
    unsigned in_flight_ = 0;
    statistics statistics_;
    kernel::clocked_process process_;
};

inline constexpr kernel::counter<functional_unit::statistics> functional_unit_counters[] = {
    kernel::count<&functional_unit::statistics::instructions>("instructions", "warp instructions",
                                                              "taken by the functional unit"),
};
constexpr const auto& counters_of(const functional_unit::statistics*) {
    return functional_unit_counters;
}
static_assert(kernel::covers(functional_unit_counters));

}  // namespace simtlm::core
