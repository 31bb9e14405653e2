// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/clock_domains.h"
#include "modules/simulation/phase_sequencer.h"

#include <vector>

namespace simtlm::protocol {

/// The state that processes of a phase access: anything; or only state of their own SM, of the DRAM
/// side, L2 side or reply side of their own memory partition, of their own cluster with its SMs, or
/// of one output port of the network and the block after it. These are the group kinds of
/// simulation::phase. The state of one memory partition, or of one cluster, belongs to one
/// scheduling partition of host threads (simulation::scheduling_partition_scope).
enum class phase_scope : unsigned char { gpu, sm, dram, l2, replies, cluster, port };

/// The phases of a step, in order, one row each: name, clock domain, scope; blocks that act in it
/// on every GPU, in the SM of simt_pipeline, and in that of sub_core_pipeline; effect. Phases of
/// domains that have no edge in a step are skipped. The enumeration and the sequencer's phase table
/// are generated from these rows, and, by scripts/check-layers --write, the table in
/// docs/architecture.md.
// clang-format off
#define SIMTLM_PHASES(row)                                                                         \
    row(core_receive, core, cluster, "`simt_cluster`", "", "",                                     \
        "delivers a response to its SM; accepts one from the network")                             \
    row(reply_inject, icnt, replies, "`memory_sub_partition`", "", "",                             \
        "puts a reply into the reply network")                                                     \
    row(dram_return, dram, dram, "`memory_partition`", "", "",                                     \
        "accepts a completed request from its channel")                                            \
    row(dram_channel, dram, dram, "`memory_channel`: `dram_channel`, `memory_bridge`", "", "",     \
        "schedules and issues commands, transfers data; or accepts responses of an external "      \
        "memory")                                                                                  \
    row(dram_arbitrate, dram, dram, "`memory_partition`", "", "",                                  \
        "selects the request of a sub-partition for the channel")                                  \
    row(l2_slice, l2, l2, "`memory_sub_partition`", "", "",                                        \
        "accepts a request from the network, accesses the L2 slice")                               \
    row(network_transfer, icnt, gpu, "`network`", "", "", "transfers packets")                     \
    row(network_present, icnt, port, "`network`", "", "",                                          \
        "with several host threads: offers the heads of its outputs to the receivers")             \
    row(core_acknowledge, core, cluster, "`simt_cluster`", "", "",                                 \
        "with several host threads: delivers acknowledgements of writes to its SMs")               \
    row(core_write_back, core, sm, "`sleeping_warps`", "`write_back`",                             \
        "`execution_stage`, `sub_core_sm`, `bulk_copy_engine`, `mbarrier_unit`, "                  \
        "`warpgroup_unit`, `tensor_core_unit`",                                                    \
        "results reach the register file; barriers, fences and sleeping warps end")                \
    row(core_units, core, sm, "", "`functional_units`, `ldst_unit`", "`memory_unit`",              \
        "units complete; the unit for memory accepts responses and writes back")                   \
    row(core_instruction_cache, core, sm, "`read_only_cache` (L1I)", "", "",                       \
        "sends a miss, accepts fills")                                                             \
    row(core_texture_cache, core, sm, "`texture_cache`", "", "",                                   \
        "sends a miss, accepts fills, advances a fragment")                                        \
    row(core_constant_cache, core, sm, "`read_only_cache` (L1C)", "", "",                          \
        "sends a miss, accepts fills")                                                             \
    row(core_caches, core, sm, "`l1_data_cache`", "", "",                                          \
        "sends a miss, looks up the accesses that leave the latency queue")                        \
    row(core_access, core, sm, "", "`ldst_unit`", "`memory_unit`, `bulk_copy_engine`",             \
        "starts accesses")                                                                         \
    row(core_dispatch, core, sm, "", "`dispatch_stage`", "`memory_unit`, `instruction_link`",      \
        "moves instructions into the units; lines from L1I to the L0s")                            \
    row(core_operands, core, sm, "", "`operand_collector`", "`operand_stage`", "reads operands")   \
    row(core_issue, core, sm, "", "`warp_scheduler`", "`issue_stage`",                             \
        "issues; the schedulers (sub-cores) of an SM act one after the other")                     \
    row(core_front_end, core, sm, "", "`front_end`", "`fetch_stage`, `sub_core_sm`",               \
        "fetches, decodes, ends warps")                                                            \
    row(core_effects, core, gpu, "`memory_effects`, `sm_to_sm_network`, `cta_cluster_barrier`, `gpc_cache`", "", "", \
        "applies the memory accesses of executed warps in order of SMs; moves messages between "   \
        "SMs")                                                                                     \
    row(core_place, core, gpu, "`address_placement`", "", "",                                      \
        "random partition indexing: places memory and lets SMs inject one after the other")        \
    row(core_inject, core, gpu, "`simt_cluster`", "", "",                                          \
        "sends from the outboxes of several SMs to the request network")                           \
    row(core_dispatch_ctas, core, gpu, "`cta_scheduler`, `host_interface`, `core_timer`", "", "",  \
        "places CTAs on SMs, begins and ends kernels, executes host commands, wakes blocks in "    \
        "core cycles")
// clang-format on

#define SIMTLM_ENUMERATOR(name, domain, scope, all, simt, sub_core, effect) name,
enum class phase : unsigned { SIMTLM_PHASES(SIMTLM_ENUMERATOR) };
#undef SIMTLM_ENUMERATOR

/// Description of a phase.
struct phase_row {
    phase id;
    const char* name;  ///< of the enumerator
    clock_domain domain;
    phase_scope scope;
};

#define SIMTLM_ROW(name, domain, scope, all, simt, sub_core, effect) \
    {phase::name, #name, domain##_clock, phase_scope::scope},
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
std::vector<simulation::phase> phase_table();

}  // namespace simtlm::protocol
