// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/protocol/access.h"
#include "modules/support/statistics.h"

#include <array>
#include <cstdint>
#include <string>

namespace simtlm::cache {

/// Counters of one cache since the start of the simulation.
struct cache_statistics {
    using by_outcome = std::array<std::uint64_t, access_outcome_count>;
    using by_reason = std::array<std::uint64_t, fail_reason_count>;

    std::array<by_outcome, protocol::access_type_count> outcomes{};  ///< accesses
    std::array<by_reason, protocol::access_type_count> fails{};      ///< attempts
    std::uint64_t accesses = 0;           ///< hits, reserved hits, misses, sector misses
    std::uint64_t misses = 0;             ///< misses and sector misses
    std::uint64_t pending_hits = 0;       ///< hits on reserved lines or sectors
    std::uint64_t reservation_fails = 0;  ///< attempts for which a resource was not available
    std::uint64_t port_cycles = 0;        ///< cycles in which the ports were available
    std::uint64_t data_port_busy = 0;     ///< cycles
    std::uint64_t fill_port_busy = 0;     ///< cycles

    std::uint64_t count(protocol::access_type t, access_outcome o) const {
        return outcomes[static_cast<unsigned>(t)][static_cast<unsigned>(o)];
    }
    std::uint64_t count(protocol::access_type t, fail_reason r) const {
        return fails[static_cast<unsigned>(t)][static_cast<unsigned>(r)];
    }

    /// Counts the outcome of an access, also in the totals.
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
    /// Counts the reason why an access could not be accepted.
    void book(protocol::access_type t, fail_reason r) {
        ++fails[static_cast<unsigned>(t)][static_cast<unsigned>(r)];
    }
    /// Counts several refusals of an access for the same reason.
    void book_refusals(protocol::access_type t, fail_reason r, std::uint64_t times) {
        fails[static_cast<unsigned>(t)][static_cast<unsigned>(r)] += times;
        constexpr auto refused = static_cast<unsigned>(access_outcome::reservation_fail);
        outcomes[static_cast<unsigned>(t)][refused] += times;
        reservation_fails += times;
    }
};

/// Label of an outcome counter: TYPE.OUTCOME
inline std::string outcome_label(unsigned cell) {
    return std::string(protocol::access_type_name(
               static_cast<protocol::access_type>(cell / access_outcome_count))) +
           "." + access_outcome_name(static_cast<access_outcome>(cell % access_outcome_count));
}
/// Label of a reservation failure counter: TYPE.REASON
inline std::string fail_label(unsigned cell) {
    return std::string(protocol::access_type_name(
               static_cast<protocol::access_type>(cell / fail_reason_count))) +
           "." + fail_reason_name(static_cast<fail_reason>(cell % fail_reason_count));
}

inline constexpr support::counter<cache_statistics> cache_counters[] = {
    support::count<&cache_statistics::outcomes>(
        "outcomes", "accesses", "by type and outcome; reservation fails are attempts",
        outcome_label),
    support::count<&cache_statistics::fails>("fails", "attempts",
                                             "put off, by type and missing resource", fail_label),
    support::count<&cache_statistics::accesses>("accesses", "accesses",
                                                "hits, reserved hits and misses"),
    support::count<&cache_statistics::misses>("misses", "accesses",
                                              "misses of the line or of the sector"),
    support::count<&cache_statistics::pending_hits>("pending_hits", "accesses",
                                                    "hits on data that were on their way"),
    support::count<&cache_statistics::reservation_fails>("reservation_fails", "attempts",
                                                         "accesses put off for want of a resource"),
    support::count<&cache_statistics::port_cycles>("port_cycles", "cycles",
                                                   "the ports could have worked"),
    support::count<&cache_statistics::data_port_busy>("data_port_busy", "cycles",
                                                      "the data port was moving data"),
    support::count<&cache_statistics::fill_port_busy>("fill_port_busy", "cycles",
                                                      "the fill port was moving data"),
};
constexpr const auto& counters_of(const cache_statistics*) {
    return cache_counters;
}
static_assert(support::covers(cache_counters));

inline constexpr support::counter_info network_refusals{
    "network_refusals", "core cycles", "a miss waited because the request network took no more"};
inline constexpr support::counter_info bank_conflicts{
    "bank_conflicts", "attempts", "accesses put off because their bank took another one"};

}  // namespace simtlm::cache
