// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/phase_sequencer.h"

#include <systemc>

namespace simtlm::simulation {

/// Runs the remaining delta cycles of the current simulated time and synchronizes the given
/// sequencers. For the caller of sc_start(): statistics are consistent only between steps.
/// @pre the simulation is paused
template <class... Sequencers>
void finish_instant(Sequencers&... of) {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    (of.synchronize(), ...);
}

}  // namespace simtlm::simulation
