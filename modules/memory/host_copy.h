// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/tag_array.h"
#include "modules/memory/address_mapping.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::memory {

/// Interface of an L2 slice for host copies.
class copy_target {
public:
    virtual ~copy_target() = default;
    /// @return the tags, or nullptr if the slice has no cache
    virtual const cache::tag_array* tags() const = 0;
    /// Updates the tags as a host copy does, for one sector. @param core_now  core cycles
    virtual void warm(std::uint64_t address, std::uint64_t core_now) = 0;
    /// Counts a number of sectors as warmed.
    virtual void skip(std::uint64_t sectors) = 0;
};

/// Host copies to the device pass through the L2 (-gpgpu_perf_sim_memcpy): sector by sector, they
/// allocate their lines in it, without timing or statistics.
///
/// The final state of a long copy is determined by its end. If a copy would replace the contents of
/// the L2 many times, its middle is skipped: in blocks of addresses that put the same number of
/// lines into every set of every slice, and in a multiple of these blocks after which every set is
/// back at the way where it began. Tags, ages and positions of lines are then those of the whole
/// copy, at a cost that depends on the size of the L2. Nothing is skipped if the result would not
/// be exact: with lines that are modified (unless copies modify lines themselves), reserved or
/// older than the copy, or with random replacement.
class host_copy {
public:
    /// Parameters of host copies.
    struct settings {
        bool truncate = false;  ///< addresses have 32 bits (quirk memcpy-truncates)
        /// Memory is assigned its location at first use.
        bool place = false;
        /// Slices keep the lines of a copy modified, within their limit.
        bool modifies = false;
    };
    host_copy(address_mapping& mapping, std::vector<copy_target*> slices, settings how);

    /// Performs a copy. @param now  core cycles @param stop  polled regularly; true: the rest is
    /// skipped
    void copy(std::uint64_t address, std::uint64_t bytes, std::uint64_t now,
              const std::function<bool()>& stop);

    /// Number of sectors that were put into the L2 individually, for tests.
    std::uint64_t sectors_walked() const { return walked_; }

private:
    /// Blocks of addresses that fill all sets equally.
    struct blocks {
        std::uint64_t bytes = 0;             ///< 0: no such blocks
        std::vector<std::uint64_t> sectors;  ///< of a block, by slice
    };
    bool walk(std::uint64_t from, std::uint64_t to, std::uint64_t now,
              const std::function<bool()>& stop);
    std::uint64_t truncated(std::uint64_t address) const {
        return how_.truncate ? static_cast<std::uint32_t>(address) : address;
    }
    std::uint64_t l2_bytes() const;
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
