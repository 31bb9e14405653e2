// SPDX-License-Identifier: Apache-2.0
#include "platform/config/gpc_reader.h"
#include "platform/config/readers.h"

#include <algorithm>

namespace simtlm::platform {

namespace {

constexpr unsigned sms_of_a_tpc = 2;

/// The GPCs in turn, in each of them the TPCs in turn; the second SM of a TPC after the first SMs
/// of all. A cluster of more than one SM counts as a TPC.
std::vector<unsigned> gpcs_in_turn(std::vector<unsigned> gpcs, unsigned clusters,
                                   unsigned sms_per_cluster) {
    if (gpcs.empty()) gpcs.push_back(clusters * sms_per_cluster);
    const unsigned step = std::max(1u, sms_of_a_tpc / sms_per_cluster);
    std::vector<unsigned> order;
    for (unsigned second = 0; second < step; ++second)
        for (unsigned tpc = 0, placed = 1; placed != 0; ++tpc) {
            placed = 0;
            unsigned first = 0;
            for (const unsigned sms : gpcs) {
                const unsigned end = first + sms / sms_per_cluster;
                if (first + tpc * step < end) ++placed;
                if (first + tpc * step + second < end) order.push_back(first + tpc * step + second);
                first = end;
            }
        }
    return order;
}

}  // namespace

void read_dispatch(const option_values& v, unsigned clusters, unsigned sms_per_cluster,
                   dispatch::dispatch_config& d) {
    const std::string& order = v.text("-gpgpu_cta_order");
    if (order == "gpcs") {
        const std::vector<unsigned> gpcs = read_gpcs(v, clusters * sms_per_cluster);
        for (const unsigned sms : gpcs)
            if (sms % sms_per_cluster != 0)
                v.fail("-gpgpu_cta_order", "a GPC ends within a cluster of SMs",
                       "-gpgpu_gpc_sms with multiples of -gpgpu_n_cores_per_cluster");
        d.cluster_order = gpcs_in_turn(gpcs, clusters, sms_per_cluster);
    } else if (order != "clusters") {
        v.fail("-gpgpu_cta_order", "unknown order", "clusters or gpcs");
    }
    const std::string& placement = v.text("-gpgpu_cta_placement");
    if (placement != "turns" && placement != "most-room")
        v.fail("-gpgpu_cta_placement", "unknown placement", "turns or most-room");
    d.by_capacity = placement == "most-room";
    d.kernel_launch_latency = v.number("-gpgpu_kernel_launch_latency");
    d.block_launch_latency = v.number("-gpgpu_TB_launch_latency");
    d.cta_launch_interval = interval(v, "-gpgpu_cta_launch_interval", 0, "core");
    d.max_concurrent_kernels = v.number("-gpgpu_max_concurrent_kernel", 1);
    d.concurrent_kernels_per_sm = v.flag("-gpgpu_concurrent_kernel_sm");
    d.max_cycles = v.natural("-gpgpu_max_cycle");
    d.max_instructions = v.natural("-gpgpu_max_insn");
    d.max_ctas = v.natural("-gpgpu_max_cta");
    d.max_completed_ctas = v.natural("-gpgpu_max_completed_cta");
    d.deadlock_detect = v.flag("-gpgpu_deadlock_detect");
}

}  // namespace simtlm::platform
