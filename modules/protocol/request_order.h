// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::protocol {

/// Establishes a total order of the requests of all SMs, for a GPU whose results depend on it:
/// clusters inject one after the other, and first uses of addresses are reported. Within one SM and
/// core cycle, requests of the load/store unit precede those of the fetch stage. SMs may report in
/// any order.
struct request_order {
    enum stage { by_ldst, by_fetch };
    /// An SM sends a request to one of its caches. @param sm  within the GPU
    virtual void touched(unsigned sm, std::uint64_t address, stage by) = 0;
    /// A request is about to enter the network. Called while its cluster injects.
    virtual void enters(std::uint64_t address) = 0;
    /// An SM will have requests to inject at the end of this core cycle.
    virtual void request_service() = 0;

protected:
    ~request_order() = default;
};

}  // namespace simtlm::protocol
