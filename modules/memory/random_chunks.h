// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive_fwd.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace simtlm::memory {

/// Random partition indexing (-gpgpu_memory_partition_indexing 4): every chunk of memory is
/// assigned to a random sub-partition when it is first touched. An ideal distribution that no
/// address function achieves, for comparison.
///
/// The random numbers are those of the GNU C library on which Accel-Sim runs, an additive feedback
/// generator (x^31 + x^3 + 1) with seed 1, so that the same order of touches gives the same
/// assignment.
class random_chunks {
public:
    explicit random_chunks(unsigned sub_partitions);

    /// Assigns a sub-partition to a chunk that has none. @param chunk  its number, a shifted
    /// address
    void place(std::uint64_t chunk);
    bool placed(std::uint64_t chunk) const { return places_.count(chunk) != 0; }
    /// The sub-partition of a chunk. A chunk that was never placed (accessed by an external
    /// initiator, or by a debug access to unused memory) has one that is derived from its number.
    std::uint32_t operator[](std::uint64_t chunk) const;

    /// @return the next random number, 0 .. 2^31 - 1
    std::uint32_t draw();

    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    static constexpr unsigned degree = 31, separation = 3;
    std::uint32_t sub_partitions_;
    std::array<std::uint32_t, degree> state_{};
    unsigned next_ = separation;
    std::unordered_map<std::uint64_t, std::uint16_t> places_;
};

}  // namespace simtlm::memory
