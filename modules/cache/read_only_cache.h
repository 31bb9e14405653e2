// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/read_only_engine.h"
#include "modules/cache/sm_cache.h"
#include "modules/protocol/phases.h"

#include <systemc>

namespace simtlm::cache {

/// A read-only cache of an SM: the instruction cache or the constant cache.
///
/// `port`: a hit is answered with TLM_COMPLETED, a miss with TLM_ACCEPTED (one response follows),
/// and a reservation failure with refused. One miss is sent to memory per cycle: in a phase of its
/// own or, with send_at_access, directly after the access in the same cycle, which models an
/// instruction cache whose cycle follows the fetch. Fills are accepted when the fill port is free;
/// with always_fill, immediately.
class read_only_cache : public sm_cache<read_only_engine> {
public:
    /// Parameters of a read-only cache.
    struct config {
        cache_config cache;
        protocol::access_type type = protocol::access_type::instruction_read;  ///< under which
                                                                               ///< accesses are
                                                                               ///< counted
        protocol::phase phase = protocol::phase::core_constant_cache;
        bool perfect = false;         ///< every access hits and is not counted
        bool send_at_access = false;  ///< L1I
        bool always_fill = false;     ///< L1I
        unsigned sub_phase = 0;       ///< of the phase
    };

    read_only_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                    const config& cfg);
    const char* kind() const override { return "read_only_cache"; }

    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(support::archive& a);
    void register_statistics(support::statistics& list) const;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) override;
    bool accept_response(tlm::tlm_generic_payload& response) override;

    void cycle();
    void send();

    config config_;
    std::uint64_t next_send_ = 0;  // first core cycle in which a miss may be sent
};

}  // namespace simtlm::cache
