// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"
#include "modules/core/occupancy_rules.h"
#include "modules/core/pipelines.h"
#include "modules/core/scheduling_choice.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace simtlm::core {

/// A warp scheduler.
struct warp_scheduler_config {
    scheduling_choice policy = "gto";        ///< -gpgpu_scheduler
    unsigned max_issue_per_warp = 2;         ///< -gpgpu_max_insn_issue_per_warp
    bool dual_issue_diff_exec_units = true;  ///< -gpgpu_dual_issue_diff_exec_units
};

/// Shared memory of an SM.
struct shared_memory_config {
    unsigned bytes = 16384;  ///< -gpgpu_shmem_size
    unsigned bytes_per_block = 49152;
    unsigned banks = 16;
    unsigned warp_parts = 2;
    bool limited_broadcast = true;
    unsigned latency = 3;                ///< core cycles, -gpgpu_smem_latency
    std::vector<unsigned> carve_out_kb;  ///< -gpgpu_shmem_option
};

/// The load/store unit, with latency and banks of the L1D.
struct ldst_config {
    unsigned response_buffer_size = 2;  ///< -gpgpu_n_ldst_response_buffer_size
    unsigned l1_latency = 1;            ///< core cycles
    unsigned l1_banks = 1;
    unsigned l1_banks_byte_interleaving = 32;
    cache::set_index_function l1_banks_hash = cache::set_index_function::linear;
    bool global_skips_l1 = false;  ///< -gpgpu_gmem_skip_L1D
    unsigned coalesce_arch = 13;   ///< -gpgpu_coalesce_arch
    bool local_memory_map = true;  ///< -gpgpu_local_mem_map
    bool perfect_memory = false;   ///< -gpgpu_perfect_mem
};

/// Fetch and decode.
struct front_end_config {
    unsigned fetch_throughput = 1;  ///< decode and fetch rounds per cycle
};

/// The register file and the operand collectors.
struct operand_collector_config {
    unsigned banks = 8;              ///< of the register file, -gpgpu_num_reg_banks
    bool bank_uses_warp_id = false;  ///< -gpgpu_reg_bank_use_warp_id
    unsigned port_throughput = 1;    ///< passes per cycle, -gpgpu_reg_file_port_throughput
    bool specialized = true;         ///< pipelines may have collector pools of their own,
                                     ///< -gpgpu_enable_specialized_operand_collector
    collector_pool_config general;   ///< pool shared by all pipelines
};

/// Write-back of results.
struct write_back_config {
    unsigned width = 1;  ///< results accepted from the result bus per cycle
};

/// The first-level caches. Latency and banks of the L1D are parameters of the load/store unit.
struct l1_config {
    cache::cache_config instruction, data, constant, texture;
    bool data_enabled = true;
    bool perfect_instruction_and_constant = false;  ///< -gpgpu_perfect_inst_const_cache
    bool flush = false;     ///< -gpgpu_flush_l1_cache: invalidates the L1D before the first CTA of
                            ///< a kernel, if the SM is empty, and at memory barriers
    bool adaptive = false;  ///< -gpgpu_adaptive_cache_config
    unsigned unified_kb = 0;  ///< size of L1D and shared memory together, -gpgpu_unified_l1d_size
};

/// Behaviour of GPGPU-Sim's core that differs from hardware, enabled by --compat accel-sim
/// (docs/fidelity-accel-sim.md).
struct core_quirks {
    bool ldgsts_global_half_only = false;  ///< asynchronous copies do not write shared memory
    bool fetch_past_branches = false;  ///< instruction fetch continues after a taken branch instead
                                       ///< of at its target
    bool loads_stay_long = false;      ///< two-level scheduler: loaded registers count as long
                                       ///< operations even after write-back
    bool evictions_follow_misses = false;  ///< L1D: write-backs are routed like the miss that
                                           ///< caused them
    bool rrr_begins_with_warp_0 = false;   ///< strict round robin: in all schedulers of an SM
    bool two_level_rotates_twice = false;  ///< two-level scheduler: rotates once per instruction
    bool sms_in_order = false;             ///< SMs act one after the other within a core cycle
    bool fetch_reads_one_texel = false;  ///< texture fetches access the cache at one texel per lane
    bool coarse_allocation = false;   ///< registers by four per thread, shared memory by the byte,
                                      ///< none of it for the driver
    bool idle_sm_flushes_l1 = false;  ///< also before a later CTA of the kernel, if the SM is empty
};

/// Configuration of an SM, validated by the platform.
struct sm_config {
    unsigned warp_size = 32;
    unsigned max_threads = 1024;  ///< -gpgpu_shader_core_pipeline
    unsigned max_warps = 32;      ///< max_threads / warp_size
    unsigned registers = 8192;    ///< -gpgpu_shader_registers
    unsigned registers_per_block = 8192;
    unsigned max_ctas = 8;  ///< -gpgpu_shader_cta
    unsigned max_barriers_per_cta = 16;
    bool ignore_resource_limits = false;
    unsigned compute_capability_major = 7;
    allocation_rules allocation;  ///< of the compute capability

    unsigned schedulers = 1;
    warp_scheduler_config scheduler;
    bool sub_core_model = false;

    // By pipeline stage.
    front_end_config front_end;
    operand_collector_config collector;
    std::vector<pipeline_config> pipelines = built_in_pipelines();
    write_back_config write_back;
    ldst_config ldst;
    shared_memory_config shared;
    l1_config l1;

    core_quirks quirks;
};

class multiprocessor;
struct multiprocessor_parts;
/// Creates an SM of a core model.
using multiprocessor_maker =
    std::function<std::unique_ptr<multiprocessor>(const multiprocessor_parts&)>;

/// Parameters of the gpc_cache of each GPC.
struct gpc_cache_config {
    cache::cache_config cache;  ///< -gpgpu_cache:gpc; not enabled: none
    unsigned latency = 0;       ///< core cycles to the look-up, -gpgpu_gpc_cache_latency
    unsigned sms_per_cluster = 1;
    unsigned requests_of_cluster = 0;       ///< that a cluster can have outstanding
    std::vector<unsigned> clusters_of_gpc;  ///< number of clusters of each GPC

    /// Number of such caches, each with a port of the network.
    unsigned caches() const {
        return cache.enabled ? static_cast<unsigned>(clusters_of_gpc.size()) : 0;
    }
};

/// The SM clusters of the GPU and their SMs.
struct simt_cluster_config {
    unsigned clusters = 10;
    unsigned sms_per_cluster = 3;
    unsigned ejection_buffer_size = 8;  ///< packets, -gpgpu_n_cluster_ejection_buffer_size
    unsigned responses_per_cycle = 1;   ///< responses that a cluster receives and delivers
    unsigned sim_order = 1;             ///< -gpgpu_simt_core_sim_order
    sm_config sm;
    gpc_cache_config gpc_cache;
    multiprocessor_maker make;  ///< empty: simt_sm
    /// The order of the clusters affects results as well: random partition indexing.
    bool clusters_in_order = false;

    /// Whether the SMs of a cluster, or of the GPU, act one after the other. Not needed for a
    /// single SM per cluster if the order of clusters does not affect results.
    bool in_order() const {
        return sm.quirks.sms_in_order && (clusters_in_order || sms_per_cluster > 1);
    }
};

}  // namespace simtlm::core
