// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::program {

/// A contiguous range of global memory.
struct memory_range {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
};

/// The data movement of an asynchronous bulk copy (PTX manual, cp.async.bulk and
/// cp.async.bulk.tensor), as required by the engine of an SM that models its timing. The data move
/// functionally when the instruction takes effect; waiters are notified when the engine is done.
struct bulk_transfer {
    /// Direction of the transfer.
    enum class kind : std::uint8_t {
        load,       ///< global memory to shared memory
        store,      ///< shared memory to global memory
        reduction,  ///< the same, with an atomic operation on every element
        send,       ///< shared memory to shared memory of another CTA of the cluster
        prefetch,   ///< global memory into the L2
    };
    /// Completion of all data at a CTA: signals its mbarrier.
    struct arrival {
        unsigned rank = 0;             ///< of the CTA in its cluster
        std::function<void()> effect;  ///< on the mbarrier
        std::uint64_t mbarrier = 0;    ///< its offset in the CTA's shared memory, for traces
        std::uint32_t bytes = 0;       ///< that are counted at the mbarrier
    };

    kind what = kind::load;
    unsigned rank = 0;                 ///< of the CTA that copies, in its cluster
    std::uint64_t tensor_map = 0;      ///< address of the map in global memory; 0: none
    std::uint32_t bytes = 0;           ///< of shared memory, read or written
    std::vector<memory_range> ranges;  ///< of global memory, in order
    std::vector<arrival> arrivals;     ///< one per CTA that receives the data; empty: a bulk group
                                       ///< waits
};

}  // namespace simtlm::program
