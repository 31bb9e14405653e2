// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/core/warp_wait.h"
#include "modules/kernel/counter_table.h"

#include <array>
#include <cstdint>
#include <string>

namespace simtlm::platform {

/// What is counted of one instruction of a kernel, over all warps that execute it.
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

inline std::string wait_label(unsigned wait) {
    return wait == 0 ? "none" : warp_wait_name(static_cast<core::warp_wait>(wait));
}
inline std::string instruction_outcome_label(unsigned outcome) {
    return cache::access_outcome_name(static_cast<cache::access_outcome>(outcome));
}

inline constexpr kernel::counter<instruction_counts> instruction_counters[] = {
    kernel::count<&instruction_counts::issues>("issues", "warp instructions",
                                               "issued warp instructions"),
    kernel::count<&instruction_counts::threads>(
        "threads", "thread instructions", "issued instructions, counted once per active lane"),
    kernel::count<&instruction_counts::partial>(
        "partial", "warp instructions",
        "instructions issued with fewer active lanes than the warp has"),
    kernel::count<&instruction_counts::divergences>(
        "divergences", "warp instructions",
        "branches after which only some of the lanes are active in the next instruction of the "
        "warp"),
    kernel::count<&instruction_counts::latency>(
        "latency", "core cycles", "cycles from issue to completion, summed over all issues"),
    kernel::count<&instruction_counts::thread_latency>(
        "thread_latency", "core cycles", "latency multiplied by the number of active lanes"),
    kernel::count<&instruction_counts::exposed_latency>(
        "exposed_latency", "core cycles",
        "cycles in which the SM issued no instruction while this memory instruction was in flight"),
    kernel::count<&instruction_counts::waited>(
        "waited", "warp cycles",
        "cycles between the previous issue of the warp and this one, excluding both"),
    kernel::count<&instruction_counts::waits>(
        "waits", "warp cycles",
        "cycles in which a warp waited to issue this instruction, by reason; sampled and "
        "multiplied by the sampling interval",
        wait_label),
    kernel::count<&instruction_counts::awaited>(
        "awaited", "warp cycles",
        "cycles in which other instructions waited for the result of this one; sampled and "
        "multiplied by the sampling interval"),
    kernel::count<&instruction_counts::memory_issues>(
        "memory_issues", "warp instructions",
        "instructions issued with accesses to memory other than shared memory"),
    kernel::count<&instruction_counts::transactions>(
        "transactions", "accesses", "memory accesses of the instructions counted by memory_issues"),
    kernel::count<&instruction_counts::shared_issues>(
        "shared_issues", "warp instructions", "instructions issued with accesses to shared memory"),
    kernel::count<&instruction_counts::shared_cycles>(
        "shared_cycles", "core cycles",
        "cycles for which the instructions counted by shared_issues occupied the banks of shared "
        "memory"),
    kernel::count<&instruction_counts::bank_conflicts>(
        "bank_conflicts", "core cycles",
        "cycles counted by shared_cycles beyond the first of each instruction"),
    kernel::count<&instruction_counts::l1>(
        "l1", "accesses",
        "accesses to the caches of the SM by outcome; for reservation failures, attempts",
        instruction_outcome_label),
    kernel::count<&instruction_counts::l2>(
        "l2", "accesses", "accesses to the L2 by outcome; for reservation failures, attempts",
        instruction_outcome_label),
    kernel::count<&instruction_counts::dram_requests>("dram_requests", "requests",
                                                      "requests sent to DRAM"),
    kernel::count<&instruction_counts::dram_bytes>(
        "dram_bytes", "bytes", "bytes transferred by the requests counted by dram_requests"),
};
constexpr const auto& counters_of(const instruction_counts*) {
    return instruction_counters;
}
static_assert(kernel::covers(instruction_counters));

}  // namespace simtlm::platform
