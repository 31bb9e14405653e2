// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/execution_ports.h"
#include "modules/support/counter_table.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <string>

namespace simtlm::core::sub_core_pipeline {

/// Why a sub-core issued nothing in a cycle: the reason of the warp that came closest to issuing.
enum class stall_reason : std::uint8_t {
    none,              ///< an instruction issued
    no_warp,           ///< no resident warp has an instruction left to issue
    stall_count,       ///< stall counter of the control bits, or yield
    dependence,        ///< dependence counter (or scoreboard)
    barrier,           ///< a CTA barrier
    fence,             ///< fence, atomics or asynchronous copies
    instruction,       ///< the instruction buffer is empty: fetch, decode, a taken branch
    instruction_miss,  ///< the same, after a miss of the L0 instruction cache
    register_port,     ///< the allocate stage waits for read ports
    result_queue,      ///< the result queue is full
    unit,              ///< the input latch of the unit is occupied
    memory_queue,      ///< the queue of the memory pipeline is full
    issue_port,        ///< held by an instruction that needs two cycles
};
inline constexpr unsigned stall_reasons = 13;

/// Counters of the sub-cores of an SM.
struct sub_core_statistics {
    std::array<std::uint64_t, stall_reasons> cycles{};  ///< by reason, summed over sub-cores
    std::array<std::uint64_t, unit_count_of_sub_cores> unit_instructions{};  ///< issued to
    std::uint64_t register_reads = 0;  ///< operands of fixed-latency instructions
    std::uint64_t register_cache_hits = 0;
    std::uint64_t port_bubbles = 0;     ///< cycles in which the allocate stage was stalled
    std::uint64_t write_conflicts = 0;  ///< delays of variable-latency results, cycles
    std::uint64_t l0_fetches = 0, l0_hits = 0, l0_stream_hits = 0, l0_misses = 0, l0_prefetches = 0;
    std::uint64_t redirects = 0;        ///< taken branches that flushed an instruction buffer
    std::uint64_t memory_accepted = 0;  ///< by the memory unit
    std::uint64_t bulk_copies = 0;      ///< begun by the bulk copy engine
    std::uint64_t bulk_bytes = 0;       ///< of shared memory, read or written
    std::uint64_t bulk_requests = 0;    ///< memory requests, including tensor maps
    std::uint64_t tensor_map_misses = 0;
    std::uint64_t mbarrier_waits = 0;  ///< waits that did not succeed immediately
    std::uint64_t mbarrier_wait_cycles = 0;
    std::uint64_t warpgroup_products = 0;
    std::uint64_t warpgroup_cycles = 0;  ///< cycles of the tensor cores
};

inline std::string stall_reason_label(unsigned reason) {
    constexpr const char* names[stall_reasons] = {
        "issued", "no_warp",      "stall_count",      "dependence",    "barrier",
        "fence",  "instruction",  "instruction_miss", "register_port", "result_queue",
        "unit",   "memory_queue", "issue_port"};
    return reason < std::size(names) ? names[reason] : "";
}

inline std::string unit_label(unsigned u) {
    return unit_name(static_cast<unit>(u));
}

inline constexpr support::counter<sub_core_statistics> sub_core_counters[] = {
    support::count<&sub_core_statistics::cycles>("issue_slots", "sub-core cycles",
                                                 "by what kept the sub-core from issuing",
                                                 stall_reason_label),
    support::count<&sub_core_statistics::unit_instructions>(
        "unit_instructions", "warp instructions", "issued, by unit of the sub-cores", unit_label),
    support::count<&sub_core_statistics::register_reads>("register_reads", "operands",
                                                         "of fixed-latency instructions were read"),
    support::count<&sub_core_statistics::register_cache_hits>("register_cache_hits", "operands",
                                                              "came from the register file cache"),
    support::count<&sub_core_statistics::port_bubbles>(
        "port_bubbles", "sub-core cycles", "the allocate stage waited for register read ports"),
    support::count<&sub_core_statistics::write_conflicts>(
        "write_conflicts", "cycles", "results of variable latency waited for a write port"),
    support::count<&sub_core_statistics::l0_fetches>("l0_fetches", "instructions",
                                                     "fetched from L0 instruction caches"),
    support::count<&sub_core_statistics::l0_hits>("l0_hits", "instructions", "hit there"),
    support::count<&sub_core_statistics::l0_stream_hits>("l0_stream_hits", "lines",
                                                         "came from the stream buffer"),
    support::count<&sub_core_statistics::l0_misses>("l0_misses", "lines", "missed there too"),
    support::count<&sub_core_statistics::l0_prefetches>("l0_prefetches", "lines",
                                                        "the stream buffer asked for"),
    support::count<&sub_core_statistics::redirects>(
        "redirects", "branches", "taken ones that emptied an instruction buffer"),
    support::count<&sub_core_statistics::memory_accepted>("memory_accepted", "warp instructions",
                                                          "taken by the memory unit"),
    support::count<&sub_core_statistics::bulk_copies>("bulk_copies", "copies",
                                                      "begun by the bulk copy engine"),
    support::count<&sub_core_statistics::bulk_bytes>("bulk_bytes", "bytes",
                                                     "of shared memory that bulk copies move"),
    support::count<&sub_core_statistics::bulk_requests>("bulk_requests", "requests",
                                                        "of bulk copies to memory"),
    support::count<&sub_core_statistics::tensor_map_misses>(
        "tensor_map_misses", "tensor maps", "fetched from memory by the bulk copy engine"),
    support::count<&sub_core_statistics::mbarrier_waits>(
        "mbarrier_waits", "warp instructions",
        "that did not find the phase of an mbarrier complete"),
    support::count<&sub_core_statistics::mbarrier_wait_cycles>(
        "mbarrier_wait_cycles", "cycles", "that warps have waited for mbarriers"),
    support::count<&sub_core_statistics::warpgroup_products>("warpgroup_products", "products",
                                                             "of warpgroups (wgmma)"),
    support::count<&sub_core_statistics::warpgroup_cycles>(
        "warpgroup_cycles", "cycles", "that products of warpgroups take the tensor cores"),
};
constexpr const auto& counters_of(const sub_core_statistics*) {
    return sub_core_counters;
}
static_assert(support::covers(sub_core_counters));

}  // namespace simtlm::core::sub_core_pipeline
