// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <string>
#include <vector>

namespace simtlm::core {

/// Number of collector units and ports of an operand-collector pool.
struct collector_pool_config {
    unsigned units = 0;
    unsigned in_ports = 0;
    unsigned out_ports = 0;
};

/// A pipeline of an SM, from issue to execution: the instruction classes, the registers before and
/// after operand collection, the collectors, and the functional units. A row of the table from
/// which operand collector, dispatch stage, SM, options and waveforms are built; adding a row adds
/// a class of units (docs/extending.md, "A functional unit class").
struct pipeline_config {
    std::string name;          ///< of its units and registers: "sp"
    std::string label;         ///< in messages: "SP"
    std::string units_option;  ///< option for the number of units; empty: none
    std::string pool_option;  ///< suffix of -gpgpu_operand_collector_num_*; empty: no separate pool
    unsigned min_units = 0;   ///< minimum in an SM
    std::vector<program::op_class> classes;    ///< classes issued here
    std::vector<program::op_class> stands_in;  ///< classes also issued here if their own pipeline
                                               ///< has no units

    bool present = true;  ///< exists in this SM
    unsigned units = 0;
    unsigned id_oc = 1, oc_ex = 1;     ///< pipeline registers (-gpgpu_pipeline_widths)
    collector_pool_config collectors;  ///< separate pool, in addition to the general one
    bool to_memory = false;            ///< ends in the load/store unit instead of functional units
    bool specialized = false;  ///< -specialized_unit_*; all are of the same kind for dual issue

    /// The order in which stages visit pipelines within a cycle, as in GPGPU-Sim; equal values in
    /// the order of the table.
    struct visits {
        unsigned general_ports = 100;  ///< by a port of the general collectors, for allocation
        unsigned pools = 100;          ///< order of the pools, for numbering and dispatch
        unsigned own_ports = 100;      ///< by a port of a separate pool, for allocation
    } order;

    /// Whether instructions can be executed in this pipeline.
    bool usable() const { return present && (units > 0 || to_memory); }
};

/// Rows of the built-in pipelines, in the order in which the dispatch stage serves their units.
enum pipe : unsigned {
    pipe_sp,
    pipe_dp,
    pipe_int,
    pipe_sfu,
    pipe_tensor,
    pipe_mem,   ///< the load/store unit, served last
    pipe_spec,  ///< the first of eight
    built_in_pipes = pipe_spec + program::max_specialized_units
};

/// The built-in table: one SP and one SFU unit, no specialised units.
std::vector<pipeline_config> built_in_pipelines();

/// The row to which a class of instructions is issued; table.size() if there is none.
unsigned route(const std::vector<pipeline_config>& table, program::op_class c);

}  // namespace simtlm::core
