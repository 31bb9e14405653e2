// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::core {

class cta_cluster_barrier;
class multiprocessor;

/// Support for clusters of CTAs and its timing, in core cycles.
struct cta_cluster_timing {
    bool supported = false;        ///< SMs support clusters (compute capability 9.0)
    std::vector<unsigned> gpcs;    ///< number of SMs of each GPC; empty: all SMs form one GPC
    unsigned lanes = 4;            ///< of the SM-to-SM network, per path and direction
    unsigned lane_bytes = 32;      ///< per lane and core cycle
    unsigned sms_per_path = 6;     ///< SMs that share the lanes in equal parts
    unsigned near_latency = 73;    ///< one way, between SMs of a path, without serialisation time
    unsigned far_latency = 79;     ///< the same, between other SMs
    unsigned access_latency = 20;  ///< of a shared memory read by another SM
    unsigned multicast_latency = 135;  ///< of a bulk copy's delivery to SMs other than its own
    unsigned barrier_latency = 70;     ///< from an SM to the barrier of a cluster, and back
};

/// A GPC: the SMs that can run the CTAs of one cluster.
struct gpc {
    std::vector<multiprocessor*> sms;
};

/// The number of clusters of a kernel that fit an empty GPU at a time
/// (cudaOccupancyMaxActiveClusters); 0: the kernel cannot run.
/// @param sms           number of SMs in the GPU
/// @param ctas_per_sm   CTAs that fit in one SM
/// @param cta_cluster_size  CTAs per cluster
inline unsigned active_cta_clusters(const cta_cluster_timing& timing, unsigned sms,
                                    unsigned ctas_per_sm, unsigned cta_cluster_size) {
    if (timing.gpcs.empty()) return sms * ctas_per_sm / cta_cluster_size;
    unsigned cta_clusters = 0;
    for (const unsigned n : timing.gpcs) cta_clusters += n * ctas_per_sm / cta_cluster_size;
    return cta_clusters;
}

/// The GPCs of a GPU and the state for placing clusters, shared by all SMs.
struct gpc_directory {
    std::vector<gpc> gpcs;
    cta_cluster_barrier* barrier = nullptr;
    std::size_t last_gpc = 0;        ///< GPC that got a cluster last
    std::uint64_t cta_clusters = 0;  ///< number of clusters placed
};

}  // namespace simtlm::core
