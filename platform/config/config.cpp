// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config.h"

#include "modules/core/occupancy.h"
#include "modules/support/error.h"
#include "platform/config/core_models.h"
#include "platform/config/readers.h"
#include "platform/options/presets.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

gpu_config make_gpu_config(const option_values& values) {
    gpu_config c;
    read_chip(values, c);
    read_trace(values, c.traces);
    read_ptx(values, c.ptx);
    read_programs(values, c.programs);
    read_core(values, c);
    read_l1(values, c.cores.sm);
    const core_model& core = core_model_of(values);
    c.core = core.alias;
    c.cores.make = core.read(values, c);
    values.check_replaced_memory();
    read_memory(values, c.memory, c.warnings);
    read_gpc_cache(values, c.cores);
    read_interconnect(values, c.cores, c.sub_partitions(), c.network);
    c.network.memories_per_partition = c.memory.partition.sub_partitions;
    read_dispatch(values, c.cores.clusters, c.cores.sms_per_cluster, c.dispatch);
    read_run(values, c.run, c.sms());
    read_power(values, c);
    read_quirks(values, c);
    if (c.power.limit && c.clocks.quirk_rounded)
        values.fail("--power-limit", "needs clocks that change, and rounded clocks do not",
                    "omit --compat accel-sim and --quirk rounded-clocks");
    complete_mapping(values, c);
    c.cores.clusters_in_order = c.memory.mapping.indexing == memory::partition_indexing::random;
    core::sm_config& sm = c.cores.sm;
    if (sm.quirks.coarse_allocation) sm.allocation = core::gpgpu_sim_allocation;
    const cache::cache_config& l2 = c.memory.partition.l2;
    if (values.text("--compat") != "accel-sim" && sm.l1.data_enabled && l2.enabled &&
        sm.l1.data.atom_bytes() > l2.line_bytes)
        values.fail("-gpgpu_cache:dl2",
                    fmt::format("the L1 data cache requests {} bytes, more than a line of {}",
                                sm.l1.data.atom_bytes(), l2.line_bytes),
                    "lines of at least that size, or an L1D with sectors: -gpgpu_cache:dl1 S:...");
    for (cache::cache_config* const cache :
         {&sm.l1.instruction, &sm.l1.data, &sm.l1.constant, &sm.l1.texture,
          &c.cores.gpc_cache.cache, &c.memory.partition.l2})
        cache->quirks = c.caches;
    return c;
}

void check_untimed(const option_values& values) {
    for (const char* option :
         {"-gpgpu_max_cycle", "-gpgpu_max_insn", "-gpgpu_max_cta", "-gpgpu_max_completed_cta"})
        if (values.natural(option) != 0)
            values.fail(option, "has no effect in functional mode", "omit -gpgpu_ptx_sim_mode 1");
    if (values.given("-network_mode") || values.given("-inter_config_file")) {
        make_gpu_config(values);
        return;
    }
    option_values with_network = values;
    with_network.set("-network_mode", "2");
    make_gpu_config(with_network);
}

void check_trace_fits(const gpu_config& config, const kernel_header_descriptor& kernel) {
    const core::sm_config& sm = config.cores.sm;
    const auto refuse = [&](const std::string& what, const std::string& remedy) {
        throw support::user_error(
            kernel.file, kernel.kernel.empty() ? what : "kernel " + kernel.kernel + " " + what,
            remedy);
    };
    if (kernel.binary_version != 0 && !config.traces.any_binary_version &&
        kernel.binary_version / 10 != config.compute_capability_major) {
        const preset_info* fitting = preset_for_binary(kernel.binary_version);
        refuse(fmt::format("was recorded for binary version {}, but the configured GPU has compute "
                           "capability {}.{}",
                           kernel.binary_version, config.compute_capability_major,
                           config.compute_capability_minor),
               (fitting != nullptr ? fmt::format("use --preset {}, or ", fitting->name)
                                   : std::string{}) +
                   "replay it anyway with --any-binary-version");
    }
    if (kernel.threads_per_block == 0)
        refuse("has thread blocks without threads", "the header is corrupt");
    if (kernel.threads_per_block > sm.max_threads)
        refuse(fmt::format("has {} threads per block; an SM holds {}", kernel.threads_per_block,
                           sm.max_threads),
               "see -gpgpu_shader_core_pipeline");
    if (sm.ignore_resource_limits) return;

    const std::uint64_t shared =
        config.traces.override_shared_memory.value_or(kernel.shared_memory);
    const std::uint64_t registers = config.traces.override_registers.value_or(kernel.registers);
    constexpr unsigned unspecified = trace::kernel_header::unspecified;
    if (registers == unspecified)
        refuse("lacks its registers per thread (-nregs), which limit the number of resident blocks",
               "set it with --override-registers N");
    if (shared == unspecified)
        refuse("lacks its shared memory size (-shmem), which limits the number of resident blocks",
               "set it with --override-shmem BYTES");
    const std::uint64_t max_shared_memory = core::max_shared_per_cta(sm);
    if (shared > max_shared_memory)
        refuse(fmt::format("needs {} bytes of shared memory per block; {} {}", shared,
                           max_shared_memory == sm.shared.bytes ? "an SM has" : "a block may use",
                           max_shared_memory),
               fmt::format("see {}; if the header is wrong, --override-shmem BYTES",
                           max_shared_memory == sm.shared.bytes_per_block ? "-gpgpu_shmem_per_block"
                                                                          : "-gpgpu_shmem_size"));
    const core::cta_needs needs{static_cast<std::uint32_t>(kernel.threads_per_block),
                                static_cast<std::uint32_t>(registers), 0};
    const std::uint64_t warps = needs.warps(warp_threads), each = needs.registers_per_warp(sm);
    const std::uint64_t needed = std::max(warps * each, core::checked_registers(sm, each, warps));
    if (needed > sm.registers || needed > sm.registers_per_block) {
        const bool whole = needed > sm.registers;
        refuse(fmt::format("needs {} registers per block ({} threads of {}); {} has {}", needed,
                           warps * warp_threads, registers, whole ? "an SM" : "a block",
                           whole ? sm.registers : sm.registers_per_block),
               fmt::format("see {}; if the header is wrong, --override-registers N",
                           whole ? "-gpgpu_shader_registers" : "-gpgpu_registers_per_block"));
    }
}

}  // namespace simtlm::platform
