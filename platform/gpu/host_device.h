// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/host_registers.h"

#include <cstdint>

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
    /// Ends running commands as soon as possible and discards the others; completed() is called for
    /// each.
    virtual void abort() = 0;
    /// Returns whether nothing is in flight in the memory system.
    virtual bool quiet() const = 0;
    /// Ends a reset: clears the caches. @pre quiet()
    virtual void clear() = 0;
    /// Returns whether no further command will run because of a deadlock, a limit or faulty input.
    virtual bool stopped() const = 0;
    virtual std::uint64_t count(host::counter c) const = 0;
};

}  // namespace simtlm::platform
