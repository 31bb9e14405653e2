// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/access.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtlm::core {

/// Why the LD/ST unit could not start the access at its head (manual: gpgpu_stall_shd_mem).
enum class memory_stall : std::uint8_t {
    none,
    bank_conflict,  ///< shared memory or L1 bank, or a cache without resources
    network_full,   ///< the request network takes no more
    coalescing,     ///< the instruction has more accesses than start in a cycle
    data_port,      ///< the cache's data port is busy
};
inline constexpr unsigned memory_stall_count = 5;
/// For which kind of access.
enum class memory_stage : std::uint8_t {
    constant,
    texture,
    shared,
    global_load,
    local_load,
    global_store,
    local_store,
};
inline constexpr unsigned memory_stage_count = 7;

/// What the blocks of an SM count. One per SM; sums over SMs are what GPGPU-Sim prints.
struct core_statistics {
    std::uint64_t cycles = 0;               ///< core cycles with a CTA resident
    std::uint64_t warp_cycles = 0;          ///< resident warps, summed over core cycles
    std::uint64_t warp_instructions = 0;    ///< completed
    std::uint64_t thread_instructions = 0;  ///< completed, active lanes
    std::uint64_t decoded = 0;
    std::uint64_t warps_launched = 0;
    std::uint64_t ctas_launched = 0;
    std::uint64_t ctas_completed = 0;

    // Warp Occupancy Distribution: each scheduler's cycle is in exactly one of idle, scoreboard,
    // stall, or in issue_cycles; each issued instruction is in issued_lanes.
    std::uint64_t idle = 0;        ///< W0_Idle: no warp has a valid instruction
    std::uint64_t scoreboard = 0;  ///< W0_Scoreboard: all valid instructions have hazards
    std::uint64_t stall = 0;       ///< Stall: ready, but the pipeline takes none
    std::uint64_t issue_cycles = 0;
    std::array<std::uint64_t, 33> issued_lanes{};  ///< by number of active lanes
    std::array<std::uint64_t, 64> single_issue{};  ///< by scheduler
    std::array<std::uint64_t, 64> dual_issue{};
    std::array<std::uint64_t, 64> issued_by_slot{};  ///< instructions, by warp slot

    // Instruction mix, by class (program::op_class)
    std::array<std::uint64_t, 32> warp_instructions_by_class{};

    std::uint64_t ldst_instructions = 0;  ///< dispatched to the load/store unit

    // Memory instructions: active lanes
    std::uint64_t shared_insn = 0, constant_insn = 0, texture_insn = 0, load_insn = 0,
                  store_insn = 0;
    std::uint64_t shared_accesses = 0;        ///< cycles in which shared memory banks are accessed
    std::uint64_t shared_bank_conflicts = 0;  ///< cycles lost
    std::uint64_t l1_bank_conflicts = 0;
    std::uint64_t constant_port_conflicts = 0;
    std::uint64_t memory_stalls = 0;  ///< gpgpu_n_stall_shd_mem
    std::array<std::array<std::uint64_t, memory_stall_count>, memory_stage_count> stalls{};
    std::uint64_t accesses_coalesced = 0;

    // Register file
    std::uint64_t register_reads = 0, register_writes = 0;
    std::uint64_t register_bank_conflicts = 0;  ///< operand reads that waited a pass
};

/// Packets of one direction, by what they are for and by size (the reference's traffic_breakdown).
/// Atomic reads of global memory are a class of their own, after the access types.
struct packet_breakdown {
    static constexpr unsigned atomic = protocol::access_type_count;
    static constexpr unsigned classes = atomic + 1;
    using size_count = std::pair<std::uint32_t, std::uint64_t>;  ///< bytes, packets
    std::array<std::vector<size_count>, classes> sizes;          ///< few, in no order

    void add(unsigned of, std::uint32_t bytes, std::uint64_t packets = 1) {
        for (size_count& s : sizes[of])
            if (s.first == bytes) {
                s.second += packets;
                return;
            }
        sizes[of].emplace_back(bytes, packets);
    }
    void operator+=(const packet_breakdown& o) {
        for (unsigned c = 0; c < classes; ++c)
            for (const size_count& s : o.sizes[c]) add(c, s.first, s.second);
    }
};

/// What a cluster puts into the request network, by type (manual: gpgpu_n_mem_*), and the sizes of
/// its packets both ways.
struct traffic_statistics {
    std::array<std::uint64_t, 16> requests_by_type{};
    std::uint64_t read_requests = 0, write_requests = 0;
    packet_breakdown sent, received;
};

}  // namespace simtlm::core
