// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <string>
#include <vector>

namespace simtlm::protocol {

/// The four clock domains of the GPU.
enum clock_domain : unsigned { core_clock, icnt_clock, l2_clock, dram_clock, clock_domains };

/// The state that processes of a phase access: anything; or only state of their own SM, of the DRAM
/// side, L2 side or reply side of their own memory partition, of their own cluster with its SMs, or
/// of one output port of the network and the block behind it. These are the group kinds of
/// kernel::phase. The state of one memory partition, or of one cluster, belongs to one scheduling
/// partition of host threads (kernel::partition_scope).
enum class phase_scope : unsigned char { gpu, sm, dram, l2, replies, cluster, port };

/// The phases of a step, in order, one row each: name, clock domain, scope, acting block, effect.
/// Phases of domains that have no edge in a step are skipped. The enumeration, the sequencer's
/// phase table and the table in docs/architecture.md are generated from these rows.
// clang-format off
#define SIMTLM_PHASES(row)                                                                         \
    row(core_receive, core, cluster, "`simt_cluster`",                                             \
        "hands a response to its SM; takes one from the network")                                  \
    row(reply_inject, icnt, replies, "`memory_sub_partition`",                                     \
        "puts a reply into the reply network")                                                     \
    row(dram_return, dram, dram, "`memory_partition`", "takes a finished request from its channel") \
    row(dram_channel, dram, dram, "`memory_channel`: `dram_channel`, `memory_bridge`",              \
        "schedules and issues commands, moves data; or brings in what an external memory has "       \
        "answered")                                                                                \
    row(dram_arbitrate, dram, dram, "`memory_partition`",                                           \
        "chooses a sub-partition's request for the channel")                                       \
    row(l2_slice, l2, l2, "`memory_sub_partition`",                                               \
        "takes a request from the network, accesses the L2 slice")                                 \
    row(network_transfer, icnt, gpu, "`network`", "moves packets")                                 \
    row(network_present, icnt, port, "`network`", "with several host threads: presents heads of "  \
        "outputs to their receivers")                                                              \
    row(core_acknowledge, core, cluster, "`simt_cluster`", "with several host threads: tells its " \
        "SMs of the writes that memories have acknowledged")                                       \
    row(core_write_back, core, sm, "`write_back`", "EX_WB registers into the register file")       \
    row(core_units, core, sm, "`functional_unit`, `ldst_unit`",                                    \
        "units complete; the LD/ST unit writes back and takes a response")                         \
    row(core_instruction_cache, core, sm, "`read_only_cache` (L1I)", "sends a miss, takes fills")  \
    row(core_texture_cache, core, sm, "`texture_cache`", "the same, moves a fragment on")          \
    row(core_constant_cache, core, sm, "`read_only_cache` (L1C)", "sends a miss, takes fills")     \
    row(core_caches, core, sm, "`l1_data_cache`",                                                  \
        "sends a miss, looks up what has passed the latency queue")                                \
    row(core_access, core, sm, "`ldst_unit`", "starts accesses")                                   \
    row(core_dispatch, core, sm, "`dispatch_stage`", "OC_EX registers into the units")             \
    row(core_operands, core, sm, "`operand_collector`",                                            \
        "dispatches, reads banks, allocates collector units")                                      \
    row(core_issue, core, sm, "`warp_scheduler`", "issues, in turns: one scheduler of an SM "      \
        "after the other, another one first in every cycle")                                       \
    row(core_front_end, core, sm, "`front_end`", "decode, fetch, end of warps")                    \
    row(core_effects, core, gpu, "`memory_effects`",                                               \
        "what executed warps do to memory, SM after SM")                                           \
    row(core_place, core, gpu, "`address_placement`", "random partition indexing: memory is "      \
        "placed, and SMs inject, one after the other")                                             \
    row(core_inject, core, gpu, "`simt_cluster`",                                                  \
        "outboxes of several SMs into the request network")                                        \
    row(core_dispatch_ctas, core, gpu, "`cta_scheduler`, `host_interface`, `core_alarm`",          \
        "CTAs to SMs, kernels begin and end, host commands")
// clang-format on

#define SIMTLM_ENUMERATOR(name, domain, scope, who, what) name,
enum class phase : unsigned { SIMTLM_PHASES(SIMTLM_ENUMERATOR) };
#undef SIMTLM_ENUMERATOR

/// Description of a phase.
struct phase_row {
    phase id;
    const char* name;  ///< of the enumerator
    clock_domain domain;
    phase_scope scope;
    const char* who;   ///< the blocks that act in it
    const char* what;  ///< what they do
};

#define SIMTLM_ROW(name, domain, scope, who, what) \
    {phase::name, #name, domain##_clock, phase_scope::scope, who, what},
inline constexpr phase_row phases[] = {SIMTLM_PHASES(SIMTLM_ROW)};
#undef SIMTLM_ROW
#undef SIMTLM_PHASES

/// Whether host threads synchronise before a phase, because it reads state that other scheduling
/// partitions have written in the same step: a write may have been acknowledged by any slice.
/// Needed for steps without an edge of the network; otherwise the network's barriers are in
/// between.
inline constexpr bool has_barrier_before(phase p) {
    return p == phase::core_acknowledge;
}

/// The phase table of every phase_sequencer of a GPU.
std::vector<kernel::phase> phase_table();

/// The table in Markdown, for docs/architecture.md.
std::string phase_table_markdown();

}  // namespace simtlm::protocol
