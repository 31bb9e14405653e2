// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"
#include "modules/program/bulk_transfer.h"
#include "modules/program/kernel_source.h"

namespace simtlm::execution {

/// Translates device addresses to those seen by the simulated caches and memory. If device
/// addresses are host addresses and the preferred range of the memory was not available in the
/// process (sanitizers, a large heap of a non-PIE program), programs see the actual addresses,
/// while the hardware sees the addresses that the memory would have in its preferred range, so that
/// cycles do not depend on the host.
class hardware_addresses {
public:
    explicit hardware_addresses(const device_memory& m);

    device_address of(device_address a) const { return a - begin_ < size_ ? a - distance_ : a; }
    /// Replaces all addresses by those that the hardware sees.
    void replace(program::lane_addresses& addresses) const {
        if (distance_ != 0) replace_all(addresses);
    }
    void replace(std::vector<program::bulk_transfer>& transfers) const;

private:
    void replace_all(program::lane_addresses& addresses) const;

    std::uint64_t distance_ = 0;  ///< from the preferred range, bytes
    device_address begin_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace simtlm::execution
