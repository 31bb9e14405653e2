// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::cache {

/// Outcome of a cache access: the access outcomes of the GPGPU-Sim manual.
enum class access_outcome : std::uint8_t {
    hit,
    hit_reserved,  ///< the data have already been requested
    miss,
    reservation_fail,  ///< a resource is not available: no state has changed, the access must be
                       ///< retried
    sector_miss,       ///< the line is present, the sector is not
    mshr_hit,          ///< counted in addition: a miss merged into an MSHR entry
};
inline constexpr unsigned access_outcome_count = 6;

/// The name printed by GPGPU-Sim, e.g. HIT_RESERVED.
constexpr const char* access_outcome_name(access_outcome o) {
    constexpr const char* names[access_outcome_count] = {
        "HIT", "HIT_RESERVED", "MISS", "RESERVATION_FAIL", "SECTOR_MISS", "MSHR_HIT"};
    return names[static_cast<unsigned>(o)];
}

/// The resource that was not available.
enum class fail_reason : std::uint8_t {
    line_alloc,  ///< every line of the set is reserved
    miss_queue,  ///< the miss queue is full
    mshr_entry,  ///< no free MSHR entry
    mshr_merge,  ///< the MSHR entry cannot merge another access
    mshr_rw,     ///< a read waits after a write in the MSHR entry
};
inline constexpr unsigned fail_reason_count = 5;

/// The name printed by GPGPU-Sim, including its spelling.
constexpr const char* fail_reason_name(fail_reason r) {
    constexpr const char* names[fail_reason_count] = {"LINE_ALLOC_FAIL", "MISS_QUEUE_FULL",
                                                      "MSHR_ENRTY_FAIL", "MSHR_MERGE_ENRTY_FAIL",
                                                      "MSHR_RW_PENDING"};
    return names[static_cast<unsigned>(r)];
}

/// Result of one access to a cache engine.
struct access_result {
    access_outcome outcome = access_outcome::reservation_fail;
    /// The outcome under which it is counted in the statistics (a hit on a reserved sector, a
    /// sector miss).
    access_outcome counted = access_outcome::reservation_fail;
    /// No response will follow: a read has its data; a write is in the cache and needs no
    /// acknowledgement from memory.
    bool finished = false;
    bool read_sent = false;            ///< the access itself went to the miss queue as a read
    bool write_sent = false;           ///< the access itself went to the miss queue as a write
    bool write_allocate_sent = false;  ///< a separate read fetches the written line
    bool write_back_sent = false;      ///< a dirty line was evicted
};

}  // namespace simtlm::cache
