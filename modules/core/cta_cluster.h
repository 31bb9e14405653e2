// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"
#include "modules/protocol/sm_to_sm_message.h"

#include <cstdint>
#include <vector>

namespace simtlm::core {

/// Interface of an SM to the rest of its GPC: its end of the SM-to-SM network and of the cluster
/// barrier.
class cta_cluster_endpoint {
public:
    virtual ~cta_cluster_endpoint() = default;

    /// Index of the SM in the GPU.
    virtual unsigned sm() const = 0;
    /// Passes a message to the network, or queues it until there is room; sets message.from. Called
    /// in phases of the SM, and in core_effects.
    virtual void send(protocol::sm_to_sm_message message) = 0;
    /// Another SM has changed this SM's shared memory: waits at mbarriers may succeed from a core
    /// cycle on.
    virtual void shared_memory_changed(std::uint64_t at) = 0;
    /// The barrier of a cluster is complete, and the notification has reached the SM. @param slot
    /// of the CTA
    virtual void barrier_completed(unsigned slot, const struct cta_cluster& cluster) = 0;
};

/// A resident thread block cluster: the location of its CTAs, and the warps that have arrived at
/// its barrier. Shared by the SMs that hold its CTAs.
struct cta_cluster {
    /// A CTA of the cluster.
    struct member {
        cta_cluster_endpoint* at = nullptr;  ///< nullptr: not placed yet
        unsigned slot = 0;                   ///< CTA slot of the SM
        warp_mask live = 0;                  ///< warps of the SM that have not ended
        warp_mask arrived = 0;               ///< live warps that have arrived at the barrier
    };
    std::uint64_t number = 0;         ///< placement number
    std::vector<member> members;      ///< by rank
    std::uint64_t first_arrival = 0;  ///< core cycle, for the current barrier
};

}  // namespace simtlm::core
