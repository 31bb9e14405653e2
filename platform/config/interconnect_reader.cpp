// SPDX-License-Identifier: Apache-2.0
#include "platform/config/gpc_reader.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::platform {

namespace {

/// -icnt_gpc_flits: the GPC of each port of an SM cluster, and of each cache of a GPC.
void read_gpc_links(const option_values& v, const core::simt_cluster_config& cores,
                    interconnect::crossbar_config& crossbar) {
    constexpr std::string_view option = "-icnt_gpc_flits";
    const double flits = v.real(option);
    if (!(flits == 0 || (flits >= 0.001 && flits <= 1000)))
        v.fail(option, "is not possible", "0, or 0.001 to 1000 flits");
    crossbar.gpc_flits = static_cast<unsigned>(std::lround(flits * 1000));
    if (crossbar.gpc_flits == 0) return;
    crossbar.gpc_of_cluster = read_gpcs_of_clusters(v, cores.clusters, cores.sms_per_cluster);
    for (unsigned gpc = 0; gpc < cores.gpc_cache.caches(); ++gpc)
        crossbar.gpc_of_cluster.push_back(gpc);
}

}  // namespace

void read_interconnect(const option_values& v, const core::simt_cluster_config& cores,
                       unsigned memories, interconnect::interconnect_config& n) {
    constexpr std::string_view mode = "-network_mode";
    n.kind = static_cast<interconnect::network_kind>(v.number(mode, 1, 3));
    n.flit_bytes = v.number("-icnt_flit_size", 1, 1u << 16);
    n.clusters = cores.clusters + cores.gpc_cache.caches();
    n.memories = memories;
    n.crossbar.in_buffer_limit = v.number("-icnt_in_buffer_limit", 1, max_queue_entries);
    n.crossbar.out_buffer_limit = v.number("-icnt_out_buffer_limit", 1, max_queue_entries);
    constexpr std::string_view subnets = "-icnt_subnets";
    n.crossbar.subnets = v.number(subnets, 0);
    if (n.kind == interconnect::network_kind::crossbar && n.crossbar.subnets != 2)
        v.fail(subnets, fmt::format("the crossbar has two subnets, not {}", n.crossbar.subnets),
               "2, for requests and for replies; with one they could block each other forever");
    n.crossbar.arbiter = choice<interconnect::crossbar_arbiter>(v, "-icnt_arbiter_algo", 1);
    n.crossbar.grant_cycles = v.number("-icnt_grant_cycles", 1, max_latency);
    n.crossbar.speedup = v.number("-icnt_speedup", 1, 16);
    read_gpc_links(v, cores, n.crossbar);
    if (n.kind != interconnect::network_kind::router) return;
    if (cores.gpc_cache.cache.enabled)
        v.fail("-gpgpu_cache:gpc", "a network of routers has no ports for caches of GPCs",
               "none, or the built-in crossbar with -network_mode 2");
    constexpr std::string_view option = "-inter_config_file";
    std::error_code ignored;
    if (!std::filesystem::exists(v.text(option), ignored))
        v.fail(option, "the network description does not exist",
               "give the file, or use the built-in crossbar with -network_mode 2");
    n.router = read_router_file(v.text(option));
}

}  // namespace simtlm::platform
