// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/bulk_transfer.h"

#include <cstdint>

namespace simtlm::core {

/// Observes the engines of SMs that work asynchronously to their warps, for a timeline. Times are
/// core cycles. Must not change any state.
struct engine_watcher {
    /// Times of a bulk copy in the engine of an SM.
    struct copy_times {
        std::uint64_t issued = 0;    ///< by its warp
        std::uint64_t begun = 0;     ///< when it reached the front end of the engine
        std::uint64_t complete = 0;  ///< when its mbarriers or its bulk group were signalled
    };
    /// Times of a product of a warpgroup on the tensor cores.
    struct product_times {
        std::uint64_t begun = 0;
        std::uint64_t end = 0;   ///< when the tensor cores are free for the next one
        std::uint64_t sums = 0;  ///< when the sums are in registers
    };

    virtual ~engine_watcher() = default;
    /// A copy is complete.
    /// @param sm    number of the SM
    /// @param warp  that issued the copy
    virtual void copy_ended(unsigned sm, unsigned warp, const program::bulk_transfer& what,
                            const copy_times& when) = 0;
    /// A product has been queued, and the time at which it gets the tensor cores is known.
    /// @param warp  the first one of the warpgroup
    virtual void product_queued(unsigned sm, unsigned warp, const char* opcode,
                                const product_times& when) = 0;
};

}  // namespace simtlm::core
