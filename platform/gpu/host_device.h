// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/host_registers.h"

#include <cstdint>
#include <string>

namespace simtlm::dispatch {
struct host_command;
}

namespace simtlm::platform {

/// Interface to the device that the host interface controls.
struct host_device {
    virtual ~host_device() = default;
    /// Executes a command; host_interface::completed(tag) is called during this call or later.
    /// Called in phase core_dispatch_ctas.
    virtual void execute(const dispatch::host_command& command) = 0;
    /// Why a reset cannot bring back the device, which has stopped; empty: it can.
    virtual std::string obstacle_to_reset() const = 0;
    /// A reset has begun: clock edges after the present time are processed again.
    virtual void resume() = 0;
    /// Ends running commands, whose thread blocks execute no further instruction, and discards the
    /// others; completed() is called for each. The device has no longer stopped. Called in phase
    /// core_dispatch_ctas.
    virtual void abort() = 0;
    /// Stops the device, whose reset does not end. @return what is in flight
    virtual std::string reset_timed_out() = 0;
    /// Returns whether nothing is in flight in the memory system.
    virtual bool quiet() const = 0;
    /// Returns whether nothing is in flight in the whole device.
    virtual bool drained() const = 0;
    /// Ends a reset: returns all blocks to their initial state. @pre drained()
    virtual void clear() = 0;
    /// Returns whether no further command will run because of a deadlock, a limit or faulty input.
    virtual bool stopped() const = 0;
    virtual std::uint64_t count(host::counter c) const = 0;
};

}  // namespace simtlm::platform
