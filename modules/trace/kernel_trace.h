// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/program/kernel_source.h"
#include "modules/trace/executed_code.h"

#include <cstdint>
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
    /// Registers or shared memory of which the header says nothing that can be read: the kernel can
    /// only run when somebody else says it.
    static constexpr std::uint32_t not_told = ~std::uint32_t{0};

    std::uint64_t shared_base = 0;  ///< generic window of shared memory; 0 = not told
    std::uint64_t local_base = 0;   ///< generic window of local memory; 0 = not told
    std::string nvbit_version;
    /// The first value that no tracer can have written, and its line; or empty.
    std::string implausible, implausible_where;
    /// @throws kernel::user_error when there is one
    void check_plausible() const;
    std::uint32_t tracer_version = 0;  ///< 0 when absent; "1.2" reads as 1
    bool line_info = false;
    /// Recorded while it was executed: its code. nullptr: instructions as a tracer saw them.
    std::shared_ptr<const executed_code> code;
    /// Control bits of machine code by program counter, from lines `-control PC = BITS` (both
    /// hexadecimal; control_bits::encode) that other tools pass over. Instructions without a line
    /// have none.
    std::map<std::uint64_t, program::control_bits> control;
};

/// One thread block of a trace, decoded: instructions of all its warps in one array, or shared.
/// Reused from block to block; holds no string and no allocation per instruction.
struct block_trace final : program::cta {
    struct warp_range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        /// Shared paths: what the warp executes (then `first` has no meaning), and where its own
        /// addresses begin.
        std::shared_ptr<const warp_path> path;
        std::uint32_t first_address = 0;
    };
    /// What a warp executes: its first instruction of `count`, and the pool that those count from.
    const program::dynamic_instruction* begin_of(const warp_range& warp) const;
    const std::uint64_t* addresses_of(const warp_range& warp) const {
        return addresses.data() + warp.first_address;
    }
    program::warp_code warp(unsigned w) override;

    std::vector<warp_range> warps;  ///< by warp id within the block
    std::vector<program::dynamic_instruction> instructions;
    std::vector<std::uint64_t> addresses;  ///< pool, see program::expand_addresses

    void clear() {
        warps.clear();
        instructions.clear();
        addresses.clear();
    }
};

/// Quirks of the reference's trace front end, for comparison with it (see docs/fidelity.md).
struct reader_quirks : isa::decode_quirks {
    bool base_delta_swallow = false;  ///< base+delta lists take one value more than written
    bool base_stride_gap = false;     ///< lanes after the first gap of the mask get address 0
    bool generic_windows = false;     ///< LD, ST: shared reaches up to local, local has 16 KB
};

/// Thread blocks from the first to the last, counted from 0 with x running fastest.
struct cta_range {
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};

    bool all() const { return first == 0 && last == ~std::uint64_t{0}; }
};

/// What a reader does with what it cannot know for sure.
struct reader_options {
    const isa::opcode_tables* opcodes = nullptr;  ///< required
    program::latency_table latencies;
    /// Warps that execute the same share one description of it: memory goes with how many different
    /// ways warps take, not with how many warps there are.
    bool share_paths = false;
    /// Instructions without control bits are given some, for a core that issues by them.
    bool assign_controls = false;
    /// Only these are read: the header then has a grid of so many blocks in a row, while blocks
    /// keep their places in the whole grid.
    cta_range ctas;
    /// Refuses what no tracer can have recorded (trace_validator.h).
    bool validate = false;
    bool unknown_opcode_is_error = true;  ///< else one warning and the integer unit
    /// Take the place of what a header says.
    std::optional<std::uint32_t> shared_memory, registers;
    reader_quirks quirks;
};

/// Streams one kernel trace, block by block, decoding ahead of the simulation in a thread of its
/// own. Memory does not grow with the trace: at most `lookahead` decoded blocks exist that the
/// simulation has not taken yet, fewer where blocks are large (two, and 4 MiB).
class kernel_trace final : public program::kernel_source {
public:
    /// Opens the file and reads the header, no more: decoding begins with the first next_block()
    /// or with start(), so that all kernels of a list can be looked at before the run.
    /// @param lookahead  0 decodes in next_block() itself, without a thread
    /// @throws kernel::user_error
    kernel_trace(const std::string& file, const reader_options& options, unsigned lookahead = 64);
    ~kernel_trace() override;
    kernel_trace(const kernel_trace&) = delete;
    kernel_trace& operator=(const kernel_trace&) = delete;

    const kernel_header& header() const;
    const program::kernel_descriptor& descriptor() const override { return header(); }

    /// Starts decoding ahead; next_block() does it otherwise.
    void start() override;

    /// The next thread block in file order, or nullptr after the last. Return it with recycle().
    /// Checks that warp ids, instruction counts and the number of blocks agree with the header.
    /// @throws kernel::user_error naming file and line
    std::unique_ptr<block_trace> next_block();
    std::unique_ptr<program::cta> next_cta() override { return next_block(); }

    /// Gives the storage of a block of this trace back for reuse.
    void recycle(std::unique_ptr<program::cta> block) override;

    /// Warnings met so far (unknown opcodes under the option, corrupt header values), each once.
    std::vector<std::string> take_warnings() override;

private:
    struct implementation;
    std::unique_ptr<implementation> impl_;
};

}  // namespace simtlm::trace
