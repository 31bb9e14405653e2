// SPDX-License-Identifier: Apache-2.0
// Occupancy, and clusters of thread blocks.
#include "platform/device/kernel_limits.h"
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/function/function.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

namespace {
constexpr unsigned portable_cluster = 8, max_ctas_per_cluster = 16;  ///< thread blocks
}

int resident_blocks(session& s, function& f, int block, std::size_t shared) {
    require(block > 0, status::invalid_value, "a block without threads");
    if (block > 1024 || shared > permitted_dynamic_shared(s, f)) return 0;
    const auto threads = static_cast<unsigned>(block);
    const execution::kernel_image& kernel =
        f.code->fitted(*f.kernel, threads, s.config().gpu.cores.sm);
    return static_cast<int>(
        device::resident_blocks(s.config(), kernel, threads, shared, carve_out_of(s, f)));
}

std::size_t available_dynamic_shared(session& s, function& f, int blocks, int block_size) {
    require(blocks > 0, status::invalid_value, "no blocks");
    require(resident_blocks(s, f, block_size, 0) >= blocks, status::invalid_value,
            "so many blocks do not fit an SM");
    return std::min(device::available_shared(s.config(), *f.kernel, static_cast<unsigned>(blocks),
                                             carve_out_of(s, f)),
                    permitted_dynamic_shared(s, f));
}

size3 permitted_cluster(const function& f, const size3& asked) {
    const auto& own = f.required_cluster;
    size3 c = asked;
    if (asked.x * asked.y * asked.z <= 1 && own[0] > 0 && own[1] > 0 && own[2] > 0)
        c = {static_cast<unsigned>(own[0]), static_cast<unsigned>(own[1]),
             static_cast<unsigned>(own[2])};
    const std::uint64_t size = std::uint64_t{c.x} * c.y * c.z;
    require(size <= portable_cluster || f.non_portable_cluster, status::invalid_cluster_size,
            "a cluster of more than 8 thread blocks is not permitted for the function "
            "(cudaFuncAttributeNonPortableClusterSizeAllowed)");
    return c;
}

int active_cta_clusters(session& s, function& f, const size3& block, std::size_t shared,
                        const size3& asked) {
    const size3 c = permitted_cluster(f, asked);
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    require(threads > 0, status::invalid_value, "a block without threads");
    const unsigned size = device::cluster_size(*f.kernel, {c.x, c.y, c.z});
    if (threads > 1024 || shared > permitted_dynamic_shared(s, f)) return 0;
    const execution::kernel_image& kernel =
        f.code->fitted(*f.kernel, static_cast<unsigned>(threads), s.config().gpu.cores.sm);
    return static_cast<int>(device::active_cta_clusters(
        s.config(), kernel, static_cast<unsigned>(threads), shared, size, carve_out_of(s, f)));
}

int largest_cluster_of(session& s, function& f, const size3& block, std::size_t shared) {
    const more_function_attributes a = more_attributes_of(f);
    if (a.required_cluster[0] > 0)
        return a.required_cluster[0] * a.required_cluster[1] * a.required_cluster[2];
    unsigned size = f.non_portable_cluster ? max_ctas_per_cluster : portable_cluster;
    const unsigned most = f.kernel->max_cluster;
    while (size > 1 && ((most != 0 && size > most) ||
                        active_cta_clusters(s, f, block, shared, {size, 1, 1}) == 0))
        size /= 2;
    return static_cast<int>(size);
}

CALL(cuOccupancyMaxActiveClusters, session& s, int* to, void* f, const driver_launch* c) {
    require_pointer(to, c);
    *to = active_cta_clusters(s, *s.modules.function_of(f), c->block, c->shared,
                              options_of(c->attributes, c->attribute_count).cluster);
}
CALL(cuOccupancyMaxPotentialClusterSize, session& s, int* to, void* f, const driver_launch* c) {
    require_pointer(to, c);
    *to = largest_cluster_of(s, *s.modules.function_of(f), c->block, c->shared);
}
CALL(cuOccupancyMaxPotentialBlockSize, session& s, int* grid, int* block, void* f,
     std::size_t (*shared_of)(int), std::size_t shared, int limit) {
    require_pointer(grid, block);
    function& one = *s.modules.function_of(f);
    int most = attributes_of(s, one).max_threads;
    if (limit > 0) most = std::min(most, limit);
    int best = 0;
    *grid = *block = 0;
    for (int threads = most; threads > 0; threads -= threads % 32 == 0 ? 32 : threads % 32) {
        const int resident =
            resident_blocks(s, one, threads, shared_of != nullptr ? shared_of(threads) : shared);
        if (resident * threads <= best) continue;
        best = resident * threads;
        *block = threads;
        *grid = resident * static_cast<int>(s.config().gpu.sms());
    }
}
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, session& s, int* to, const void* kernel,
     int block, std::size_t shared) {
    require_pointer(to);
    *to = resident_blocks(s, *s.modules.function_of(kernel), block, shared);
}
CALL(cudaOccupancyMaxActiveClusters, session& s, int* to, const void* kernel,
     const launch_configuration* c) {
    require_pointer(to, c);
    *to = active_cta_clusters(s, *s.modules.function_of(kernel), c->block, c->shared,
                              options_of(c->attributes, c->attribute_count).cluster);
}
CALL(cudaOccupancyMaxPotentialClusterSize, session& s, int* to, const void* kernel,
     const launch_configuration* c) {
    require_pointer(to, c);
    *to = largest_cluster_of(s, *s.modules.function_of(kernel), c->block, c->shared);
}
CALL(cudaOccupancyAvailableDynamicSMemPerBlock, session& s, std::size_t* to, const void* kernel,
     int blocks, int block_size) {
    require_pointer(to);
    *to = available_dynamic_shared(s, *s.modules.function_of(kernel), blocks, block_size);
}

}  // namespace simtlm::cuda
