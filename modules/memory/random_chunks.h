// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace simtlm::memory {

/// Random partition indexing (-gpgpu_memory_partition_indexing 4): every piece of memory gets a
/// sub-partition at random when it is touched first, and keeps it. An ideal that no address
/// function reaches, for comparison.
///
/// The numbers are those of the C library that Accel-Sim runs on, an additive feedback generator
/// (x^31 + x^3 + 1) with seed 1, so that equal orders of touches give equal places.
class random_chunks {
public:
    explicit random_chunks(unsigned sub_partitions);

    /// Draws for a piece that has no place yet. @param piece  its number, an address shifted
    void place(std::uint64_t chunk);
    bool placed(std::uint64_t chunk) const { return places_.count(chunk) != 0; }
    /// The sub-partition of a piece. One that was never placed (a foreign initiator's, a debug
    /// access to memory that nobody uses) has one that follows from its number.
    std::uint32_t operator[](std::uint64_t chunk) const;

    /// The next number of the generator, 0 .. 2^31 - 1.
    std::uint32_t draw();

    /// State that outlives kernels, of a block at rest.
    void checkpoint(kernel::archive& a);

private:
    static constexpr unsigned degree = 31, separation = 3;
    std::uint32_t sub_partitions_;
    std::array<std::uint32_t, degree> state_{};
    unsigned next_ = separation;
    std::unordered_map<std::uint64_t, std::uint16_t> places_;
};

}  // namespace simtlm::memory
