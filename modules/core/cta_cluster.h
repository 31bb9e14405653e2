// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"
#include "modules/protocol/cluster_message.h"

#include <cstdint>
#include <vector>

namespace simtlm::core {

/// What of an SM the rest of a GPC sees: its end of the SM-to-SM network and of the cluster
/// barrier.
class cluster_endpoint {
public:
    virtual ~cluster_endpoint() = default;

    /// Of the SM within the GPU.
    virtual unsigned sm() const = 0;
    /// Hands a message to the network, or keeps it until there is room. From phases of the SM, and
    /// from core_effects. from is filled in.
    virtual void send(protocol::cluster_message message) = 0;
    /// Another SM has changed its shared memory: waits at mbarriers may succeed from a core cycle
    /// on.
    virtual void shared_memory_changed(std::uint64_t at) = 0;
    /// The barrier of a cluster is complete, and the SM learns it. @param slot  of the CTA
    virtual void barrier_completed(unsigned slot, const struct cta_cluster& cluster) = 0;
};

/// A thread block cluster that is resident: where its CTAs are, and who has come to its barrier.
/// Shared by the SMs that hold them.
struct cta_cluster {
    struct member {
        cluster_endpoint* at = nullptr;  ///< nullptr: not placed yet
        unsigned slot = 0;               ///< among the SM's CTAs
        warp_mask live = 0;              ///< warps of the SM, those that have not ended
        warp_mask arrived = 0;           ///< of them, those at the barrier
    };
    std::uint64_t number = 0;         ///< counts the clusters placed
    std::vector<member> members;      ///< by rank
    std::uint64_t first_arrival = 0;  ///< core cycle, of the barrier under way
};

}  // namespace simtlm::core
