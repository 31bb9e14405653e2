// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode_tables.h"
#include "modules/program/instruction.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/recorded_trace.h"
#include "modules/trace/trace_writer.h"
#include "tests/fuzz/targets/fuzz_input.h"

namespace simtlm::fuzz {

/// Reads a kernel trace like the simulator and like simtlm-trace.
/// @param variant  selects the options
inline void read_trace(const std::string& file, unsigned variant) {
    static const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    allow_user_error([&] {
        trace::reader_options options;
        options.opcodes = &opcodes;
        options.unknown_opcode_is_error = (variant & 1u) == 0;
        options.share_paths = (variant & 2u) != 0;
        options.quirks.base_stride_gap = (variant & 4u) != 0;
        options.quirks.base_delta_swallow = (variant & 8u) != 0;
        options.validate = (variant & 64u) != 0;
        if ((variant & 16u) != 0) options.ctas = {1, 2};
        trace::kernel_trace kernel(file, options, 0);
        std::uint64_t lanes[32];
        while (auto block = kernel.next_block()) {
            for (const auto& warp : block->warps) {
                const program::dynamic_instruction* i = block->begin_of(warp);
                for (std::uint32_t n = 0; n < warp.count; ++n, ++i) {
                    if (i->info == nullptr || i->space == program::memory_space::generic)
                        std::abort();
                    program::expand_addresses(*i, block->addresses_of(warp), lanes);
                }
            }
            kernel.recycle(std::move(block));
        }
    });
    if ((variant & 32u) == 0) return;
    allow_user_error([&] {
        const auto source = trace::open_recorded_trace(file);
        std::size_t bytes = 0;
        trace::write_text_trace(*source, [&bytes](const std::string& t) { bytes += t.size(); });
    });
}

/// Target for one file form: the last byte of an input selects the options.
inline void read_input(const std::string& name, const std::uint8_t* data, std::size_t size) {
    if (size == 0) return;
    read_trace(file_of(name, data, size - 1), data[size - 1]);
}

}  // namespace simtlm::fuzz
