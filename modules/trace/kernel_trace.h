// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/program/kernel_source.h"
#include "modules/trace/executed_code.h"
#include "modules/trace/recorded_warp.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::trace {

using program::dim3;

struct warp_path;

/// The header of a kernel trace: everything known before its first thread block.
struct kernel_header : program::kernel_descriptor {
    /// Value of registers or shared memory that are missing or unreadable in the header: the kernel
    /// only runs if the user specifies them.
    static constexpr std::uint32_t unspecified = ~std::uint32_t{0};

    std::uint64_t shared_base = 0;  ///< generic window of shared memory; 0: unknown
    std::uint64_t local_base = 0;   ///< generic window of local memory; 0: unknown
    std::string nvbit_version;
    /// The first value that no tracer can have written, and its line; or empty.
    std::string implausible, implausible_where;
    /// @throws support::user_error if there is an implausible value
    void check_plausible() const;
    std::uint32_t tracer_version = 0;  ///< 0 when absent; "1.2" reads as 1
    bool line_info = false;
    /// CTAs per cluster in each dimension, of a kernel recorded during execution.
    dim3 cluster{1, 1, 1};
    /// Code of a kernel recorded during execution; nullptr: instructions as recorded by a tracer.
    std::shared_ptr<executed_code> code;
    /// Control bits of machine code by program counter, from lines `-control PC = BITS` (both in
    /// hexadecimal; control_bits::encode) that other tools ignore. Instructions without a line have
    /// none.
    std::map<std::uint64_t, program::control_bits> control;
};

/// A decoded thread block of a trace: instructions of all its warps in one array, or shared. Reused
/// for successive blocks; contains no strings and no allocation per instruction.
struct block_trace final : program::cta {
    /// The instructions of a warp, and its first address in the pool.
    struct warp_range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        /// Shared paths: the instructions of the warp (`first` is then unused), and the index of
        /// its first address.
        std::shared_ptr<const warp_path> path;
        std::uint32_t first_address = 0;
    };
    /// The first of a warp's `count` instructions, and the address pool to which their offsets
    /// refer.
    const program::dynamic_instruction* begin_of(const warp_range& warp) const;
    const std::uint64_t* addresses_of(const warp_range& warp) const {
        return addresses.data() + warp.first_address;
    }
    program::warp_code warp(unsigned w) override;

    std::vector<warp_range> warps;  ///< by warp index within the block
    std::vector<program::dynamic_instruction> instructions;
    std::vector<std::uint64_t> addresses;  ///< pool, see program::expand_addresses
    /// Whether there are details of asynchronous instructions of a tracer's trace: the warps are
    /// then replayed by executors.
    bool has_details = false;
    /// Whether the block synchronizes with others of a cluster: waits for mbarriers then succeed at
    /// once, because the blocks of a cluster are replayed one by one.
    bool in_cluster = false;

    void clear() {
        warps.clear();
        instructions.clear();
        addresses.clear();
        has_details = in_cluster = false;
        executors.clear();
        barriers.clear();
    }
    replayed_mbarriers barriers;          ///< during a replay
    std::deque<recorded_warp> executors;  ///< of warps that have been placed
};

/// Behaviour of Accel-Sim's trace front end that differs, for comparison with it (see
/// docs/fidelity-accel-sim.md).
struct reader_quirks : isa::decode_quirks {
    bool base_delta_swallow = false;  ///< base+delta lists consume one value more than written
    bool base_stride_gap = false;     ///< lanes after the first gap of the mask get address 0
    bool generic_windows = false;     ///< LD, ST: the shared window extends up to the local window,
                                      ///< which has 16 KB
};

/// A range of thread blocks, numbered from 0 with x varying fastest, inclusive.
struct cta_range {
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};

    bool all() const { return first == 0 && last == ~std::uint64_t{0}; }
};

/// Options of a trace reader.
struct reader_options {
    const isa::opcode_tables* opcodes = nullptr;  ///< required
    program::latency_table latencies;
    /// Warps with identical execution share one description of it: memory depends on the number of
    /// different paths, not on the number of warps.
    bool share_paths = false;
    /// Instructions without control bits are assigned some, for a core whose issue depends on them.
    bool assign_controls = false;
    /// Only these thread blocks are read: the header then has a one-dimensional grid of that many
    /// blocks, while the blocks keep their index in the whole grid.
    cta_range ctas;
    /// Rejects traces that no tracer can have recorded (trace_validator.h).
    bool validate = false;
    bool unknown_opcode_is_error = true;  ///< otherwise one warning, and the integer unit is used
    /// Override the values in the header.
    std::optional<std::uint32_t> shared_memory, registers;
    reader_quirks quirks;
};

/// Reads a kernel trace block by block, decoding ahead of the simulation in a separate thread.
/// Memory does not depend on the size of the trace: at most `lookahead` decoded blocks wait for the
/// simulation, fewer if blocks are large (two, and 4 MiB).
class kernel_trace final : public program::kernel_source {
public:
    /// Opens the file and reads the header only: decoding begins with the first next_block() or
    /// with start(), so that all kernels of a list can be inspected before the run.
    /// @param lookahead  0: next_block() decodes, without a thread
    /// @throws support::user_error
    kernel_trace(const std::string& file, const reader_options& options, unsigned lookahead = 64);
    ~kernel_trace() override;
    kernel_trace(const kernel_trace&) = delete;
    kernel_trace& operator=(const kernel_trace&) = delete;

    /// The header of the trace.
    const kernel_header& header() const;
    const program::kernel_descriptor& descriptor() const override { return header(); }

    /// Starts decoding ahead; otherwise next_block() does so.
    void start() override;

    /// Returns the next thread block in file order, or nullptr after the last; to be returned with
    /// recycle(). Checks that warp ids, instruction counts and the number of blocks agree with the
    /// header.
    /// @throws support::user_error naming file and line
    std::unique_ptr<block_trace> next_block();
    std::unique_ptr<program::cta> next_cta() override { return next_block(); }

    /// Returns the storage of a block of this trace for reuse.
    void recycle(std::unique_ptr<program::cta> block) override;

    /// Warnings so far (unknown opcodes if permitted, corrupt header values), each once.
    std::vector<std::string> take_warnings() override;

private:
    struct implementation;
    std::unique_ptr<implementation> impl_;
};

}  // namespace simtlm::trace
