// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::program {

/// Bytes of global memory that are contiguous.
struct memory_range {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
};

/// What one asynchronous bulk copy moves (PTX manual, cp.async.bulk and cp.async.bulk.tensor), as
/// the engine of an SM that carries it out has to know it. Its data move when the instruction takes
/// effect; who waits for them learns of it when the engine is done.
struct bulk_transfer {
    enum class kind : std::uint8_t {
        load,       ///< global memory to shared memory
        store,      ///< shared memory to global memory
        reduction,  ///< the same, an atomic operation on every element
        send,       ///< shared memory to that of another CTA of the cluster
        prefetch,   ///< global memory into the L2
    };
    /// What happens to the shared memory of a CTA when all data have come: its mbarrier is told.
    struct arrival {
        unsigned rank = 0;             ///< of the CTA within its cluster
        std::function<void()> effect;  ///< on the mbarrier
    };

    kind what = kind::load;
    unsigned rank = 0;                 ///< of the CTA that copies, within its cluster
    std::uint64_t tensor_map = 0;      ///< address of the map in global memory; 0: there is none
    std::uint32_t bytes = 0;           ///< of shared memory, read or written
    std::vector<memory_range> ranges;  ///< of global memory, in order
    std::vector<arrival> arrivals;     ///< one per CTA that gets the data; none: a bulk group waits
};

}  // namespace simtlm::program
