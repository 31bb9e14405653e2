// SPDX-License-Identifier: Apache-2.0
#include "platform/config/gpc_reader.h"

#include "platform/config/readers.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace simtlm::platform {

std::vector<unsigned> read_gpcs(const option_values& v, unsigned sms) {
    if (v.text("-gpgpu_gpc_sms") == "0") return {};
    const std::vector<unsigned> given = read(v, "-gpgpu_gpc_sms", [](const std::string& text) {
        return parse_numbers(text, ',', 1, 1024);
    });
    if (std::count(given.begin(), given.end(), 0u) != 0)
        v.fail("-gpgpu_gpc_sms", "a GPC without SMs", "1 or more; or only 0: one GPC");
    std::vector<unsigned> gpcs;
    for (unsigned left = sms; left != 0; left -= gpcs.back())
        gpcs.push_back(std::min(left, given[std::min(gpcs.size(), given.size() - 1)]));
    return gpcs;
}

std::vector<unsigned> read_gpcs_of_clusters(const option_values& v, unsigned clusters,
                                            unsigned sms_per_cluster) {
    std::vector<unsigned> gpcs = read_gpcs(v, clusters * sms_per_cluster);
    if (gpcs.empty()) gpcs.push_back(clusters * sms_per_cluster);
    std::vector<unsigned> gpc_of_cluster;
    unsigned gpc = 0, end = gpcs[0];
    for (unsigned cluster = 0; cluster < clusters; ++cluster) {
        while (cluster * sms_per_cluster >= end) end += gpcs[++gpc];
        gpc_of_cluster.push_back(gpc);
    }
    return gpc_of_cluster;
}

void read_gpc_cache(const option_values& v, core::simt_cluster_config& cores) {
    constexpr std::string_view option = "-gpgpu_cache:gpc";
    core::gpc_cache_config& c = cores.gpc_cache;
    c.cache = read_only_cache(v, option);
    c.latency = v.number("-gpgpu_gpc_cache_latency", 0, max_latency);
    if (!c.cache.enabled) return;
    if (c.cache.texture_fifo || c.cache.kind != cache::cache_kind::normal)
        v.fail(option, "this cache has whole lines, and no texture FIFO",
               "kind N, and MSHR kind A or S");
    constexpr unsigned largest_reply = 128;  // bytes of data of a packet
    if (c.cache.line_bytes > largest_reply)
        v.fail(option, "the network transfers no lines of this size", "lines of at most 128 bytes");
    const core::l1_config& l1 = cores.sm.l1;
    if (c.cache.line_bytes < l1.instruction.line_bytes ||
        c.cache.line_bytes < l1.constant.line_bytes)
        v.fail(option, "an L1 cache requests more than a line",
               "lines of at least the size of those of -gpgpu_cache:il1 and "
               "-gpgpu_const_cache:l1");
    c.sms_per_cluster = cores.sms_per_cluster;
    c.requests_of_cluster =
        cores.sms_per_cluster * (l1.instruction.mshr_entries + l1.constant.mshr_entries);
    for (const unsigned gpc : read_gpcs_of_clusters(v, cores.clusters, cores.sms_per_cluster)) {
        c.clusters_of_gpc.resize(std::max<std::size_t>(c.clusters_of_gpc.size(), gpc + 1));
        ++c.clusters_of_gpc[gpc];
    }
}

}  // namespace simtlm::platform
