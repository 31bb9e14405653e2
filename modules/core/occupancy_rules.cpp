// SPDX-License-Identifier: Apache-2.0
#include "modules/core/occupancy_rules.h"

namespace simtlm::core {

const std::vector<occupancy_rules>& occupancy_table() {
    constexpr unsigned k = 1024;
    const std::vector<unsigned> volta = {0, 8, 16, 32, 64, 96}, turing = {32, 64},
                                ga100 = {0, 8, 16, 32, 64, 100, 132, 164},
                                ga102 = {0, 8, 16, 32, 64, 100},
                                hopper = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    // From 8.0 on the driver reserves 1 KB in each CTA. From 9.0 on the occupancy calculator counts
    // barriers: one or two for each CTA slot.
    const auto fermi = allocation_rules{64, 2, 2, 128, 0, 0};
    const auto kepler = allocation_rules{256, 4, 4, 256, 0, 0};
    const auto gp100 = allocation_rules{256, 2, 4, 256, 0, 0};
    const auto ampere = allocation_rules{256, 4, 4, 128, k, 0};
    const auto with_barriers = [](unsigned n) { return allocation_rules{256, 4, 4, 128, k, n}; };
    static const std::vector<occupancy_rules> table = {
        // capability, threads, CTAs; registers of SM, CTA, thread; KB of shared memory of SM, CTA
        {20, 1536, 8, 32 * k, 32 * k, 63, 48, 48, {}, fermi},
        {30, 2048, 16, 64 * k, 64 * k, 63, 48, 48, {}, kepler},
        {35, 2048, 16, 64 * k, 64 * k, 255, 48, 48, {}, kepler},
        {37, 2048, 16, 128 * k, 64 * k, 255, 112, 48, {}, kepler},
        {50, 2048, 32, 64 * k, 64 * k, 255, 64, 48, {}, kepler},
        {52, 2048, 32, 64 * k, 64 * k, 255, 96, 48, {}, kepler},
        {53, 2048, 32, 64 * k, 32 * k, 255, 64, 48, {}, kepler},
        {60, 2048, 32, 64 * k, 64 * k, 255, 64, 48, {}, gp100},
        {61, 2048, 32, 64 * k, 64 * k, 255, 96, 48, {}, kepler},
        {62, 2048, 32, 64 * k, 32 * k, 255, 64, 48, {}, kepler},
        {70, 2048, 32, 64 * k, 64 * k, 255, 96, 96, volta, kepler},
        {72, 2048, 32, 64 * k, 64 * k, 255, 96, 96, volta, kepler},
        {75, 1024, 16, 64 * k, 64 * k, 255, 64, 64, turing, kepler},
        {80, 2048, 32, 64 * k, 64 * k, 255, 164, 164, ga100, ampere},
        {86, 1536, 16, 64 * k, 64 * k, 255, 100, 100, ga102, ampere},
        {87, 1536, 16, 64 * k, 64 * k, 255, 164, 164, ga100, ampere},
        {89, 1536, 24, 64 * k, 64 * k, 255, 100, 100, ga102, ampere},
        {90, 2048, 32, 64 * k, 64 * k, 255, 228, 228, hopper, with_barriers(64)},
        {100, 2048, 32, 64 * k, 64 * k, 255, 228, 228, hopper, with_barriers(64)},
        {103, 2048, 32, 64 * k, 64 * k, 255, 228, 228, hopper, with_barriers(64)},
        {110, 1536, 24, 64 * k, 64 * k, 255, 228, 228, hopper, with_barriers(24)},
        {120, 1536, 24, 64 * k, 64 * k, 255, 100, 100, ga102, with_barriers(24)},
    };
    return table;
}

const occupancy_rules& occupancy_rules_of(unsigned capability) {
    const std::vector<occupancy_rules>& table = occupancy_table();
    std::size_t row = 0;
    while (row + 1 < table.size() && table[row + 1].capability <= capability) ++row;
    return table[row];
}

}  // namespace simtlm::core
