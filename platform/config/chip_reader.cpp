// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace simtlm::platform {

namespace {

void read_clocks(const option_values& v, clock_config& c) {
    constexpr std::string_view clocks = "-gpgpu_clock_domains";
    const std::vector<std::string> parts = split(v.text(clocks), ':');
    if (parts.size() != 4)
        v.fail(clocks, "does not contain four frequencies", "CORE:NETWORK:L2:DRAM in MHz");
    double* const hertz[] = {&c.core, &c.network, &c.l2, &c.dram};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto megahertz = parse_real(parts[i]);
        if (!megahertz) v.fail(clocks, fmt::format("'{}' is not a frequency", parts[i]), "MHz");
        if (*megahertz <= 0) v.fail(clocks, "a frequency must be greater than zero", "MHz");
        if (*megahertz < 0.001 || *megahertz > 1e6)
            v.fail(clocks, fmt::format("{} MHz is out of range", parts[i]), "0.001 to 1000000 MHz");
        *hertz[i] = *megahertz * 1e6;
    }
}

}  // namespace

void read_chip(const option_values& v, gpu_config& config) {
    config.cores.clusters = v.number("-gpgpu_n_clusters", 1, 4096);
    config.cores.sms_per_cluster = v.number("-gpgpu_n_cores_per_cluster", 1, 256);
    config.cores.ejection_buffer_size =
        v.number("-gpgpu_n_cluster_ejection_buffer_size", 1, max_queue_entries);
    config.cores.sim_order = v.number("-gpgpu_simt_core_sim_order", 0, 1);
    config.compute_capability_major = v.number("-gpgpu_compute_capability_major", 1, 99);
    config.compute_capability_minor = v.number("-gpgpu_compute_capability_minor", 0, 9);
    read_clocks(v, config.clocks);
}

}  // namespace simtlm::platform
