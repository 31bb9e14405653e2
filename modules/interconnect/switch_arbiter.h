// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/interconnect_config.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <memory>

namespace simtlm::interconnect {

class crossbar_switch;

/// Decides, once per pass of a crossbar, which inputs send to which outputs.
class switch_arbiter {
public:
    virtual ~switch_arbiter() = default;
    /// Calls grant() for every packet that moves, and counts conflicts and full outputs.
    /// @param cycle  number of passes before this one: icnt cycles, unless the crossbar has a
    ///               speedup
    virtual void arbitrate(crossbar_switch& fabric, std::uint64_t cycle) = 0;
    /// Saves or restores the state that persists across cycles.
    virtual void checkpoint(support::archive& a) = 0;
};

/// iSLIP: every output serves its requesters round-robin, outputs in ascending order. An input
/// whose head was granted offers its next packet to the remaining outputs in the same cycle. An
/// output's pointer advances past the granted input only in every `grant_cycles`-th busy cycle.
std::unique_ptr<switch_arbiter> make_islip_arbiter(unsigned outputs, unsigned grant_cycles);

/// Naive round-robin: inputs in ascending order of node, starting at a node that rotates over all
/// nodes of the network in every cycle; one packet per input and output.
/// @param first_node  node number of input 0
/// @param nodes       number of nodes of the network, inputs and outputs
std::unique_ptr<switch_arbiter> make_round_robin_arbiter(unsigned outputs, unsigned first_node,
                                                         unsigned nodes);

}  // namespace simtlm::interconnect
