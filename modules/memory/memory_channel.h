// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_statistics.h"
#include "modules/memory/memory_config.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_module.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <systemc>

namespace simtlm::memory {

/// A channel of device memory with any implementation: the target of a memory partition, and its
/// interface to the rest of the GPU, reports and waveforms. Implementations are the built-in
/// controller (dram_channel) and the bridge to an external memory; further ones derive from this
/// class and are created by memory_config::channel.
///
/// The socket uses the base protocol as described in protocol/sockets.h: at most one request
/// without END_REQ (one of each kind with dram_config::separate_write_queue), at most one response
/// without END_RESP; acknowledgements of posted writes bypass all others. A channel acts in phase
/// dram_channel, in which it accesses only its own state and that of its partition.
class memory_channel : public simulation::clocked_module {
public:
    /// Its clock is the DRAM command clock.
    memory_channel(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer)
        : clocked_module(name, sequencer, protocol::dram_clock) {}

    /// Any target to which a protocol::initiator_socket can be bound.
    using socket = tlm::tlm_base_target_socket_b<256>;
    /// The socket that receives requests.
    virtual socket& target() = 0;

    /// Counters up to the last completed edge; `banks` and `traffic` have an entry per bank. A
    /// controller without commands, banks or rows leaves theirs at zero. Call between steps.
    virtual const dram_statistics& statistics() = 0;
    /// Counters that may not include cycles in which the channel sleeps.
    virtual const dram_statistics& counted() const = 0;
    /// Called when a kernel begins.
    virtual void begin_kernel() {}

    /// Number of requests accepted and not yet finished; replies_queued() is the number of those
    /// that wait to be returned.
    virtual std::uint64_t requests_inside() const = 0;
    virtual std::size_t replies_queued() const { return 0; }
    bool idle() const { return requests_inside() == 0; }

    /// Adds an observer of every command, if the channel has commands. May be called repeatedly.
    virtual void observe(command_observer&) {}
    /// Saves or restores the state that persists across kernels, of an idle channel.
    /// @throws support::user_error  if the channel does not support it
    virtual void checkpoint(support::archive& a);
};

}  // namespace simtlm::memory
