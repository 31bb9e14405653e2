// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/miss_port.h"
#include "modules/cache/texture_engine.h"
#include "modules/cache/unit_port.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/back_pressure_counter.h"
#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"

#include <systemc>

namespace simtlm::cache {

/// The texture cache of an SM (texture_engine.h). `port`: TLM_ACCEPTED, one response follows, in
/// order; or refused if a FIFO is full. In each cycle, in phase core_texture_cache, one request is
/// sent to memory and one finished fragment moves to the result FIFO.
class texture_cache : public kernel::clocked_module, private unit_port::client, miss_port::client {
private:
    unit_port unit_;
    miss_port memory_;

public:
    protocol::cache_port_target<unit_port>& port;
    protocol::initiator_socket<miss_port>& memory;

    texture_cache(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                  const cache_config& config);

    void flush() { engine_.flush(); }
    void invalidate() { engine_.invalidate(); }
    void observe(access_observer& o) { engine_.observe(o); }
    bool idle() const { return !engine_.busy(); }

    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(kernel::archive& a);
    const texture_engine& engine() const { return engine_; }
    const cache_statistics& statistics() const { return engine_.statistics(); }
    /// Counts cycles in which a miss stalls because the memory port is full.
    kernel::back_pressure_counter& back_pressure() { return back_pressure_; }
    void register_statistics(kernel::statistics& list) const;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) override;
    tlm::tlm_generic_payload* ready() override;
    void retire() override;
    bool accept_response(tlm::tlm_generic_payload& response) override;
    void can_send() override;

    void cycle();
    void note_back_pressure();

    texture_engine engine_;
    kernel::clocked_process process_;
    kernel::back_pressure_counter back_pressure_{process_};
};

}  // namespace simtlm::cache
