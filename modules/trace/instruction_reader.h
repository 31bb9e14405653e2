// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/scanner.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace simtlm::trace {

/// Reads instruction lines. What does not change between executions (opcode, registers) is decoded
/// once and found again by program counter and by the text itself, so that a line costs one
/// comparison instead of a parse, and no allocation.
class instruction_reader {
public:
    using warning_sink = std::function<void(std::string)>;

    /// @param options  copied, but for the opcode tables, which must outlive this
    instruction_reader(const kernel_header& header, const reader_options& options,
                       warning_sink warn);

    /// Appends the instruction of a line to a block.
    /// @param where  for messages only
    /// @throws kernel::user_error
    void read(const line_source::line& line, const line_source& where, block_trace& block);

    /// How many different instructions were met.
    std::size_t static_instructions() const { return statics_.size(); }

private:
    /// A decoded instruction and the text it came from. Different instructions may share a program
    /// counter (each device function counts from 0), so entries of one counter form a chain.
    struct static_entry {
        isa::static_instruction info;
        std::string opcode;
        std::string text;  ///< from the destination count to the last source register
        std::int64_t immediates[2] = {};
        unsigned n_immediates = 0;
        bool by_immediate = false;  ///< the immediates are part of what it is
        static_entry* next = nullptr;
    };
    struct slot {
        std::uint64_t pc = 0;
        static_entry* chain = nullptr;
    };
    struct operand_list {
        unsigned count = 0;
        std::uint8_t registers[isa::max_sources] = {};
    };
    struct tail {
        std::uint64_t width = 0;
        unsigned n_immediates = 0;
        std::int64_t immediates[2] = {};
    };

    static_entry* find(std::uint64_t pc, std::uint32_t source_line, const scanner& in);
    static_entry* decode_new(std::uint64_t pc, std::uint32_t source_line, scanner& in);
    static_entry* variant_for(static_entry* entry, const tail& rest);
    void insert(static_entry* entry);
    slot& slot_of(std::uint64_t pc);
    void grow();
    void read_operands(scanner& in, unsigned capacity, operand_list& list, const char* role);
    void read_addresses(scanner& in, isa::dynamic_instruction& inst, bool keep, block_trace& block);
    void spread_stride(isa::dynamic_instruction& inst, block_trace& block);
    isa::memory_space resolve_generic(const isa::dynamic_instruction& inst,
                                      const block_trace& block) const;
    const isa::opcode_entry& look_up(const std::string& opcode, std::uint64_t pc);
    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) const;

    const kernel_header& header_;
    reader_options options_;
    isa::decode_options decode_options_;
    warning_sink warn_;
    const line_source* where_ = nullptr;
    std::deque<static_entry> statics_;
    std::vector<slot> slots_;
    std::size_t slots_used_ = 0;
    std::unordered_set<std::string> unknown_;
    isa::opcode_entry unknown_entry_;
};

}  // namespace simtlm::trace
