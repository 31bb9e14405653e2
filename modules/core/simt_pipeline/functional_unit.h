// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/counter_table.h"

#include <algorithm>
#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// A SIMD functional unit that cannot stall: SP, INT, DP, SFU, tensor or specialised. A part of
/// functional_units.
///
/// An instruction dispatched at core cycle t occupies the unit's dispatch register until t +
/// initiation interval, and returns for write-back at t + max(latency, initiation interval) + 1.
/// The unit accepts an instruction if the register is free and no other instruction completes in
/// the same cycle (GPGPU-Sim manual: Functional Units / SIMD pipeline). The pipeline is implemented
/// as a ring indexed by completion cycle, as long as the longest latency so far, so that nothing is
/// shifted.
class alignas(64) functional_unit {
public:
    functional_unit() : ring_(first_size, nullptr) {}

    /// Whether the unit can accept an instruction in a core cycle: its dispatch register is free,
    /// and no other instruction completes in the same cycle.
    bool can_accept(const program::static_instruction& inst, std::uint64_t now) const {
        const std::uint64_t done = completion(inst, now);
        return now >= register_free_at_ && (done - now >= ring_.size() || !leaves_at(done));
    }
    /// Accepts an instruction. @pre can_accept()
    /// @return the core cycle in which it completes
    std::uint64_t accept(warp_instruction& inst, std::uint64_t now);
    /// Removes the instruction that completes in a core cycle; nullptr: none does.
    warp_instruction* take_completed(std::uint64_t now);

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
    static constexpr std::size_t first_size = 16;
    static std::uint64_t completion(const program::static_instruction& inst, std::uint64_t now) {
        return now + std::max(inst.latency, inst.initiation_interval) + 1;
    }
    std::uint64_t place(std::uint64_t cycle) const { return cycle & (ring_.size() - 1); }
    /// Whether an instruction completes in a cycle within the ring's range.
    bool leaves_at(std::uint64_t cycle) const {
        const std::uint64_t at = place(cycle);
        return at < 64 ? (taken_ >> at & 1u) != 0 : ring_[at] != nullptr;
    }
    void put(std::uint64_t done, warp_instruction* inst) {
        const std::uint64_t at = place(done);
        ring_[at] = inst;
        if (at >= 64) return;
        const std::uint64_t bit = std::uint64_t{1} << at;
        taken_ = inst != nullptr ? taken_ | bit : taken_ & ~bit;
    }
    void lengthen(std::uint64_t now);

    std::vector<warp_instruction*> ring_;  // by completion cycle; size is a power of two
    std::uint64_t taken_ = 0;  // occupancy of the first 64 entries of the ring, as a bit set
    std::uint64_t register_free_at_ = 0;
    unsigned in_flight_ = 0;
    statistics statistics_;
};
static_assert(sizeof(functional_unit) == 64, "one cache line");

/// The functional units of a pipeline of an SM.
class functional_units : public sc_core::sc_module {
public:
    /// Receives an instruction for the unit warp_instruction::unit, @pre that unit can accept it,
    /// and returns completed ones with BEGIN_RESP.
    instruction_target<functional_units> dispatch;

    /// @param units  their number
    functional_units(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     unsigned units);
    const char* kind() const override { return "functional_units"; }

    const std::vector<functional_unit>& all() const { return units_; }
    std::vector<functional_unit>& all() { return units_; }
    /// The hierarchical name of a unit: "gpu.cluster0.sm0.sp3", "gpu.cluster0.sm0.spec1_0".
    std::string name_of(std::size_t unit) const;

private:
    tlm::tlm_sync_enum accept(warp_instruction& inst, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
    void cycle();

    std::vector<functional_unit> units_;
    simulation::clocked_process process_;
};

inline constexpr support::counter<functional_unit::statistics> functional_unit_counters[] = {
    support::count<&functional_unit::statistics::instructions>("instructions", "warp instructions",
                                                               "taken by the functional unit"),
};
constexpr const auto& counters_of(const functional_unit::statistics*) {
    return functional_unit_counters;
}
static_assert(support::covers(functional_unit_counters));

}  // namespace simtlm::core::simt_pipeline
