// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_bits.h"

#include <array>
#include <cstdint>

namespace simtlm::program {

/// Instruction class, which determines the functional unit, the latency class and the bookkeeping
/// at issue.
enum class op_class : std::uint8_t {
    alu,      ///< no class of its own: integer latency, executed by the integer pipeline
    sp,       ///< single-precision (and packed half) arithmetic
    integer,  ///< integer arithmetic
    dp,       ///< double precision
    sfu,      ///< special functions
    tensor,   ///< the tensor core unit (traces of Volta and later use a specialised unit instead)
    load,
    store,
    branch,
    call,
    ret,
    barrier,         ///< CTA barrier
    memory_barrier,  ///< fence
    exit,
    spec1,  ///< specialised units 1..8 of the configuration
    spec2,
    spec3,
    spec4,
    spec5,
    spec6,
    spec7,
    spec8,
};
inline constexpr unsigned op_class_count = 22;
inline constexpr unsigned max_specialized_units = 8;

enum class memory_space : std::uint8_t { none, global, local, shared, constant, texture, generic };

/// Use of the data caches by a memory instruction.
enum class cache_operator : std::uint8_t {
    cache_all,     ///< .ca: L1 and L2
    cache_global,  ///< .cg: L2 only; also for .STRONG.GPU and atomics
    last_use,      ///< .lu: a load after which the data are not needed any more
    prefetch_l2,   ///< a prefetch: fetches data into the L2, which answers without data
};

/// Kind of CTA barrier instruction.
enum class barrier_kind : std::uint8_t { none, sync, arrive, reduction };

/// Instruction-specific bookkeeping beyond the class.
enum class special_op : std::uint8_t {
    none,
    ldgsts,            ///< asynchronous copy global -> shared
    ldgdepbar,         ///< closes the warp's current group of asynchronous copies
    depbar,            ///< waits until at most `immediate` groups are in flight
    ldsm,              ///< matrix load from shared memory
    warp_sync,         ///< WARPSYNC and related instructions
    mbarrier_update,   ///< may complete a phase of an mbarrier in shared memory
    mbarrier_wait,     ///< waits for a phase of an mbarrier to complete
    bulk_copy,         ///< starts bulk transfers (bulk_transfer.h)
    remote_store,      ///< st.async: stores that signal an mbarrier, without the bulk copy engine
    bulk_commit,       ///< closes the warp's current group of bulk transfers
    bulk_wait,         ///< waits until at most `immediate` groups are in flight
    bulk_wait_read,    ///< the same, but for groups that have not read shared memory yet
    warpgroup_arrive,  ///< waits for the other warps of the warpgroup, before products
    warpgroup_mma,     ///< asynchronous matrix product; immediate: bit 0: A is in registers, bit 1:
                       ///< closes the warp's current group, too
    warpgroup_commit,  ///< closes the warp's current group of such products
    warpgroup_wait,    ///< waits until at most `immediate` groups are in flight
    launch_dependents,  ///< the CTA allows kernels that depend on its kernel to begin
    dependency_wait,    ///< waits until the kernel on which this one depends has ended
    // Traces have the numbers of those above.
    tensor_work,  ///< gives work to the tensor core or its memory (tensor_core_work.h)
    tensor_wait,  ///< waits for the warp's loads from tensor memory; immediate 1: stores to it
};

/// Whether an instruction uses an mbarrier, an engine that operates asynchronously to the warp, or
/// dependent kernels.
constexpr bool is_asynchronous(special_op s) {
    return s >= special_op::mbarrier_update;
}

/// Instruction classes that a compiler for Volta and later uses for scheduling (based on mesa's
/// NAK, sm75_instr_latencies.rs and sm80_instr_latencies.rs). All up to `half`, and `uniform`, have
/// a fixed latency; the others need a dependence counter.
enum class scheduling_class : std::uint8_t {
    alu,        ///< integer, logic, compare, select, move
    alu64,      ///< CS2R.64, NOP
    fp32,       ///< FADD FMUL FFMA
    imad,       ///< integer multiply-add and dot product
    imad_wide,  ///< IMAD.WIDE
    half,       ///< HADD2 HFMA2
    uniform,    ///< uniform datapath
    fp64,
    mma,      ///< matrix
    xu,       ///< special functions, conversions, population count
    special,  ///< S2R and other reads of special registers, votes
    branch,   ///< control flow
    barrier,  ///< BAR, fences
    memory,   ///< with an address: loads, stores, atomics
    shuffle,
    xu64,     ///< conversions from and to 64-bit types: by the FP64 unit if sub-cores share it
    unknown,  ///< not determined yet
};
inline constexpr unsigned scheduling_classes = 16;

constexpr bool has_fixed_latency(scheduling_class c) {
    return c <= scheduling_class::uniform;
}

/// What an instruction computes, as far as its energy depends on it. Power models of GPUs have one
/// energy for each (Kandiah et al., AccelWattch, MICRO 2021).
enum class operation_kind : std::uint8_t {
    other,  ///< memory, control flow, synchronisation
    integer,
    integer_multiply,
    uniform,  ///< uniform datapath: once per warp
    fp16,
    fp16_multiply,  ///< and multiply-add
    fp32,
    fp32_multiply,
    fp64,
    fp64_multiply,
    conversion,
    square_root,  ///< and its reciprocal
    logarithm,
    sine,  ///< and cosine
    exponential,
    reciprocal,
    tensor,
    texture,
};
inline constexpr unsigned operation_kinds = 18;

/// What the energy of an instruction depends on.
struct energy_traits {
    operation_kind operation = operation_kind::other;
    std::uint8_t register_reads = 0;   ///< vector registers among the sources
    std::uint8_t register_writes = 0;  ///< vector registers among the destinations
};

/// What a fence orders, which determines how long it takes.
enum class fence_kind : std::uint8_t {
    gpu,          ///< accesses of the GPU
    cta,          ///< accesses of the CTA
    cta_all,      ///< MEMBAR.ALL.CTA, which precedes a fence between proxies
    system,       ///< accesses of the system
    async_proxy,  ///< the generic and the asynchronous proxy
};

/// Shape and types of a matrix instruction: D (m x n) = A (m x k) B (k x n) + C.
struct matrix_shape {
    std::uint16_t m = 0, n = 0, k = 0;
    std::uint8_t operand_bits = 16;      ///< per element of A and B
    std::uint8_t accumulator_bytes = 2;  ///< per element of D, of a warpgroup product
    bool sparse = false;                 ///< only half of A's elements are stored
    bool fp32_accumulators = false;

    bool known() const { return m != 0; }
    /// A number that is different for different shapes.
    std::uint64_t key() const {
        return std::uint64_t{m} | std::uint64_t{n} << 12 | std::uint64_t{k} << 24 |
               std::uint64_t{operand_bits} << 40 | std::uint64_t{accumulator_bytes} << 48 |
               std::uint64_t{sparse} << 56 | std::uint64_t{fp32_accumulators} << 57;
    }
};

inline constexpr unsigned max_destinations = 8;
inline constexpr unsigned max_sources = 24;
/// Reads as zero and ignores writes: has no dependences and no bank.
inline constexpr std::uint16_t register_zero = 0xffff;

/// Latency and initiation interval of every class, in core cycles, for sources that use classes
/// (options -trace_opcode_latency_initiation_*). Classes without an option have 1/1.
struct latency_table {
    /// Timing of a class.
    struct entry {
        std::uint16_t latency = 1;
        std::uint16_t initiation_interval = 1;
    };
    std::array<entry, op_class_count> of{};

    const entry& operator[](op_class c) const { return of[static_cast<unsigned>(c)]; }
    entry& operator[](op_class c) { return of[static_cast<unsigned>(c)]; }
};

/// The properties of an instruction that do not change between executions; created once per program
/// counter of a kernel by its source. The fields used by the pipeline stages are in the first 64
/// bytes, one cache line.
struct alignas(64) static_instruction {
    std::uint64_t pc = 0;
    const char* opcode = "";  ///< full opcode text, valid for the lifetime of the kernel
    std::uint32_t source_line = 0;
    std::uint16_t latency = 1;              ///< core cycles
    std::uint16_t initiation_interval = 1;  ///< core cycles
    op_class cls = op_class::alu;
    memory_space space = memory_space::none;  ///< generic: resolved per execution
    cache_operator cache_op = cache_operator::cache_all;
    special_op special = special_op::none;
    barrier_kind barrier = barrier_kind::none;
    bool is_load = false;  ///< reads memory (atomics included)
    bool is_store = false;
    bool is_atomic = false;
    std::uint8_t data_size = 0;    ///< bytes per lane
    std::uint8_t code_bytes = 16;  ///< size of the instruction in memory
    std::uint8_t n_dst = 0;
    std::uint8_t n_src = 0;
    /// Bit i: src[i] is a hazard but does not use the operand collector (usually a predicate).
    std::uint32_t uncollected = 0;
    std::array<std::uint16_t, max_destinations> dst{};
    std::array<std::uint16_t, max_sources> src{};
    control_bits control;  ///< machine code: dependences specified by the compiler
    scheduling_class scheduling = scheduling_class::unknown;
    std::int32_t immediate = 0;  ///< depends on special_op: usually the number of groups allowed in
                                 ///< flight
    std::int16_t barrier_id = 0;       ///< BAR: named barrier, -1 if the trace does not contain it
    std::int32_t barrier_threads = 0;  ///< BAR: threads expected, 0 = the whole CTA
    /// Loads: size of the aligned block that the L2 fetches from memory when it misses, in bytes
    /// (64, 128 or 256: .L2::64B, .LTC64B, ...); 0: the sectors that are read.
    std::uint16_t l2_block = 0;
    matrix_shape matrix;                 ///< of matrix instructions
    fence_kind fence = fence_kind::gpu;  ///< of fences
    energy_traits energy;

    bool is_memory() const { return is_load || is_store; }
};

/// Encoding of the addresses of a memory instruction in its CTA's pool.
enum class address_mode : std::uint8_t {
    none,          ///< no lane has an address
    base_stride,   ///< pool: base, stride (as two's complement); lane k-th active: base + k*stride
    list,          ///< pool: one address per active lane, lowest lane first
    based_stride,  ///< pool: base; deltas[0]: stride
    based_list,    ///< pool: base; deltas: distance of each active lane's address from it
    details,  ///< pool: not addresses, but what an asynchronous instruction does: the number of
              ///< words that follow, and the words
};

/// A recorded execution of an instruction by a warp; for an executed warp, the instruction in
/// program order, whose mask and addresses the executor provides at issue (kernel_source.h). 32
/// bytes; owns nothing.
struct dynamic_instruction {
    const static_instruction* info = nullptr;
    std::uint32_t active_mask = 0;
    std::uint32_t address_offset = 0;  ///< into the CTA's address pool
    address_mode mode = address_mode::none;
    memory_space space = memory_space::none;  ///< resolved: never generic
    const std::int32_t* deltas = nullptr;     ///< for modes with a base
};

/// Expands the addresses of an instruction.
/// @param pool  the CTA's address pool
/// @param out   32 entries; those of inactive lanes are not modified
/// @return mask of the lanes that have an address
inline std::uint32_t expand_addresses(const dynamic_instruction& inst, const std::uint64_t* pool,
                                      std::uint64_t* out) {
    const std::uint64_t* p = pool + inst.address_offset;
    std::uint32_t m = inst.active_mask;
    switch (inst.mode) {
        case address_mode::none:
        case address_mode::details:
            return 0;
        case address_mode::base_stride: {
            std::uint64_t a = p[0];
            for (; m != 0; m &= m - 1, a += p[1]) out[__builtin_ctz(m)] = a;
            return inst.active_mask;
        }
        case address_mode::based_stride: {
            std::uint64_t a = p[0];
            const auto stride = static_cast<std::uint64_t>(std::int64_t{inst.deltas[0]});
            for (; m != 0; m &= m - 1, a += stride) out[__builtin_ctz(m)] = a;
            return inst.active_mask;
        }
        case address_mode::based_list: {
            const std::int32_t* d = inst.deltas;
            for (; m != 0; m &= m - 1)
                out[__builtin_ctz(m)] = p[0] + static_cast<std::uint64_t>(std::int64_t{*d++});
            return inst.active_mask;
        }
        case address_mode::list:
            for (; m != 0; m &= m - 1) out[__builtin_ctz(m)] = *p++;
            return inst.active_mask;
    }
    return 0;
}

}  // namespace simtlm::program
