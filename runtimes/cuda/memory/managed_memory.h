// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace simtlm::cuda {

/// cudaMemLocation: where memory is, or who uses it.
struct memory_location {
    int kind;  ///< 0 none, 1 a GPU, 2 the host, 3 a NUMA node of the host, 4 that of the thread
    int id;    ///< of the GPU or NUMA node
};

/// Hints that a program gave for managed memory (cudaMemAdvise, cudaMemPrefetchAsync). They have no
/// effect on the simulation; programs can read them (cudaMemRangeGetAttribute).
class managed_hints {
public:
    enum advice {
        set_read_mostly = 1,
        unset_read_mostly,
        set_preferred_location,
        unset_preferred_location,
        set_accessed_by,
        unset_accessed_by
    };
    enum attribute {
        read_mostly = 1,
        preferred_location,
        accessed_by,
        last_prefetch_location,
        preferred_location_kind,
        preferred_location_id,
        last_prefetch_location_kind,
        last_prefetch_location_id
    };
    static constexpr int host = -1;     ///< cudaCpuDeviceId
    static constexpr int nowhere = -2;  ///< cudaInvalidDeviceId

    /// Records an advice for a range within an allocation.
    /// @param allocation  unique number of the allocation
    /// @throws failure  for an unknown advice
    void advise(std::uint64_t allocation, std::uint64_t address, std::size_t bytes, int advice,
                memory_location where);
    void prefetch(std::uint64_t allocation, std::uint64_t address, std::size_t bytes,
                  memory_location where);
    /// Writes the value that all of a range has in common, or that of `nowhere`.
    /// @param size  of the destination in bytes: 4, or any multiple of it for `accessed_by`
    /// @throws failure  for an unknown attribute or a wrong size
    void read(std::uint64_t allocation, std::uint64_t address, std::size_t bytes, int attribute,
              void* to, std::size_t size);

private:
    struct hints {
        bool read_mostly = false;
        memory_location preferred{0, nowhere}, prefetched{0, nowhere};
        std::set<int> users;
    };
    /// Hints by the first address of a range, which ends where the next one begins.
    using ranges = std::map<std::uint64_t, hints>;
    /// Begins a range at an address.
    static ranges::iterator split(ranges& r, std::uint64_t at);
    /// Applies a change to each range from one address to another.
    template <class Change>
    void change(std::uint64_t allocation, std::uint64_t from, std::uint64_t to, Change&& how);

    std::mutex mutex_;
    std::map<std::uint64_t, ranges> allocations_;
};

}  // namespace simtlm::cuda
