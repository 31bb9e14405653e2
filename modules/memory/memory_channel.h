// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/clocked_module.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_statistics.h"
#include "modules/memory/memory_config.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"

#include <cstdint>
#include <systemc>

namespace simtlm::memory {

/// One channel of device memory, whatever is behind it: the target of a memory partition, and what
/// the rest of the GPU, reports and waveforms want to know of it. The built-in controller
/// (dram_channel) and the way out to an external memory are two; another one derives from this
/// class and is made by memory_config::channel.
///
/// The socket speaks the base protocol as protocol/sockets.h describes it: at most one request
/// without END_REQ (one of either kind with dram_config::separate_write_queue), at most one
/// response without END_RESP, posted writes answered past all others. A channel acts in phase
/// dram_channel, where it touches nothing but itself and its partition.
class memory_channel : public kernel::clocked_module {
public:
    /// Its clock is that of DRAM commands.
    memory_channel(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer)
        : clocked_module(name, sequencer, protocol::dram_clock) {}

    /// Any target that a protocol::initiator_socket can be bound to.
    using socket = tlm::tlm_base_target_socket_b<256>;
    virtual socket& target() = 0;

    /// Counters up to the last edge that was completed; `banks` and `traffic` have an entry per
    /// bank. A controller without commands, banks or rows leaves theirs at zero. Call between
    /// steps.
    virtual const dram_statistics& statistics() = 0;
    /// Counters, without what a sleeping channel has yet to count.
    virtual const dram_statistics& counted() const = 0;
    /// A kernel begins.
    virtual void begin_kernel() {}

    /// Requests taken and not yet finished; of these, the ones that wait to be returned.
    virtual std::uint64_t requests_inside() const = 0;
    virtual std::size_t replies_queued() const { return 0; }
    bool idle() const { return requests_inside() == 0; }

    /// Shows every command from now on to an observer, if there are any. May be called again.
    virtual void observe(command_observer&) {}
    /// State that outlives kernels, of a channel at rest.
    /// @throws kernel::user_error  it cannot be saved
    virtual void checkpoint(kernel::archive& a);
};

}  // namespace simtlm::memory
