// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/functional_unit.h"
#include "modules/core/simt_pipeline/operand_collector.h"
#include "modules/support/counter_table.h"

namespace simtlm::core::simt_pipeline {

class ldst_unit;

/// Moves instructions from the OC_EX registers to the functional units and reserves the result bus:
/// an instruction of a unit that cannot stall is dispatched only if one of the EX_WB registers is
/// free in the cycle in which it will complete. Units are served in the order SP, DP, INT, SFU,
/// tensor, specialised, load/store. In the sub-core model unit k serves scheduler k. Completed
/// instructions return from the units and move over the result bus to write-back.
class dispatch_stage : public sc_core::sc_module {
    void completed(warp_instruction& inst) { send(result_bus, inst); }

public:
    /// Bound in the order in which the units are served.
    instruction_fan_out<dispatch_stage, &dispatch_stage::completed> to_units;
    instruction_initiator<dispatch_stage> to_ldst;
    instruction_initiator<dispatch_stage> result_bus;  ///< to the EX_WB registers

    /// The functional units of a pipeline.
    struct served {
        functional_units* units;
        unsigned p;  ///< number of the pipeline
    };

    /// @param pipelines  in the order in which they are served
    dispatch_stage(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const sm_config& config, operand_collector& collector,
                   const std::vector<served>& pipelines, ldst_unit& ldst);
    const char* kind() const override { return "dispatch_stage"; }

    /// Counters of the stage.
    struct statistics {
        std::uint64_t result_bus_conflicts = 0;
    };
    const statistics& counted() const { return statistics_; }

private:
    void cycle();
    std::uint64_t dispatch_to_units(unsigned p, std::uint64_t now);
    std::uint64_t dispatch_to_unit(unsigned p, unsigned unit, unsigned slot, std::uint64_t now);
    bool reserve_result_bus(std::uint64_t now, unsigned latency);
    void dispatch_to_memory(unsigned p);
    void lengthen(std::uint64_t now);

    const sm_config& config_;
    operand_collector& collector_;
    ldst_unit& ldst_;
    struct target {
        functional_unit* units = nullptr;
        unsigned count = 0;
        int port = 0;  // of to_units
    };
    std::vector<target> targets_;  // by pipeline
    std::uint64_t to_memory_ = 0;  // pipelines of the load/store unit, bit p
    struct reservation {
        std::uint32_t at = 0;  // low bits of the core cycle
        std::uint32_t count = 0;
    };
    std::vector<reservation> reserved_;  // by completion cycle; size is a power of two
    statistics statistics_;
    simulation::clocked_process process_;
};

inline constexpr support::counter<dispatch_stage::statistics> dispatch_counters[] = {
    support::count<&dispatch_stage::statistics::result_bus_conflicts>(
        "result_bus_conflicts", "attempts", "a unit's result would have found no register free"),
};
constexpr const auto& counters_of(const dispatch_stage::statistics*) {
    return dispatch_counters;
}
static_assert(support::covers(dispatch_counters));

}  // namespace simtlm::core::simt_pipeline
