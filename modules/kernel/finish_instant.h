// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <systemc>

namespace simtlm::kernel {

/// For who runs the simulation (calls sc_start): runs what is left to do at the present instant,
/// and synchronizes the given sequencers. Statistics are whole between steps only.
/// @pre the simulation is paused
template <class... Sequencers>
void finish_instant(Sequencers&... of) {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    (of.synchronize(), ...);
}

}  // namespace simtlm::kernel
