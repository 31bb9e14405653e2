// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/protocol/access.h"
#include "modules/support/counter_table.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::core {

struct warp_instruction;

/// Why the LD/ST unit could not start its next access (GPGPU-Sim manual: gpgpu_stall_shd_mem).
enum class memory_stall : std::uint8_t {
    none,
    bank_conflict,  ///< shared memory or L1 bank conflict, or a reservation failure
    network_full,   ///< the request network is full
    coalescing,     ///< the instruction has more accesses than can start in a cycle
    data_port,      ///< the cache's data port is busy
};
inline constexpr unsigned memory_stall_count = 5;
/// Description for a report.
constexpr const char* memory_stall_text(memory_stall s) {
    constexpr const char* texts[memory_stall_count] = {
        "nothing in its way", "bank conflict, or no room in the cache",
        "no room in the request network", "more accesses than start in a cycle",
        "the cache's data port is busy"};
    return texts[static_cast<unsigned>(s)];
}
/// Kind of access that stalled.
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

/// Counters of the blocks of an SM, one object per SM. GPGPU-Sim prints their sums over all SMs.
struct core_statistics {
    std::uint64_t cycles = 0;               ///< core cycles with a CTA resident
    std::uint64_t warp_cycles = 0;          ///< resident warps, summed over core cycles
    std::uint64_t warp_instructions = 0;    ///< completed
    std::uint64_t thread_instructions = 0;  ///< completed, active lanes
    std::uint64_t decoded = 0;
    std::uint64_t warps_launched = 0;
    std::uint64_t ctas_launched = 0;
    std::uint64_t ctas_completed = 0;

    // Warp Occupancy Distribution: each cycle of a scheduler is counted in exactly one of idle,
    // scoreboard, stall and issue_cycles; each issued instruction is counted in issued_lanes.
    std::uint64_t idle = 0;        ///< W0_Idle: no warp has a valid instruction
    std::uint64_t scoreboard = 0;  ///< W0_Scoreboard: all valid instructions have hazards
    std::uint64_t stall = 0;       ///< Stall: ready, but its pipeline is full
    std::uint64_t issue_cycles = 0;
    std::array<std::uint64_t, 33> issued_lanes{};  ///< by number of active lanes
    std::array<std::uint64_t, 64> single_issue{};  ///< by scheduler
    std::array<std::uint64_t, 64> dual_issue{};
    std::array<std::uint64_t, 64> issued_by_slot{};  ///< instructions, by warp slot

    // Instruction mix, by class (program::op_class)
    std::array<std::uint64_t, 32> warp_instructions_by_class{};
    std::array<std::uint64_t, 32> thread_instructions_by_class{};  ///< active lanes
    // The same by what they compute (program::operation_kind), and their register operands
    std::array<std::uint64_t, program::operation_kinds> warp_operations{}, thread_operations{};
    std::array<std::uint64_t, 8> tensor_products{};  ///< multiply-adds, by log2 of operand bits
    std::uint64_t source_registers = 0, destination_registers = 0;

    std::uint64_t ldst_instructions = 0;  ///< dispatched to the load/store unit

    // Memory instructions: active lanes
    std::uint64_t shared_insn = 0, constant_insn = 0, texture_insn = 0, load_insn = 0,
                  store_insn = 0;
    std::uint64_t shared_accesses = 0;        ///< cycles in which shared memory banks are accessed
    std::uint64_t shared_bank_conflicts = 0;  ///< additional cycles
    std::uint64_t l1_bank_conflicts = 0;
    std::uint64_t l1_data_wavefronts = 0;
    std::uint64_t constant_port_conflicts = 0;
    std::uint64_t memory_stalls = 0;  ///< gpgpu_n_stall_shd_mem
    std::array<std::array<std::uint64_t, memory_stall_count>, memory_stage_count> stalls{};
    std::uint64_t accesses_coalesced = 0;

    // Register file
    std::uint64_t register_reads = 0, register_writes = 0;
    std::uint64_t register_bank_conflicts = 0;  ///< operand reads delayed by a pass
};

/// Number of packets of one direction, by type and size (GPGPU-Sim's traffic_breakdown). Atomic
/// reads of global memory form a separate class after the access types.
struct packet_breakdown {
    static constexpr unsigned atomic = protocol::access_type_count;
    static constexpr unsigned classes = atomic + 1;
    using size_count = std::pair<std::uint32_t, std::uint64_t>;  ///< bytes, packets
    std::array<std::vector<size_count>, classes> sizes;          ///< few entries, unordered

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

/// Requests that a cluster sends into the request network, by type (GPGPU-Sim manual:
/// gpgpu_n_mem_*), and the sizes of its packets in both directions.
struct traffic_statistics {
    std::array<std::uint64_t, 16> requests_by_type{};
    std::uint64_t read_requests = 0, write_requests = 0;
    packet_breakdown sent, received;
};

// ---- descriptions of the counters ----

/// Label W1 to W32, as in the Warp Occupancy Distribution; W0: no active lane.
inline std::string lane_label(unsigned lanes) {
    return "W" + std::to_string(lanes);
}
inline std::string scheduler_label(unsigned scheduler) {
    return "WS" + std::to_string(scheduler);
}
/// Label of a program::op_class.
inline std::string class_label(unsigned op_class) {
    constexpr const char* names[] = {"alu",   "sp",    "int",    "dp",    "sfu",   "tensor",
                                     "load",  "store", "branch", "call",  "ret",   "barrier",
                                     "fence", "exit",  "spec1",  "spec2", "spec3", "spec4",
                                     "spec5", "spec6", "spec7",  "spec8"};
    return op_class < std::size(names) ? names[op_class] : "";
}
/// Label of a program::operation_kind.
inline std::string operation_label(unsigned operation) {
    constexpr const char* names[program::operation_kinds] = {
        "other",         "integer",     "integer_multiply", "uniform", "fp16",
        "fp16_multiply", "fp32",        "fp32_multiply",    "fp64",    "fp64_multiply",
        "conversion",    "square_root", "logarithm",        "sine",    "exponential",
        "reciprocal",    "tensor",      "texture"};
    return names[operation];
}
/// Label of the operands of tensor products: b16.
inline std::string operand_bits_label(unsigned log2_bits) {
    return log2_bits < 7 ? "b" + std::to_string(1u << log2_bits) : "";
}
/// Label STAGE.REASON; empty for memory_stall::none.
inline std::string stall_label(unsigned cell) {
    constexpr const char* stages[memory_stage_count] = {"constant",    "texture",    "shared",
                                                        "global_load", "local_load", "global_store",
                                                        "local_store"};
    constexpr const char* reasons[memory_stall_count] = {"", "bank_conflict", "network_full",
                                                         "coalescing", "data_port"};
    const char* reason = reasons[cell % memory_stall_count];
    return *reason != 0 ? std::string(stages[cell / memory_stall_count]) + "." + reason : "";
}
inline std::string access_label(unsigned type) {
    return type < protocol::access_type_count
               ? protocol::access_type_name(static_cast<protocol::access_type>(type))
               : "";
}

inline constexpr support::counter<core_statistics> core_counters[] = {
    support::count<&core_statistics::cycles>("cycles", "core cycles", "a CTA was resident"),
    support::count<&core_statistics::warp_cycles>("warp_cycles", "warps x core cycles",
                                                  "warps were resident"),
    support::count<&core_statistics::warp_instructions>("warp_instructions", "warp instructions",
                                                        "completed"),
    support::count<&core_statistics::thread_instructions>(
        "thread_instructions", "thread instructions", "completed, by active lanes"),
    support::count<&core_statistics::decoded>("decoded", "warp instructions",
                                              "entered instruction buffers"),
    support::count<&core_statistics::warps_launched>("warps_launched", "warps", "became resident"),
    support::count<&core_statistics::ctas_launched>("ctas_launched", "thread blocks",
                                                    "became resident"),
    support::count<&core_statistics::ctas_completed>("ctas_completed", "thread blocks", "ended"),
    support::count<&core_statistics::idle>("idle", "scheduler cycles",
                                           "no warp had a valid instruction"),
    support::count<&core_statistics::scoreboard>("scoreboard", "scheduler cycles",
                                                 "all valid instructions had hazards"),
    support::count<&core_statistics::stall>("stall", "scheduler cycles",
                                            "an instruction was ready, but the pipeline took none"),
    support::count<&core_statistics::issue_cycles>("issue_cycles", "scheduler cycles",
                                                   "something was issued"),
    support::count<&core_statistics::issued_lanes>("issued_lanes", "warp instructions",
                                                   "issued, by number of active lanes", lane_label),
    support::count<&core_statistics::single_issue>("single_issue", "scheduler cycles",
                                                   "one instruction was issued, by scheduler",
                                                   scheduler_label),
    support::count<&core_statistics::dual_issue>("dual_issue", "scheduler cycles",
                                                 "two instructions were issued, by scheduler",
                                                 scheduler_label),
    support::count<&core_statistics::issued_by_slot>("issued_by_slot", "warp instructions",
                                                     "issued, by warp slot", support::number_label),
    support::count<&core_statistics::warp_instructions_by_class>(
        "warp_instructions_by_class", "warp instructions", "completed, by class of opcode",
        class_label),
    support::count<&core_statistics::thread_instructions_by_class>(
        "thread_instructions_by_class", "thread instructions",
        "completed, by active lanes, by class of opcode", class_label),
    support::count<&core_statistics::warp_operations>(
        "warp_operations", "warp instructions", "completed, by what they compute", operation_label),
    support::count<&core_statistics::thread_operations>(
        "thread_operations", "thread instructions",
        "completed, by active lanes, by what they compute", operation_label),
    support::count<&core_statistics::tensor_products>(
        "tensor_products", "multiply-adds", "of matrix instructions, by size of the operands",
        operand_bits_label),
    support::count<&core_statistics::source_registers>("source_registers", "operands",
                                                       "vector registers that instructions read"),
    support::count<&core_statistics::destination_registers>(
        "destination_registers", "operands", "vector registers that instructions wrote"),
    support::count<&core_statistics::ldst_instructions>("ldst_instructions", "warp instructions",
                                                        "dispatched to the load/store unit"),
    support::count<&core_statistics::shared_insn>("shared_insn", "thread instructions",
                                                  "at shared memory"),
    support::count<&core_statistics::constant_insn>("constant_insn", "thread instructions",
                                                    "at constant memory"),
    support::count<&core_statistics::texture_insn>("texture_insn", "thread instructions",
                                                   "at textures"),
    support::count<&core_statistics::load_insn>("load_insn", "thread instructions",
                                                "loads, global and local"),
    support::count<&core_statistics::store_insn>("store_insn", "thread instructions",
                                                 "stores, global and local"),
    support::count<&core_statistics::shared_accesses>("shared_accesses", "core cycles",
                                                      "shared memory banks were accessed"),
    support::count<&core_statistics::shared_bank_conflicts>("shared_bank_conflicts", "core cycles",
                                                            "lost to shared memory bank conflicts"),
    support::count<&core_statistics::l1_bank_conflicts>("l1_bank_conflicts", "attempts",
                                                        "found their L1 data bank taken"),
    support::count<&core_statistics::l1_data_wavefronts>(
        "l1_data_wavefronts", "core cycles", "the banks were read by loads of the L1 data cache"),
    support::count<&core_statistics::constant_port_conflicts>(
        "constant_port_conflicts", "core cycles", "lost to several constant addresses in a warp"),
    support::count<&core_statistics::memory_stalls>(
        "memory_stalls", "core cycles",
        "the load/store unit could not start the access at its head"),
    support::count<&core_statistics::stalls>("stalls", "core cycles",
                                             "the same by kind of access and reason", stall_label),
    support::count<&core_statistics::accesses_coalesced>(
        "accesses_coalesced", "accesses", "memory accesses that warp instructions came down to"),
    support::count<&core_statistics::register_reads>("register_reads", "operands",
                                                     "read from the register file"),
    support::count<&core_statistics::register_writes>("register_writes", "operands",
                                                      "written to the register file"),
    support::count<&core_statistics::register_bank_conflicts>(
        "register_bank_conflicts", "operands", "had to wait for their register bank"),
};
constexpr const auto& counters_of(const core_statistics*) {
    return core_counters;
}
static_assert(support::covers(core_counters));

inline constexpr support::counter<traffic_statistics> traffic_counters[] = {
    support::count<&traffic_statistics::requests_by_type>(
        "requests_by_type", "requests", "put into the request network, by access type",
        access_label),
    support::count<&traffic_statistics::read_requests>("read_requests", "requests",
                                                       "put into the request network"),
    support::count<&traffic_statistics::write_requests>("write_requests", "requests",
                                                        "put into the request network"),
};
constexpr const auto& counters_of(const traffic_statistics*) {
    return traffic_counters;
}
static_assert(support::covers(traffic_counters, 2 * sizeof(packet_breakdown)));

/// Counts a completed instruction.
void count_completed(core_statistics& statistics, const warp_instruction& inst);
/// Counts what executions of an instruction take energy for: operations and register operands.
/// @param lanes  active lanes of all executions
void count_executions(core_statistics& statistics, const program::static_instruction& info,
                      std::uint64_t warps, std::uint64_t lanes);

/// Counts a memory instruction, and its active threads by memory space.
void count_memory_instruction(core_statistics& statistics, const warp_instruction& inst);

}  // namespace simtlm::core
