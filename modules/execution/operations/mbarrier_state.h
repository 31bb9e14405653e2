// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtlm::execution {

/// What the 64 bits of an mbarrier object mean. PTX leaves it open (PTX manual, "mbarrier"); counts
/// have the ranges that it demands.
struct mbarrier_state {
    std::uint64_t expected : 20;     ///< arrivals of a phase
    std::uint64_t pending : 20;      ///< still to come
    std::int64_t transactions : 23;  ///< bytes that copies have still to bring
    std::uint64_t phase : 1;

    /// Begins the next phase when nothing is still to come.
    void finish_phase() {
        if (pending != 0 || transactions != 0) return;
        phase ^= 1;
        pending = expected;
    }
};
static_assert(sizeof(mbarrier_state) == 8);

/// Bytes have come that the mbarrier at a place awaits.
inline void complete_transaction(std::byte* at, std::uint64_t bytes) {
    mbarrier_state b;
    std::memcpy(&b, at, sizeof b);
    b.transactions -= static_cast<std::int64_t>(bytes);
    b.finish_phase();
    std::memcpy(at, &b, sizeof b);
}

}  // namespace simtlm::execution
