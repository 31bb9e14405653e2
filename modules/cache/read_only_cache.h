// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/miss_port.h"
#include "modules/cache/read_only_engine.h"
#include "modules/cache/unit_port.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/back_pressure_counter.h"
#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
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
class read_only_cache : public kernel::clocked_module,
                        private unit_port::client,
                        miss_port::client {
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

private:
    unit_port unit_;
    miss_port memory_;

public:
    protocol::cache_port_target<unit_port>& port;
    protocol::initiator_socket<miss_port>& memory;

    read_only_cache(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                    const config& cfg);

    void flush() { engine_.flush(); }
    void invalidate() { engine_.invalidate(); }
    void observe(access_observer& o) { engine_.observe(o); }
    bool idle() const { return !engine_.busy() && !memory_.response_waiting(); }

    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(kernel::archive& a);
    const read_only_engine& engine() const { return engine_; }
    /// Valid between edges, whether or not the cache sleeps.
    const cache_statistics& statistics();
    /// Counts cycles in which a miss stalls because the memory port is full.
    kernel::back_pressure_counter& back_pressure() { return back_pressure_; }
    void register_statistics(kernel::statistics& list) const;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) override;
    tlm::tlm_generic_payload* ready() override;
    void retire() override { engine_.next_access().release(); }
    bool accept_response(tlm::tlm_generic_payload& response) override;
    void can_send() override;

    void cycle();
    void note_back_pressure();
    void send();
    void replay(std::uint64_t now);

    config config_;
    read_only_engine engine_;
    std::uint64_t next_cycle_ = 0;  // first core cycle for which the ports have not been updated
    std::uint64_t next_send_ = 0;   // first core cycle in which a miss may be sent
    kernel::clocked_process process_;
    kernel::back_pressure_counter back_pressure_{process_};
};

}  // namespace simtlm::cache
