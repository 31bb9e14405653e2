// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/sm_cache.h"
#include "modules/cache/texture_engine.h"

#include <systemc>

namespace simtlm::cache {

/// The texture cache of an SM (texture_engine.h). `port`: TLM_ACCEPTED, one response follows, in
/// order; or refused if a FIFO is full. In each cycle, in phase core_texture_cache, one request is
/// sent to memory and one finished fragment moves to the result FIFO.
class texture_cache : public sm_cache<texture_engine> {
public:
    texture_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                  const cache_config& config);
    const char* kind() const override { return "texture_cache"; }

    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(support::archive& a);
    const cache_statistics& statistics() const { return engine_.statistics(); }
    void register_statistics(support::statistics& list) const;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) override;
    void retire() override;
    bool accept_response(tlm::tlm_generic_payload& response) override;

    void cycle();
};

}  // namespace simtlm::cache
