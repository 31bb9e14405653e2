// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/bulk_transfer.h"

#include <cstdint>

namespace simtlm::core::modern {

/// Who watches the engines of SMs that work without their warps, for a timeline. Times are core
/// cycles. Changes nothing.
struct engine_watcher {
    /// A bulk copy on its way through the engine of an SM.
    struct copy_times {
        std::uint64_t issued = 0;    ///< by its warp
        std::uint64_t begun = 0;     ///< at the front end of the engine
        std::uint64_t complete = 0;  ///< its mbarriers or its bulk group have been told
    };
    /// A product of a warpgroup on the tensor cores.
    struct product_times {
        std::uint64_t begun = 0;
        std::uint64_t end = 0;   ///< the tensor cores are free for the next one
        std::uint64_t sums = 0;  ///< the sums are in registers
    };

    virtual ~engine_watcher() = default;
    /// A copy is complete.
    /// @param sm  number of the SM
    /// @param warp  that has issued the copy
    virtual void copy_ended(unsigned sm, unsigned warp, const program::bulk_transfer& what,
                            const copy_times& when) = 0;
    /// A product has been queued: when it has the tensor cores is known.
    /// @param warp  the first of the warpgroup
    virtual void product_queued(unsigned sm, unsigned warp, const char* opcode,
                                const product_times& when) = 0;
};

}  // namespace simtlm::core::modern
