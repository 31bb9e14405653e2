// SPDX-License-Identifier: Apache-2.0
#include "modules/core/occupancy.h"

#include <algorithm>

namespace simtlm::core {

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

/// The smallest carve-out that holds `bytes`, or the largest.
std::uint64_t carve_out_for(const sm_config& config, std::uint64_t bytes) {
    for (const unsigned kb : config.shared.carve_out_kb)
        if (bytes <= std::uint64_t{kb} * 1024) return std::uint64_t{kb} * 1024;
    return config.shared.bytes;
}

bool has_preference(const sm_config& config, const cta_needs& needs) {
    return config.l1.adaptive && needs.carve_out >= 0;
}

/// Warps for which the register file has room; 0 if CTAs of so many warps are not permitted.
std::uint64_t warps_by_registers(const sm_config& config, std::uint64_t per_warp,
                                 std::uint64_t warps) {
    const allocation_rules& rules = config.allocation;
    if (checked_registers(config, per_warp, warps) > config.registers_per_block) return 0;
    return config.registers / rules.sub_core_register_files / per_warp *
           rules.sub_core_register_files;
}

}  // namespace

std::uint64_t checked_registers(const sm_config& config, std::uint64_t per_warp,
                                std::uint64_t warps) {
    const unsigned unit = config.allocation.checked_warps;
    return unit == 0 ? 0 : (warps + unit - 1) / unit * unit * per_warp;
}

cta_needs needs_of(const program::kernel_descriptor& kernel) {
    return {kernel.threads_per_block(), kernel.registers, kernel.shared_memory, kernel.barriers,
            kernel.carve_out};
}

std::uint64_t shared_of_sm(const sm_config& config, const cta_needs& needs) {
    if (!has_preference(config, needs)) return config.shared.bytes;
    const auto percent = static_cast<std::uint64_t>(std::min(needs.carve_out, 100));
    const std::uint64_t preferred = percent * config.shared.bytes / 100;
    return carve_out_for(config, std::max(preferred, needs.allotted_shared(config)));
}

occupancy occupancy_of(const sm_config& config, const cta_needs& needs, std::uint64_t blocks,
                       unsigned sms) {
    const std::uint64_t warps = std::max(needs.warps(config.warp_size), 1u);
    const std::uint64_t by_threads = config.max_threads / (warps * config.warp_size);
    const std::uint64_t shared = needs.allotted_shared(config);
    const std::uint64_t by_shared =
        shared > 0
            ? std::min(shared_of_sm(config, needs), std::uint64_t{config.shared.bytes}) / shared
            : unlimited;
    const std::uint64_t per_warp = needs.registers_per_warp(config);
    const std::uint64_t by_registers =
        per_warp > 0 ? warps_by_registers(config, per_warp, warps) / warps : unlimited;
    const std::uint64_t by_barriers = config.allocation.barriers > 0 && needs.barriers > 0
                                          ? config.allocation.barriers / needs.barriers
                                          : unlimited;
    const std::uint64_t fit = std::min({by_threads, by_shared, by_registers, by_barriers,
                                        static_cast<std::uint64_t>(config.max_ctas)});
    occupancy result;
    result.by_threads = fit == by_threads;
    result.by_shared_memory = fit == by_shared;
    result.by_registers = fit == by_registers;
    result.by_barriers = fit == by_barriers;
    result.by_cta_limit = fit == config.max_ctas;
    std::uint64_t ctas = fit;
    if (blocks < ctas * sms) ctas = (blocks + sms - 1) / sms;
    if (ctas == 0 && config.ignore_resource_limits) ctas = 1;
    result.ctas = static_cast<unsigned>(ctas);
    return result;
}

occupancy occupancy_of(const sm_config& config, const cta_needs& needs) {
    return occupancy_of(config, needs, unlimited, 1);
}

unsigned max_threads_per_cta(const sm_config& config, std::uint32_t registers) {
    constexpr unsigned most = 1024;
    const unsigned threads = std::min(most, config.max_threads);
    const std::uint64_t per_warp =
        cta_needs{config.warp_size, registers, 0}.registers_per_warp(config);
    if (per_warp == 0) return threads;
    const unsigned unit = std::max(config.allocation.checked_warps, 1u);
    const std::uint64_t warps = config.registers_per_block / per_warp / unit * unit;
    return static_cast<unsigned>(std::min<std::uint64_t>(threads, warps * config.warp_size));
}

unsigned max_registers_per_thread(const sm_config& config, unsigned threads) {
    constexpr unsigned most = 256, unit = 8;
    for (unsigned n = most; n > 0; n -= unit) {
        const cta_needs needs{threads, n, 0};
        const unsigned warps = std::max(needs.warps(config.warp_size), 1u);
        if (warps_by_registers(config, needs.registers_per_warp(config), warps) >= warps) return n;
    }
    return 0;
}

std::uint64_t max_shared_per_cta(const sm_config& config) {
    // From compute capability 7.0 on, a kernel may opt in to more than the usual limit.
    constexpr unsigned first_with_opt_in = 7;
    if (config.compute_capability_major < first_with_opt_in)
        return std::min(config.shared.bytes, config.shared.bytes_per_block);
    return config.shared.bytes - std::min(config.shared.bytes, config.allocation.reserved_shared);
}

std::uint64_t usual_shared_per_cta(const sm_config& config) {
    return std::min<std::uint64_t>(48 << 10, max_shared_per_cta(config));
}

std::uint64_t dynamic_shared_for(const sm_config& config, const cta_needs& needs, unsigned ctas) {
    const unsigned unit = config.allocation.shared_unit;
    const std::uint64_t each = shared_of_sm(config, needs) / ctas / unit * unit;
    const std::uint64_t used =
        std::uint64_t{needs.shared_memory} + config.allocation.reserved_shared;
    return each > used ? std::min(each - used, max_shared_per_cta(config) - needs.shared_memory)
                       : 0;
}

l1_split l1_split_of(const sm_config& config, const cta_needs& needs, unsigned ctas) {
    l1_split split{config.l1.data.ways, config.l1.data.allocation};
    if (!config.l1.adaptive || config.l1.unified_kb == 0) return split;
    const std::uint64_t unified = std::uint64_t{config.l1.unified_kb} * 1024;
    const std::uint64_t used = has_preference(config, needs) ? shared_of_sm(config, needs)
                                                             : needs.allotted_shared(config) * ctas;
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
        split.allocation = needs.shared_memory == 0 || ctas == 0
                               ? cache::allocation_policy::on_miss
                               : cache::allocation_policy::on_fill;
    return split;
}

}  // namespace simtlm::core
