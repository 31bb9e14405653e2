// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/binary_block_source.h"

#include "modules/trace/kernel_header.h"
#include "modules/trace/trace_validator.h"

#include <algorithm>
#include <utility>

namespace simtlm::trace {

namespace {

constexpr std::size_t max_reserved = 1 << 16;

/// Reads the header during construction, because members constructed after the file need it.
kernel_header& read_into(kernel_header& header, const binary_file& file,
                         const reader_options& options, std::vector<std::string>& warnings) {
    header = file.read_header(warnings);
    apply_options(header, options, false);
    file.check_index(header);
    return header;
}

}  // namespace

binary_block_source::binary_block_source(const std::string& file, const reader_options& options,
                                         kernel_header& header, std::vector<std::string>& warnings,
                                         warning_sink warn)
    : file_(file),
      header_(read_into(header, file_, options, warnings)),
      share_(options.share_paths),
      swallow_quirk_(options.quirks.base_delta_swallow),
      validate_(options.validate && !header.code),
      table_(header, options, std::move(warn)),
      builder_(header, options),
      instructions_(file_.read_instructions()),
      entries_(instructions_.size()),
      decoder_(instructions_),
      places_(header.grid) {}

bool binary_block_source::read(block_trace& block, const std::atomic<bool>& stop) {
    block.clear();
    block.warps.resize(header_.warps_per_block());
    if (next_ == file_.blocks()) return false;
    block.index = decoder_.begin_block(file_.block(next_));
    check_place(block.index);
    for (block_trace::warp_range& warp : block.warps) {
        if (stop.load(std::memory_order_relaxed)) return false;
        warp.count = decoder_.begin_warp();
        if (warp.count == 0) continue;
        if (!share_) {
            warp.first = static_cast<std::uint32_t>(block.instructions.size());
            read_warp(warp.count, block);
            check_warp(block, warp, block.instructions.data() + warp.first);
            continue;
        }
        scratch_.clear();
        read_warp(warp.count, scratch_);
        check_warp(block, warp, scratch_.instructions.data());
        warp.first_address = static_cast<std::uint32_t>(block.addresses.size());
        warp.path = paths_.share(scratch_.instructions, scratch_.addresses, block.addresses);
    }
    decoder_.end_block();
    file_.release(next_++);
    return true;
}

void binary_block_source::check_place(const dim3& at) {
    if (at.x >= header_.grid.x || at.y >= header_.grid.y || at.z >= header_.grid.z) {
        decoder_.position().fail("a thread block outside of the grid");
    }
    if (!places_.enter(at)) decoder_.position().fail("a thread block that was there before");
}

void binary_block_source::read_warp(std::uint32_t count, block_trace& decoded) {
    auto& instructions = decoded.instructions;
    const std::size_t size = instructions.size() + std::min<std::size_t>(count, max_reserved);
    if (size > instructions.capacity()) {
        instructions.reserve(std::max(size, instructions.capacity() * 3 / 2));
    }
    for (; count > 0; --count) {
        const std::size_t first = execution_builder::first_value(decoded, decoder_.position());
        const recorded_execution e = decoder_.next(decoded.addresses);
        builder_.append(entry_of(e)->info, e.mask, e.mode, first, decoded);
    }
}

void binary_block_source::check_warp(const block_trace& block, const block_trace::warp_range& warp,
                                     const program::dynamic_instruction* first) {
    if (!validate_) return;
    const auto number = static_cast<unsigned>(&warp - block.warps.data());
    validate_warp(header_, number, first, warp.count, decoder_.position());
}

instruction_table::entry* binary_block_source::entry_of(const recorded_execution& e) {
    instruction_table::entry*& known = entries_[e.instruction];
    const binary_file::instruction& i = instructions_[e.instruction];
    if (known == nullptr) known = look_up(i, 0);
    const bool swallows = swallow_quirk_ && e.mode == recorded_mode::base_deltas && e.mask != 0;
    return swallows && known->by_immediate ? look_up(i, 1) : known;
}

instruction_table::entry* binary_block_source::look_up(const binary_file::instruction& i,
                                                       std::uint32_t swallowed) {
    const binary_cursor& where = decoder_.position();
    if (validate_) validate_width(i.width, where);
    scanner in({i.text.data(), i.text.data() + i.text.size()});
    instruction_table::entry* entry = table_.take(i.pc, i.source_line, in, where);
    if (!in.at_end()) where.fail("an instruction with more than its operands");
    const std::uint32_t left = i.n_immediates - std::min(i.n_immediates, swallowed);
    return table_.with_immediates(entry, std::min(left, 2u), i.immediates + swallowed, where);
}

}  // namespace simtlm::trace
