// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cta_cluster.h"
#include "modules/core/multiprocessor.h"

#include <memory>
#include <vector>

namespace simtlm::core {

class cluster_barrier;
class cluster_multiprocessor;

/// How clusters of CTAs run. Core cycles.
struct cluster_timing {
    bool supported = false;      ///< SMs take part in clusters (compute capability 9.0)
    std::vector<unsigned> gpcs;  ///< SMs of each GPC; empty: all SMs are one
    unsigned lanes = 4;          ///< of the SM-to-SM network, of so many SMs, each way
    unsigned lane_bytes = 32;    ///< of a lane in a cycle
    unsigned sms_per_path = 6;   ///< that share lanes in equal parts
    unsigned near_latency = 73;  ///< one way, between SMs that share lanes, without the bytes' time
    unsigned far_latency = 79;   ///< ... and between others
    unsigned access_latency = 20;      ///< of shared memory that another SM reads
    unsigned multicast_latency = 135;  ///< of a bulk copy's arrival at other SMs than its own
    unsigned barrier_latency = 70;     ///< from an SM to the barrier of a cluster, and back
};

/// A GPC: SMs that can run the CTAs of one cluster.
struct gpc {
    std::vector<cluster_multiprocessor*> sms;
};

/// Clusters of a kernel that an empty GPU has room for at a time (cudaOccupancyMaxActiveClusters);
/// 0: it can never run.
/// @param sms           of the GPU
/// @param ctas_per_sm   that fit one SM
/// @param cluster_size  CTAs of a cluster
inline unsigned active_clusters(const cluster_timing& timing, unsigned sms, unsigned ctas_per_sm,
                                unsigned cluster_size) {
    if (timing.gpcs.empty()) return sms * ctas_per_sm / cluster_size;
    unsigned clusters = 0;
    for (const unsigned n : timing.gpcs) clusters += n * ctas_per_sm / cluster_size;
    return clusters;
}

/// The GPCs of a GPU, which all of its SMs know, and what they have for clusters.
class gpc_directory {
public:
    virtual ~gpc_directory() = default;

    std::vector<gpc> gpcs;
    cluster_barrier* barrier = nullptr;
    std::size_t last_gpc = 0;    ///< got a cluster last
    std::uint64_t clusters = 0;  ///< placed
};

/// A streaming multiprocessor that can run CTAs of clusters.
class cluster_multiprocessor : public multiprocessor {
public:
    /// nullptr: it takes no part in clusters.
    virtual const cluster_timing* clusters() const = 0;
    /// Binds its port to the SM-to-SM network of its GPC, and tells it of all GPCs, which it keeps.
    virtual void join_clusters(protocol::cluster_network_port& network,
                               std::shared_ptr<gpc_directory> all) = 0;
    /// nullptr: it has joined none.
    virtual gpc_directory* gpcs() const = 0;
    /// CTAs of a kernel that can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    virtual unsigned room_for(const kernel_context& kernel, bool concurrent) const = 0;
    /// The same as launch(), of a CTA of a cluster. @param rank  of the CTA within it
    virtual void launch_in_cluster(kernel_context& kernel, std::unique_ptr<program::cta> block,
                                   const std::shared_ptr<cta_cluster>& cluster, unsigned rank) = 0;

protected:
    using multiprocessor::multiprocessor;
};

/// An SM as one that can run CTAs of clusters, and has joined a GPC; nullptr: it cannot.
inline cluster_multiprocessor* in_gpc(multiprocessor& sm) {
    auto* const able = dynamic_cast<cluster_multiprocessor*>(&sm);
    return able != nullptr && able->gpcs() != nullptr ? able : nullptr;
}

}  // namespace simtlm::core
