// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <string>
#include <vector>

namespace simtlm::core {

/// Numbers of collector units and ports of one operand-collector pool.
struct collector_pool_config {
    unsigned units = 0;
    unsigned in_ports = 0;
    unsigned out_ports = 0;
};

/// One pipeline of an SM, from issue to execution: who is routed there, the registers in front of
/// and behind operand collection, the collectors, and the functional units at its end. A row of the
/// table that operand collector, dispatch stage, SM, options and waveforms go by; a class of units
/// is added by adding a row (docs/architecture.md, "A functional unit class").
struct pipeline_config {
    std::string name;          ///< of its units and registers: "sp"
    std::string label;         ///< in messages: "SP"
    std::string units_option;  ///< number of units; empty: not one that an option sets
    std::string pool_option;   ///< suffix of -gpgpu_operand_collector_num_*; empty: no own pool
    unsigned least_units = 0;  ///< that an SM must have
    std::vector<program::op_class> classes;    ///< routed here
    std::vector<program::op_class> stands_in;  ///< these too, where their own has no units

    bool present = true;  ///< in this SM
    unsigned units = 0;
    unsigned id_oc = 1, oc_ex = 1;     ///< pipeline registers (-gpgpu_pipeline_widths)
    collector_pool_config collectors;  ///< of its own, besides the general ones
    bool to_memory = false;            ///< ends in the load/store unit, not in functional units
    bool specialized = false;          ///< -specialized_unit_*; to dual issue all are of one kind

    /// In which order the stages visit pipelines within a cycle, as the reference does it; equal
    /// ones in the order of the table.
    struct visits {
        unsigned general_ports = 100;  ///< a port of the general collectors looks for instructions
        unsigned pools = 100;          ///< pools are numbered, and let go what is complete
        unsigned own_ports = 100;      ///< a port of a pool of its own looks for instructions
    } order;

    /// Whether an instruction can be executed here.
    bool usable() const { return present && (units > 0 || to_memory); }
};

/// Rows of the built-in pipelines, in the order in which the dispatch stage visits their units.
enum pipe : unsigned {
    pipe_sp,
    pipe_dp,
    pipe_int,
    pipe_sfu,
    pipe_tensor,
    pipe_mem,   ///< the load/store unit: visited last
    pipe_spec,  ///< the first of eight
    built_in_pipes = pipe_spec + program::max_specialized_units
};

/// The built-in table: one SP and one SFU unit, no specialised ones.
std::vector<pipeline_config> built_in_pipelines();

/// The row that a class of instructions is issued to; table.size() where there is none.
unsigned route(const std::vector<pipeline_config>& table, program::op_class c);

}  // namespace simtlm::core
