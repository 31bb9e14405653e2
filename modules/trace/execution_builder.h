// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/instruction_line.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/place.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::trace {

/// Creates a dynamic_instruction from a recorded execution: selects the addresses to store, applies
/// quirks about them, and resolves the space of generic accesses.
class execution_builder {
public:
    execution_builder(const kernel_header& header, const reader_options& options)
        : header_(header),
          gap_quirk_(options.quirks.base_stride_gap),
          window_quirk_(options.quirks.generic_windows) {}

    /// Index of the next address in the block's pool. Call before the addresses of an execution are
    /// appended. @throws support::user_error if the index is out of range
    static std::size_t first_value(const block_trace& block, const place& where);

    /// Appends the execution. @param first  index of its first address in the block's pool
    void append(const program::static_instruction& info, std::uint32_t mask, recorded_mode mode,
                std::size_t first, block_trace& block) const {
        program::dynamic_instruction inst;
        inst.info = &info;
        inst.active_mask = mask;
        inst.space = info.space;
        if (mode != recorded_mode::none) keep_addresses(inst, mode, first, block);
        if (inst.space == program::memory_space::generic) inst.space = resolve_generic(inst, block);
        block.instructions.push_back(inst);
    }

    /// Appends an execution with details. @param first  their index in the block's pool
    static void append_with_details(const program::static_instruction& info, std::uint32_t mask,
                                    std::size_t first, block_trace& block) {
        program::dynamic_instruction inst;
        inst.info = &info;
        inst.active_mask = mask;
        inst.mode = program::address_mode::details;
        inst.address_offset = static_cast<std::uint32_t>(first);
        block.instructions.push_back(inst);
    }

private:
    void keep_addresses(program::dynamic_instruction& inst, recorded_mode mode, std::size_t first,
                        block_trace& block) const;
    static void spread_stride(program::dynamic_instruction& inst, block_trace& block);
    program::memory_space resolve_generic(const program::dynamic_instruction& inst,
                                          const block_trace& block) const;

    const kernel_header& header_;
    bool gap_quirk_;
    bool window_quirk_;
};

}  // namespace simtlm::trace
