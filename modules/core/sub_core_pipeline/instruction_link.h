// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sm_identity.h"
#include "modules/core/sub_core_pipeline/sub_core_config.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <deque>
#include <systemc>

namespace simtlm::core::sub_core_pipeline {

/// The connection between the L0 instruction caches of an SM and the L1 instruction cache that they
/// share: one request port and one reply port, round robin over the sub-cores, with a latency in
/// each direction (Huerta et al., section 5.2).
class instruction_link : public sc_core::sc_module {
public:
    protocol::cache_port_initiator<instruction_link> l1i;

    /// The L0 caches.
    struct client {
        virtual ~client() = default;
        /// Whether a sub-core has a line to request.
        virtual bool has_request(unsigned sub_core) = 0;
        /// @return address of the requested line. @pre has_request()
        virtual std::uint64_t take_request(unsigned sub_core) = 0;
        /// A requested line has arrived in the sub-core.
        virtual void line_arrived(unsigned sub_core, std::uint64_t line) = 0;
    };

    instruction_link(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const sub_core_config& config, unsigned sub_cores, client& l0s,
                     const requester_identity& identity, protocol::transaction_pool& transactions);
    ~instruction_link() override;
    const char* kind() const override { return "instruction_link"; }

    void wake() { process_.wake(); }
    /// A kernel has ended: discards lines in flight.
    void flush();
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    bool idle() const { return requests_.empty() && replies_.empty() && awaited_ == 0; }

private:
    struct message {
        std::uint64_t at;  // core cycle
        std::uint64_t line;
        unsigned sub_core;
        unsigned generation;
    };
    tlm::tlm_sync_enum respond(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void cycle();
    void access(std::uint64_t now);
    void reply(const message& m, std::uint64_t now);

    const sub_core_config& config_;
    const unsigned sub_cores_;
    client& l0s_;
    const requester_identity& identity_;
    protocol::transaction_pool& transactions_;
    std::deque<message> requests_, replies_;  // in order of arrival
    tlm::tlm_generic_payload* spare_ = nullptr;
    unsigned awaited_ = 0;  // outstanding misses of the L1
    unsigned first_ = 0;    // sub-core with the highest priority
    unsigned generation_ = 0;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::sub_core_pipeline
