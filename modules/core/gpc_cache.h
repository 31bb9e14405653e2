// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "modules/cache/read_only_engine.h"
#include "modules/core/core_config.h"
#include "modules/protocol/port_buffer.h"
#include "modules/protocol/target_port.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core {

/// The cache for instructions and constants that the SMs of a GPC share, between their L1I and L1C
/// and the L2 (unit GCC of Nsight Compute; "L1.5" in Jia et al., Dissecting the NVIDIA Volta GPU
/// Architecture via Microbenchmarking, 2018). SMs that begin a kernel together read its code from
/// the L2 once per GPC instead of once per SM.
///
/// A request of a cluster is looked up gpc_cache_config::latency core cycles after it has arrived,
/// one per core cycle, clusters in turn. It is always accepted: the MSHRs of the L1 caches limit
/// the number of requests. A hit is answered in the cycle of the look-up; a miss is sent to the L2
/// through a port of the network that belongs to the cache, and answered after the fill, one access
/// per cycle. A cluster that has not accepted a response delays its own further ones only.
class gpc_cache : public simulation::clocked_module, private protocol::port_buffer::client {
public:
    sc_core::sc_vector<protocol::target_port<gpc_cache>> from_cluster;  ///< one per cluster
    protocol::port_buffer network;

    /// @param first_cluster  of the GPC; it has `clusters`
    gpc_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
              const gpc_cache_config& config, unsigned first_cluster, unsigned clusters);
    const char* kind() const override { return "gpc_cache"; }

    /// Whether a request or a response is inside.
    bool busy() const;
    /// Discards all lines.
    void invalidate() { engine_.invalidate(); }
    /// Valid between steps, whether or not the cache sleeps.
    const cache::cache_statistics& statistics();
    /// Describes what waits, for a deadlock report; empty if nothing does.
    std::string describe() const;
    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(support::archive& a);

private:
    struct arrival {
        tlm::tlm_generic_payload* request = nullptr;
        std::uint64_t due = 0;  ///< core cycle of its look-up
    };
    /// What waits at the port of a cluster, which several host threads run.
    struct alignas(64) waiting {
        support::ring_buffer<arrival> requests;
        support::ring_buffer<tlm::tlm_generic_payload*> responses;
    };

    tlm::tlm_sync_enum request(int cluster, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    bool accept_response(tlm::tlm_generic_payload& response) override;
    void request_ended(tlm::tlm_generic_payload&) override { process_.wake(); }
    void response_waits() override { process_.wake(); }

    void cycle();
    void replay(std::uint64_t now);
    void look_up(std::uint64_t now);
    void answer(tlm::tlm_generic_payload& p);
    void respond();
    void rest(std::uint64_t now);

    const gpc_cache_config& config_;
    const unsigned first_cluster_;
    cache::read_only_engine engine_;
    std::vector<waiting> waiting_;  // by cluster
    unsigned next_ = 0;             // cluster that is looked up first
    std::uint64_t next_cycle_ = 0;  // first core cycle that has not been counted
    simulation::clocked_process process_;
};

}  // namespace simtlm::core
