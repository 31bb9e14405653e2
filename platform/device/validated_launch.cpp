// SPDX-License-Identifier: Apache-2.0
#include "platform/device/validated_launch.h"

#include "modules/core/occupancy.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/timed/executed_kernel.h"
#include "platform/device/kernel_limits.h"

#include <fmt/format.h>

namespace simtlm::device {

validated_launch::validated_launch(const system_config& config, launch_request request)
    : request_(std::move(request)) {
    execution::complete_shape(*request_.kernel, request_.grid, request_.block);
    check_shape();
    check_resources(config);
    if (!config.functional) check_timing(config);
}

void validated_launch::reject(status code, const std::string& why) const {
    throw failure(code, fmt::format("launching {}: {}", request_.kernel->name, why));
}

void validated_launch::check_shape() const {
    const program::dim3 &grid = request_.grid, &block = request_.block;
    const std::uint64_t threads = block.volume();
    if (grid.volume() == 0 || threads == 0 || threads > 1024 || block.z > 64 || grid.y > 65535 ||
        grid.z > 65535 || grid.x > 0x7fffffffu)
        reject(status::invalid_configuration,
               fmt::format("a grid of {}x{}x{} blocks of {}x{}x{} threads", grid.x, grid.y, grid.z,
                           block.x, block.y, block.z));
    if (const std::string fault = execution::block_fault(*request_.kernel, block); !fault.empty())
        reject(status::invalid_value, fault);
}

void validated_launch::check_resources(const system_config& config) {
    launch_request& r = request_;
    const core::sm_config& sm = config.gpu.cores.sm;
    const auto threads = static_cast<unsigned>(r.block.volume());
    const std::uint64_t shared = r.kernel->allocated_shared(r.dynamic_shared);
    if (shared > max_shared_memory(config))
        reject(status::invalid_value, fmt::format("{} bytes of shared memory; a block may have {}",
                                                  shared, max_shared_memory(config)));
    r.kernel = &r.module->fitted(*r.kernel, threads, sm);
    const unsigned resident =
        resident_blocks(config, *r.kernel, threads, r.dynamic_shared, r.carve_out);
    if (resident == 0)
        reject(status::launch_out_of_resources,
               fmt::format("a block of {} threads with {} registers each does not fit an SM",
                           threads, r.kernel->registers));
    const std::uint64_t resident_on_gpu = std::uint64_t{resident} * config.gpu.sms();
    if (r.cooperative && r.grid.volume() > resident_on_gpu)
        reject(status::cooperative_launch_too_large,
               fmt::format("{} blocks cannot be resident at the same time; {} can", r.grid.volume(),
                           resident_on_gpu));
    const program::dim3 cluster = execution::cluster_of(*r.kernel, r.cluster);
    if (const std::string fault = execution::cluster_fault(*r.kernel, r.grid, cluster);
        !fault.empty())
        reject(status::invalid_cluster_size, fault);
    const auto size = static_cast<unsigned>(cluster.volume());
    if (size > 1 &&
        active_cta_clusters(config, *r.kernel, threads, r.dynamic_shared, size, r.carve_out) == 0)
        reject(status::invalid_cluster_size,
               fmt::format("no GPC has room for a cluster of {} blocks, {} of which fit an SM",
                           size, resident));
}

void validated_launch::check_timing(const system_config& config) const {
    const execution::kernel_image& k = *request_.kernel;
    const std::string untimed = execution::untimed_part(k, *request_.module->descriptor());
    if (!untimed.empty()) throw failure(status::not_supported, untimed, execution::untimed_remedy);
    if (execution::cluster_of(k, request_.cluster).volume() > 1 && !config.gpu.times_cta_clusters)
        throw failure(
            status::not_supported,
            fmt::format("launching {}: clusters of thread blocks cannot be timed on this core",
                        k.name),
            execution::untimed_remedy);
}

task_ptr validated_launch::make_task(unsigned device) const {
    auto t = std::make_shared<task>();
    t->what = task::kind::kernel;
    t->device = device;
    t->launch = request_;
    return t;
}

}  // namespace simtlm::device
