// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/instruction_reader.h"

#include "modules/kernel/error.h"

#include <utility>

namespace simtlm::trace {

instruction_reader::instruction_reader(const kernel_header& header, const reader_options& options,
                                       warning_sink warn)
    : header_(header),
      swallow_quirk_(options.quirks.base_delta_swallow),
      table_(header, options, std::move(warn)),
      builder_(header, options) {}

void instruction_reader::read(const line_source::line& line, const line_source& where,
                              block_trace& block) {
    scanner in(line);
    const line_head head = scan_head(in, header_, where);
    instruction_table::entry* entry = table_.take(head.pc, head.source_line, in, where);
    std::uint64_t width = 0;
    if (!in.take_decimal(width)) {
        throw kernel::user_error(where.where(), "no memory width after the operands");
    }
    check_width(width, where);
    recorded_mode mode = recorded_mode::none;
    std::size_t first = 0;
    if (width != 0) {
        first = execution_builder::first_value(block, where);
        mode = scan_addresses(in, head.mask, block.addresses, where);
        std::int64_t swallowed = 0;
        if (swallow_quirk_ && mode == recorded_mode::base_deltas && head.mask != 0) {
            in.take_signed(swallowed);
        }
    }
    if (entry->by_immediate) {
        std::int64_t immediates[2] = {};
        unsigned n = 0;
        while (n < 2 && in.take_signed(immediates[n])) ++n;
        entry = table_.with_immediates(entry, n, immediates, where);
    }
    builder_.append(entry->info, head.mask, mode, first, block);
}

}  // namespace simtlm::trace
