// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/tag_array.h"
#include "modules/memory/address_mapping.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::memory {

/// A slice of the L2 as host copies see it.
class copy_target {
public:
    virtual ~copy_target() = default;
    /// The tags; nullptr: this slice caches nothing.
    virtual const cache::tag_array* tags() const = 0;
    /// The tags as a host copy leaves them: one sector. @param core_now  core cycles
    virtual void warm(std::uint64_t address, std::uint64_t core_now) = 0;
    /// So many sectors count as warmed.
    virtual void skip(std::uint64_t sectors) = 0;
};

/// Host copies to the device go through the L2 (-gpgpu_perf_sim_memcpy): sector after sector, they
/// leave their lines in it, without time or statistics.
///
/// What a long copy leaves is what its end leaves. A copy that would replace the content of the L2
/// many times over is cut in the middle: by blocks of addresses which put equally many lines into
/// every set of every slice, and by so many of them that every set has come round to the way where
/// it began. Tags, ages and places of lines are then those of the whole copy, at a cost that
/// depends on the size of the L2. It is not cut where that would not be exact: with lines that are
/// modified, on their way or older than the copy, or with random replacement.
class host_copy {
public:
    struct settings {
        bool truncate = false;  ///< addresses have 32 bits (quirk memcpy-truncates)
        /// Memory gets its place at first use.
        bool place = false;
    };
    host_copy(address_mapping& mapping, std::vector<copy_target*> slices, settings how);

    /// Copies. @param now  core cycles @param stop  asked now and then; true: the rest is left out
    void copy(std::uint64_t address, std::uint64_t bytes, std::uint64_t now,
              const std::function<bool()>& stop);

    /// Sectors that were put into the L2 one by one, for tests.
    std::uint64_t sectors_walked() const { return walked_; }

private:
    /// Blocks of addresses that fill all sets alike.
    struct blocks {
        std::uint64_t bytes = 0;             ///< 0: there are none
        std::vector<std::uint64_t> sectors;  ///< of a block, by slice
    };
    bool walk(std::uint64_t from, std::uint64_t to, std::uint64_t now,
              const std::function<bool()>& stop);
    std::uint64_t truncated(std::uint64_t address) const {
        return how_.truncate ? static_cast<std::uint32_t>(address) : address;
    }
    void find_blocks();
    bool count(std::uint64_t first, std::uint64_t bytes, std::vector<std::uint32_t>& lines) const;
    bool same_everywhere(std::uint64_t bytes, const std::vector<std::uint32_t>& lines) const;
    std::uint64_t skip(std::uint64_t rounds);
    bool holds_only(std::uint64_t from, std::uint64_t to) const;

    address_mapping& mapping_;
    std::vector<copy_target*> slices_;
    settings how_;
    bool searched_ = false;
    blocks blocks_;
    std::uint64_t walked_ = 0;
};

}  // namespace simtlm::memory
