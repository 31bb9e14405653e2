// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/launch.h"

#include "modules/execution/state/block_cluster.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

namespace {
std::uint32_t rounded(std::uint64_t bytes, std::uint64_t to) {
    return static_cast<std::uint32_t>((bytes + to - 1) / to * to);
}

void check(const launch& l) {
    const auto refuse = [&](const std::string& why) {
        throw support::user_error("", fmt::format("launching {}: {}", l.kernel->name, why));
    };
    if (l.grid.volume() == 0 || l.block.volume() == 0) refuse("grid and block must not be empty");
    if (l.block.volume() > 1024)
        refuse(fmt::format("{} threads per block; 1024 are the most", l.block.volume()));
    if (l.parameters.size() < l.kernel->parameter_bytes)
        refuse(fmt::format("{} bytes of parameters; it takes {}", l.parameters.size(),
                           l.kernel->parameter_bytes));
    if (l.environment.size() > 32)
        refuse(fmt::format("{} environment registers; 32 are the most", l.environment.size()));
    const std::string fault = block_fault(*l.kernel, l.block);
    if (!fault.empty()) refuse(fault);
}

program::dim3 checked_cluster(const launch& l) {
    const program::dim3 c = cluster_of(*l.kernel, l.cluster);
    const std::string fault = cluster_fault(*l.kernel, l.grid, c);
    if (!fault.empty())
        throw support::user_error("", fmt::format("launching {}: {}", l.kernel->name, fault));
    return c;
}
}  // namespace

std::string block_fault(const kernel_image& kernel, const program::dim3& block) {
    const auto& need = kernel.required_block;
    if (need[0] != 0 && (block.x != need[0] || block.y != need[1] || block.z != need[2]))
        return fmt::format("blocks of {}x{}x{} threads; the kernel demands {}x{}x{} (.reqntid)",
                           block.x, block.y, block.z, need[0], need[1], need[2]);
    if (kernel.max_block_threads != 0 && block.volume() > kernel.max_block_threads)
        return fmt::format(
            "blocks of {}x{}x{} threads; the kernel allows {} (.maxntid, "
            "__launch_bounds__)",
            block.x, block.y, block.z, kernel.max_block_threads);
    return {};
}

void complete_shape(const kernel_image& kernel, program::dim3& grid, program::dim3& block) {
    if (!kernel.blocks_are_clusters) return;
    const auto& threads = kernel.required_block;
    if (block.volume() == 1 && threads[0] != 0) block = {threads[0], threads[1], threads[2]};
    const auto times = [](std::uint32_t& n, std::uint32_t by) {
        n = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{n} * by, ~0u));
    };
    if (kernel.required_cluster[0] == 0) return;
    times(grid.x, kernel.required_cluster[0]);
    times(grid.y, kernel.required_cluster[1]);
    times(grid.z, kernel.required_cluster[2]);
}

program::dim3 cluster_of(const kernel_image& kernel, const program::dim3& asked) {
    const auto& need = kernel.required_cluster;
    if (need[0] == 0 || asked.volume() > 1) return asked;
    return {need[0], need[1], need[2]};
}

launch_context::launch_context(const launch& l, device_memory& m, const services& s)
    : what(l), image(*l.image), kernel(*l.kernel), memory(m), world(s) {
    check(l);
    threads_ = static_cast<unsigned>(l.block.volume());
    cluster_ = checked_cluster(l);
    shared_bytes_ = kernel.static_shared + l.dynamic_shared;
    std::uint64_t local = kernel.local_bytes;
    if (kernel.stack_unknown) local += s.stack_limit;
    local_bytes_ = rounded(local, 16);
    if (!l.cooperative) {
        constants_ = image.launch_constants(l, local_bytes_);
        return;
    }
    // Where cooperative groups count arrivals at grid barriers.
    constexpr std::uint64_t bytes = 1024;
    grid_workspace = m.allocate(bytes, 256, "grid workspace");
    m.fill(grid_workspace, 0, bytes);
    launch with_workspace = l;
    with_workspace.environment.resize(std::max<std::size_t>(l.environment.size(), 3));
    with_workspace.environment[1] = static_cast<std::uint32_t>(grid_workspace >> 32);
    with_workspace.environment[2] = static_cast<std::uint32_t>(grid_workspace);
    try {
        constants_ = image.launch_constants(with_workspace, local_bytes_);
    } catch (...) {
        m.release(grid_workspace);
        throw;
    }
}

pending_ctas::~pending_ctas() = default;

launch_context::~launch_context() {
    if (grid_workspace != 0) memory.release(grid_workspace);
}

void launch_context::print(std::string_view text) {
    const std::lock_guard<std::mutex> lock(printing_);
    if (world.print) world.print(text);
}

}  // namespace simtlm::execution
