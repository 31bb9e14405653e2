// SPDX-License-Identifier: Apache-2.0
#include "modules/core/occupancy.h"

#include <algorithm>

namespace simtlm::core {

occupancy occupancy_of(const sm_config& config, const cta_needs& needs, std::uint64_t blocks,
                       unsigned sms) {
    constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    const std::uint64_t padded = std::max(needs.padded_threads(config.warp_size), config.warp_size);
    const std::uint64_t by_threads = config.max_threads / padded;
    const std::uint64_t by_shared =
        needs.shared_memory > 0 ? config.shared.bytes / needs.shared_memory : unlimited;
    const std::uint64_t allotted = needs.allotted_registers(config.warp_size);
    const std::uint64_t by_registers = allotted > 0 ? config.registers / allotted : unlimited;
    const std::uint64_t fit = std::min(
        {by_threads, by_shared, by_registers, static_cast<std::uint64_t>(config.max_ctas)});
    occupancy result;
    result.by_threads = fit == by_threads;
    result.by_shared_memory = fit == by_shared;
    result.by_registers = fit == by_registers;
    result.by_cta_limit = fit == config.max_ctas;
    std::uint64_t ctas = fit;
    if (blocks < ctas * sms) ctas = (blocks + sms - 1) / sms;
    if (ctas == 0 && config.ignore_resource_limits) ctas = 1;
    result.ctas = static_cast<unsigned>(ctas);
    return result;
}

l1_split l1_split_of(const sm_config& config, const cta_needs& needs, unsigned ctas) {
    l1_split split{config.l1.data.ways, config.l1.data.allocation};
    if (!config.l1.adaptive || config.l1.unified_kb == 0) return split;
    const std::uint64_t used = std::uint64_t{needs.shared_memory} * ctas;
    const std::uint64_t unified = std::uint64_t{config.l1.unified_kb} * 1024;
    for (const unsigned kb : config.shared.carve_out_kb) {
        const std::uint64_t carve_out = std::uint64_t{kb} * 1024;
        if (used > carve_out) continue;
        const float ratio = 1 - static_cast<float>(carve_out) / static_cast<float>(unified);
        // Number of ways if all of the on-chip memory were one cache.
        const auto most = static_cast<float>(
            unified / (std::uint64_t{config.l1.data.sets} * config.l1.data.line_bytes));
        split.ways = std::max(1u, static_cast<unsigned>(most * ratio + 0.5f));
        break;
    }
    if (config.l1.data.allocation == cache::allocation_policy::streaming)
        split.allocation =
            used == 0 ? cache::allocation_policy::on_miss : cache::allocation_policy::on_fill;
    return split;
}

}  // namespace simtlm::core
