// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cluster_barrier.h"
#include "modules/core/cluster_multiprocessor.h"
#include "modules/core/simt_cluster.h"
#include "modules/interconnect/cluster_network.h"

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::platform {

/// What a GPU has for clusters of CTAs: an SM-to-SM network for each GPC, and the barrier. It lives
/// as long as the SMs, which know it.
class cluster_fabric : public core::gpc_directory {
public:
    /// Makes and binds it where SMs take part in clusters. During elaboration.
    /// @param clusters  of SMs, all of the GPU
    static void make(kernel::phase_sequencer& sequencer,
                     const std::vector<core::simt_cluster*>& clusters, sc_core::sc_in<bool>& clock);
    /// Of a GPU; nullptr: it has none. @param sm  some SM of it
    static cluster_fabric* of(core::multiprocessor& sm);

    /// By GPC.
    const std::vector<std::unique_ptr<interconnect::cluster_network>>& networks() const {
        return networks_;
    }
    const core::cluster_barrier& barriers() const { return *barrier_; }

private:
    std::vector<std::unique_ptr<interconnect::cluster_network>> networks_;
    std::unique_ptr<core::cluster_barrier> barrier_;
};

}  // namespace simtlm::platform
