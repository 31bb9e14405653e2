// SPDX-License-Identifier: Apache-2.0
#include "platform/device/kernel_limits.h"

#include "modules/core/gpc_directory.h"
#include "modules/core/occupancy.h"
#include "modules/execution/state/block_cluster.h"
#include "platform/device/status.h"

#include <algorithm>

namespace simtlm::device {

unsigned resident_blocks(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared, int carve_out) {
    core::cta_needs needs;
    needs.threads = threads;
    needs.registers = k.registers;
    const std::uint64_t shared = k.allocated_shared(dynamic_shared);
    const core::sm_config& sm = c.gpu.cores.sm;
    if (shared > core::max_shared_per_cta(sm) || threads == 0 || threads > 1024 ||
        (k.max_block_threads != 0 && threads > k.max_block_threads))
        return 0;
    needs.shared_memory = static_cast<std::uint32_t>(shared);
    needs.barriers = k.barriers;
    needs.carve_out = carve_out;
    return core::occupancy_of(sm, needs).ctas;
}

unsigned active_cta_clusters(const system_config& c, const execution::kernel_image& k,
                             unsigned threads, std::uint64_t dynamic_shared, unsigned size,
                             int carve_out) {
    core::cta_cluster_timing gpcs;
    gpcs.gpcs = c.gpc_sms;
    return core::active_cta_clusters(
        gpcs, c.gpu.sms(), resident_blocks(c, k, threads, dynamic_shared, carve_out), size);
}

unsigned max_block_threads(const system_config& c, const execution::kernel_image& k) {
    unsigned most = core::max_threads_per_cta(c.gpu.cores.sm, k.registers);
    if (k.max_block_threads != 0) most = std::min(most, k.max_block_threads);
    const auto& block = k.required_block;
    if (block[0] != 0) most = std::min(most, block[0] * block[1] * block[2]);
    return most;
}

std::uint64_t max_shared_memory(const system_config& c) {
    return core::max_shared_per_cta(c.gpu.cores.sm);
}

std::uint64_t usual_shared(const system_config& c) {
    return core::usual_shared_per_cta(c.gpu.cores.sm);
}

std::uint64_t available_shared(const system_config& c, const execution::kernel_image& k,
                               unsigned blocks, int carve_out) {
    core::cta_needs needs;
    needs.shared_memory = static_cast<std::uint32_t>(k.allocated_shared(0));
    needs.carve_out = carve_out;
    return core::dynamic_shared_for(c.gpu.cores.sm, needs, blocks);
}

unsigned cluster_size(const execution::kernel_image& k, const program::dim3& asked) {
    const program::dim3 cluster = execution::cluster_of(k, asked);
    const std::string fault = execution::cluster_fault(k, cluster, cluster);
    if (!fault.empty()) throw failure(status::invalid_cluster_size, fault);
    return static_cast<unsigned>(cluster.volume());
}

}  // namespace simtlm::device
