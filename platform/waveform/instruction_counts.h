// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/core/warp_wait.h"
#include "modules/support/counter_table.h"

#include <array>
#include <cstdint>
#include <string>

namespace simtlm::platform {

/// Counters of one instruction of a kernel, summed over all warps that execute it.
struct instruction_counts {
    std::uint64_t issues = 0;
    std::uint64_t threads = 0;
    std::uint64_t partial = 0;
    std::uint64_t divergences = 0;
    std::uint64_t latency = 0;
    std::uint64_t thread_latency = 0;
    std::uint64_t exposed_latency = 0;
    std::uint64_t waited = 0;
    std::array<std::uint64_t, core::warp_wait_count> waits{};
    std::uint64_t awaited = 0;
    std::uint64_t memory_issues = 0;
    std::uint64_t transactions = 0;
    std::uint64_t shared_issues = 0;
    std::uint64_t shared_cycles = 0;
    std::uint64_t bank_conflicts = 0;
    std::array<std::uint64_t, cache::access_outcome_count> l1{};
    std::array<std::uint64_t, cache::access_outcome_count> l2{};
    std::uint64_t dram_requests = 0;
    std::uint64_t dram_bytes = 0;
};

/// Labels of the cells of `waits`, and of `l1` and `l2`.
inline std::string wait_label(unsigned wait) {
    return wait == 0 ? "none" : warp_wait_name(static_cast<core::warp_wait>(wait));
}
inline std::string instruction_outcome_label(unsigned outcome) {
    return cache::access_outcome_name(static_cast<cache::access_outcome>(outcome));
}

inline constexpr support::counter<instruction_counts> instruction_counters[] = {
    support::count<&instruction_counts::issues>("issues", "warp instructions", "issued"),
    support::count<&instruction_counts::threads>("threads", "thread instructions",
                                                 "issued, by active lanes"),
    support::count<&instruction_counts::partial>(
        "partial", "warp instructions", "issued with fewer active lanes than the warp has"),
    support::count<&instruction_counts::divergences>(
        "divergences", "warp instructions",
        "branches after which only some of the lanes are active"),
    support::count<&instruction_counts::latency>("latency", "core cycles",
                                                 "from issue to completion, over all issues"),
    support::count<&instruction_counts::thread_latency>("thread_latency", "core cycles",
                                                        "latency multiplied by the active lanes"),
    support::count<&instruction_counts::exposed_latency>(
        "exposed_latency", "core cycles",
        "without an issue of the SM during the memory instruction"),
    support::count<&instruction_counts::waited>(
        "waited", "warp cycles", "between the previous issue of the warp and this one"),
    support::count<&instruction_counts::waits>(
        "waits", "warp cycles",
        "waiting time before its issue, by reason; sampled, and multiplied by the interval",
        wait_label),
    support::count<&instruction_counts::awaited>("awaited", "warp cycles",
                                                 "waiting time of other instructions for its "
                                                 "result; sampled, and multiplied by the interval"),
    support::count<&instruction_counts::memory_issues>(
        "memory_issues", "warp instructions",
        "issued with accesses to memory other than shared memory"),
    support::count<&instruction_counts::transactions>("transactions", "accesses",
                                                      "generated for them by coalescing"),
    support::count<&instruction_counts::shared_issues>("shared_issues", "warp instructions",
                                                       "issued with accesses to shared memory"),
    support::count<&instruction_counts::shared_cycles>(
        "shared_cycles", "core cycles", "during which they occupied shared memory banks"),
    support::count<&instruction_counts::bank_conflicts>(
        "bank_conflicts", "core cycles", "of these, beyond the first of each instruction"),
    support::count<&instruction_counts::l1>(
        "l1", "accesses",
        "to the caches of the SM, by outcome; reservation failures count attempts",
        instruction_outcome_label),
    support::count<&instruction_counts::l2>(
        "l2", "accesses", "to the L2, by outcome; reservation failures count attempts",
        instruction_outcome_label),
    support::count<&instruction_counts::dram_requests>("dram_requests", "requests", "sent to DRAM"),
    support::count<&instruction_counts::dram_bytes>("dram_bytes", "bytes", "transferred by them"),
};
constexpr const auto& counters_of(const instruction_counts*) {
    return instruction_counters;
}
static_assert(support::covers(instruction_counters));

}  // namespace simtlm::platform
