// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::protocol {

/// Who brings the requests of the SMs into one order, for a GPU where it decides something: it lets
/// the clusters inject in turn, and learns which addresses are used in which order. Within one SM
/// and core cycle the load/store unit is before the fetch. SMs report in any order.
struct request_order {
    enum stage { by_ldst, by_fetch };
    /// An SM makes a request to one of its caches. @param sm  within the GPU
    virtual void touched(unsigned sm, std::uint64_t address, stage by) = 0;
    /// A request is about to enter the network. Called from within a turn.
    virtual void enters(std::uint64_t address) = 0;
    /// There will be something to inject when the turns of this core cycle come.
    virtual void wants_turn() = 0;

protected:
    ~request_order() = default;
};

}  // namespace simtlm::protocol
