// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::cache {

/// What became of an access to a cache; the manual's access outcomes.
enum class access_outcome : std::uint8_t {
    hit,
    hit_reserved,  ///< the data are already on their way
    miss,
    reservation_fail,  ///< a resource is missing: nothing has happened, try again
    sector_miss,       ///< the line is there, the sector is not
    mshr_hit,          ///< counted besides: a miss merged into an MSHR entry
};
inline constexpr unsigned access_outcome_count = 6;

/// The name that GPGPU-Sim prints, e.g. HIT_RESERVED.
constexpr const char* access_outcome_name(access_outcome o) {
    constexpr const char* names[access_outcome_count] = {
        "HIT", "HIT_RESERVED", "MISS", "RESERVATION_FAIL", "SECTOR_MISS", "MSHR_HIT"};
    return names[static_cast<unsigned>(o)];
}

/// Which resource was missing.
enum class fail_reason : std::uint8_t {
    line_alloc,  ///< every line of the set is reserved
    miss_queue,  ///< no place in the miss queue
    mshr_entry,  ///< no free MSHR entry
    mshr_merge,  ///< the MSHR entry takes no further access
    mshr_rw,     ///< a read waits behind a write in the MSHR entry
};
inline constexpr unsigned fail_reason_count = 5;

/// The name that GPGPU-Sim prints, spelling included.
constexpr const char* fail_reason_name(fail_reason r) {
    constexpr const char* names[fail_reason_count] = {"LINE_ALLOC_FAIL", "MISS_QUEUE_FULL",
                                                      "MSHR_ENRTY_FAIL", "MSHR_MERGE_ENRTY_FAIL",
                                                      "MSHR_RW_PENDING"};
    return names[static_cast<unsigned>(r)];
}

/// The answer of a cache engine to one access.
struct access_result {
    access_outcome outcome = access_outcome::reservation_fail;
    /// Under what the statistics book it (a hit on a reserved sector, a sector miss).
    access_outcome counted = access_outcome::reservation_fail;
    /// Nothing will come back: a read has its data, a write is in the cache and needs no
    /// acknowledgement from memory.
    bool finished = false;
    bool read_sent = false;            ///< the access itself went to the miss queue as a read
    bool write_sent = false;           ///< the access itself went to the miss queue as a write
    bool write_allocate_sent = false;  ///< a read of its own fetches the written line
    bool write_back_sent = false;      ///< a dirty line was evicted
};

}  // namespace simtlm::cache
