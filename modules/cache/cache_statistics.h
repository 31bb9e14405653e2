// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/kernel/statistics.h"
#include "modules/protocol/access.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace simtlm::cache {

/// What one cache has counted since the start of the simulation.
struct cache_statistics {
    using by_outcome = std::array<std::uint64_t, access_outcome_count>;
    using by_reason = std::array<std::uint64_t, fail_reason_count>;

    std::array<by_outcome, protocol::access_type_count> outcomes{};  ///< accesses
    std::array<by_reason, protocol::access_type_count> fails{};      ///< attempts
    std::uint64_t accesses = 0;           ///< hits, reserved hits, misses, sector misses
    std::uint64_t misses = 0;             ///< misses and sector misses
    std::uint64_t pending_hits = 0;       ///< hits on reserved lines or sectors
    std::uint64_t reservation_fails = 0;  ///< attempts that found a resource missing
    std::uint64_t port_cycles = 0;        ///< cycles in which the ports could have worked
    std::uint64_t data_port_busy = 0;     ///< cycles
    std::uint64_t fill_port_busy = 0;     ///< cycles

    std::uint64_t count(protocol::access_type t, access_outcome o) const {
        return outcomes[static_cast<unsigned>(t)][static_cast<unsigned>(o)];
    }
    std::uint64_t count(protocol::access_type t, fail_reason r) const {
        return fails[static_cast<unsigned>(t)][static_cast<unsigned>(r)];
    }

    void book(protocol::access_type t, access_outcome o) {
        ++outcomes[static_cast<unsigned>(t)][static_cast<unsigned>(o)];
        switch (o) {
            case access_outcome::miss:
            case access_outcome::sector_miss:
                ++misses;
                ++accesses;
                break;
            case access_outcome::hit_reserved:
                ++pending_hits;
                ++accesses;
                break;
            case access_outcome::hit:
                ++accesses;
                break;
            case access_outcome::reservation_fail:
                ++reservation_fails;
                break;
            case access_outcome::mshr_hit:
                break;
        }
    }
    void book(protocol::access_type t, fail_reason r) {
        ++fails[static_cast<unsigned>(t)][static_cast<unsigned>(r)];
    }

    /// Lists the totals, and the outcomes of the access types that this cache can see.
    void register_with(kernel::statistics& list, const std::string& name,
                       std::initializer_list<protocol::access_type> types) const;
};

cache_statistics& operator+=(cache_statistics& sum, const cache_statistics& other);

}  // namespace simtlm::cache
