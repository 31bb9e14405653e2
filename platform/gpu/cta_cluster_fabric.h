// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cta_cluster_barrier.h"
#include "modules/core/gpc_directory.h"
#include "modules/core/simt_cluster.h"
#include "modules/interconnect/sm_to_sm_network.h"

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::platform {

/// Cluster support of a GPU: one SM-to-SM network per GPC, and the cluster barrier. Must outlive
/// the SMs, which refer to it.
class cta_cluster_fabric {
public:
    /// Builds and binds the fabric if the SMs support clusters. Call during elaboration.
    /// @param clusters  all SM clusters of the GPU
    /// @return nullptr if they do not
    static std::unique_ptr<cta_cluster_fabric> make(
        simulation::phase_sequencer& sequencer, const std::vector<core::simt_cluster*>& clusters,
        sc_core::sc_in<bool>& clock);

    /// One network per GPC.
    const std::vector<std::unique_ptr<interconnect::sm_to_sm_network>>& networks() const {
        return networks_;
    }
    const core::cta_cluster_barrier& barriers() const { return *barrier_; }
    /// Whether no message and no arrival at a barrier is under way.
    bool idle() const;
    /// Saves or restores the state that outlives kernels.
    void checkpoint(support::archive& a);

private:
    std::vector<std::unique_ptr<interconnect::sm_to_sm_network>> networks_;
    std::unique_ptr<core::cta_cluster_barrier> barrier_;
    core::gpc_directory directory_;
};

}  // namespace simtlm::platform
