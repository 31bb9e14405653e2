// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/instruction_reader.h"

#include "modules/support/error.h"
#include "modules/trace/trace_validator.h"

#include <cstring>
#include <utility>

namespace simtlm::trace {

instruction_reader::instruction_reader(const kernel_header& header, const reader_options& options,
                                       warning_sink warn)
    : header_(header),
      repeats_(header.tracer_version >= 3),
      lines_(repeats_ ? remembered_lines : 0),
      swallow_quirk_(options.quirks.base_delta_swallow),
      validate_(options.validate && !header.code),
      table_(header, options, std::move(warn)),
      builder_(header, options) {}

/// Indexed by what is nearly always the program counter: neighbours are adjacent.
instruction_reader::remembered& instruction_reader::place_of(const line_source::line& line) {
    std::size_t pc = 0;
    for (const char* p = line.begin; p != line.end && *p > ' '; ++p)
        pc = 16 * pc + static_cast<std::size_t>((*p & 0xf) + (*p >= 'A' ? 9 : 0));
    return lines_[pc / 16 % remembered_lines];
}

void instruction_reader::remember(const line_source::line& line,
                                  const program::static_instruction& info, std::uint32_t mask) {
    const auto length = static_cast<std::size_t>(line.end - line.begin);
    if (length > remembered::longest) return;
    remembered& r = place_of(line);
    r.info = &info;
    r.mask = mask;
    r.length = static_cast<std::uint32_t>(length);
    std::memcpy(r.text, line.begin, length);
}

void instruction_reader::read(const line_source::line& line, const line_source& where,
                              block_trace& block) {
    if (repeats_) {
        const remembered& r = place_of(line);
        const auto length = static_cast<std::size_t>(line.end - line.begin);
        if (r.length == length && length != 0 && std::memcmp(r.text, line.begin, length) == 0)
            return builder_.append(*r.info, r.mask, recorded_mode::none, 0, block);
    }
    scanner in(line);
    const line_head head = scan_head(in, header_, where);
    instruction_table::entry* entry = table_.take(head.pc, head.source_line, in, where);
    if (entry->form != line_form::plain)
        return read_asynchronous(line, head, entry, in, where, block);
    std::uint64_t width = 0;
    if (!in.take_decimal(width)) {
        throw support::user_error(where.where(), "no memory width after the operands");
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
    if (validate_ && width != 0) validate_width(width, where);
    if (validate_ && entry->needs_addresses) {
        if (width == 0 && head.mask != 0) {
            throw support::user_error(where.where(), entry->opcode + " with a memory width of 0",
                                      "--no-validate lets it run without addresses");
        }
        validate_addresses(mode, head.mask, width, block.addresses.data() + first,
                           block.addresses.size() - first, where);
    }
    if (entry->by_immediate) {
        std::int64_t immediates[2] = {};
        unsigned n = 0;
        while (n < 2 && in.take_signed(immediates[n])) ++n;
        entry = table_.with_immediates(entry, n, immediates, where);
    }
    if (repeats_ && width == 0) remember(line, entry->info, head.mask);
    builder_.append(entry->info, head.mask, mode, first, block);
}

void instruction_reader::read_asynchronous(const line_source::line& line, const line_head& head,
                                           instruction_table::entry* entry, scanner& in,
                                           const line_source& where, block_trace& block) {
    std::uint64_t width = 0;
    if (!in.take_decimal(width)) {
        throw support::user_error(where.where(), "no memory width after the operands");
    }
    const std::size_t first = execution_builder::first_value(block, where);
    asynchronous_details details;
    switch (entry->form) {
        case line_form::product: {
            // The first number is whether the product closes a group, or the width, which is 0.
            constexpr std::int64_t a_in_registers = 1, closes_group = 2;
            const bool sparse = isa::has_modifier(entry->opcode, "SP");
            const unsigned besides_a = sparse ? 2 : 1;  // accumulators, metadata
            const std::int64_t how = (entry->recorded.n_src > besides_a ? a_in_registers : 0) |
                                     (width == 1 ? closes_group : 0);
            entry = table_.with_immediates(entry, 1, &how, where);
            if (repeats_) remember(line, entry->info, head.mask);
            break;
        }
        case line_form::copy:
            if (is_copy(in))
                scan_copy(in, entry->opcode, details, block.in_cluster, where);
            else
                table_.note_untold(*entry, where);
            break;
        case line_form::cluster:
            block.in_cluster = true;
            break;
        case line_form::mbarrier: {
            check_width(width, where);
            recorded_mode mode = recorded_mode::none;
            if (width != 0) mode = scan_addresses(in, head.mask, block.addresses, where);
            std::uint64_t addresses[32] = {};
            std::size_t at = first;
            for (std::uint32_t m = head.mask; mode != recorded_mode::none && m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctz(m));
                addresses[lane] = block.addresses[at];
                if (mode == recorded_mode::base_stride)
                    block.addresses[first] += block.addresses[first + 1];
                else
                    ++at;
            }
            block.addresses.resize(first);
            for (std::int64_t immediate = 0; in.take_signed(immediate);) continue;
            if (!isa::has_modifier(entry->opcode, "CCTL") && head.mask != 0 &&
                (mode == recorded_mode::none ||
                 !scan_mbarrier(in, entry->opcode, entry->operands, head.mask, addresses, details,
                                block.in_cluster, where)))
                table_.note_untold(*entry, where);
            break;
        }
        default: {  // executed
            recorded_mode mode = recorded_mode::none;
            if (width != 0) {
                check_width(width, where);
                mode = scan_addresses(in, head.mask, block.addresses, where);
            }
            const std::size_t details_begin = block.addresses.size();
            const auto ranks = static_cast<unsigned>(header_.cluster.volume());
            if (!scan_executed(in, block.addresses, ranks, where)) {
                if (repeats_ && width == 0) remember(line, entry->info, head.mask);
                return builder_.append(entry->info, head.mask, mode, first, block);
            }
            return builder_.append_with_details(entry->info, head.mask, details_begin, block);
        }
    }
    if (head.mask == 0 || details.empty())
        return builder_.append(entry->info, head.mask, recorded_mode::none, 0, block);
    append_details(details, block.addresses);
    block.has_details = true;
    builder_.append_with_details(entry->info, head.mask, first, block);
}

}  // namespace simtlm::trace
