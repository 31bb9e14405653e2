// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/block_reader.h"

#include "modules/support/error.h"
#include "modules/trace/trace_validator.h"

#include <algorithm>
#include <utility>

namespace simtlm::trace {

namespace {

constexpr std::uint64_t max_reserved_counts = 1 << 16;  // limits the memory reserved for counts in
                                                        // a damaged file

std::string text_of(const dim3& d) {
    return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

/// Parses " = N" at the end of a line.
bool take_value(scanner& in, std::uint64_t& value) {
    in.skip_blanks();
    return in.take("=") && in.take_decimal(value) && in.at_end();
}

bool is_hexadecimal(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

block_reader::block_reader(line_source& source, const kernel_header& header,
                           line_reader& instructions, bool begun, bool share, bool validate)
    : source_(source),
      header_(header),
      instructions_(instructions),
      begun_(begun),
      blocks_(header.grid),
      share_(share),
      validate_(validate && !header.code) {}

bool block_reader::read(block_trace& block, const std::atomic<bool>& stop) {
    block.clear();
    block.warps.resize(header_.warps_per_block());
    seen_.assign(header_.warps_per_block(), false);
    has_index_ = in_warp_ = false;
    line_source::line line;
    block_trace& decoded = share_ ? scratch_ : block;
    while (source_.next(line)) {
        scanner in(line);
        if (in.at_end()) continue;
        line.begin = in.position();
        const char c = *line.begin;
        if (is_hexadecimal(c) && !in.take("cluster")) {
            if (!in_warp_ || !has_count_) {
                fail(begun_ ? "an instruction before 'warp =' and 'insts ='"
                            : "an instruction outside #BEGIN_TB and #END_TB");
            }
            if (decoded.instructions.size() - block.warps[warp_].first == expected_) {
                fail("warp " + std::to_string(warp_) + " of " + name_of(block) +
                     " has more instructions than insts = " + std::to_string(expected_));
            }
            instructions_.read(line, source_, decoded);
            continue;
        }
        if (c == '#') {
            if (in.take("#BEGIN_TB")) {
                if (begun_) fail("#BEGIN_TB inside a thread block: #END_TB is missing");
                begun_ = true;
            } else if (in.take("#END_TB")) {
                if (!begun_) fail("#END_TB without #BEGIN_TB");
                if (!has_index_) fail("a thread block without 'thread block = x,y,z'");
                finish_warp(block);
                check_warps(block);
                begun_ = false;
                if (blocks_.blocks() == header_.grid.volume()) read_end();
                return true;
            }
            continue;  // a comment
        }
        if (!begun_) fail("text outside #BEGIN_TB and #END_TB");
        if (in.take("thread block")) {
            read_index(line, block);
        } else if (in.take("warp")) {
            if (stop.load(std::memory_order_relaxed)) return false;
            read_warp(line, block);
        } else if (in.take("insts")) {
            read_count(line, block);
        } else if (c != 'c') {  // ignores "cluster id", "cluster cta", "cluster rank"
            fail("neither an instruction nor a line of a thread block");
        }
    }
    if (begun_) {
        fail("the file ends inside " + name_of(block) + ": #END_TB is missing",
             "the trace is cut short: record or fetch it again");
    }
    if (blocks_.blocks() < header_.grid.volume()) {
        fail("the file ends after " + std::to_string(blocks_.blocks()) + " of " +
                 std::to_string(header_.grid.volume()) + " thread blocks",
             "the trace is cut short, or its grid dimension wrong");
    }
    return false;
}

/// Checks that nothing follows the last block; a compressed file is checked up to its end.
void block_reader::read_end() {
    line_source::line line;
    while (source_.next(line)) {
        scanner in(line);
        if (in.at_end()) continue;
        if (in.take("#BEGIN_TB")) {
            fail("more thread blocks than the grid of " + text_of(header_.grid) + " has",
                 "its grid dimension is wrong, or blocks come twice");
        }
        if (*in.position() != '#') fail("text behind the last thread block");
    }
}

void block_reader::read_index(const line_source::line& line, block_trace& block) {
    if (has_index_) fail("a second 'thread block =' in one block");
    scanner in(line);
    in.take("thread block");
    in.skip_blanks();
    std::uint64_t v[3] = {};
    const char* const before[] = {"=", ",", ","};
    for (int i = 0; i < 3; ++i) {
        if (!in.take(before[i]) || !in.scan_decimal(v[i])) {
            fail("not of the form 'thread block = x,y,z'");
        }
    }
    if (v[0] >= header_.grid.x || v[1] >= header_.grid.y || v[2] >= header_.grid.z) {
        fail("a thread block outside the grid of " + text_of(header_.grid));
    }
    block.index = {static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
                   static_cast<std::uint32_t>(v[2])};
    if (!blocks_.enter(block.index)) fail(name_of(block) + " twice");
    has_index_ = true;
}

void block_reader::read_warp(const line_source::line& line, block_trace& block) {
    if (!has_index_) fail("a warp before 'thread block = x,y,z'");
    finish_warp(block);
    scanner in(line);
    in.take("warp");
    std::uint64_t id = 0;
    if (!take_value(in, id)) fail("not of the form 'warp = N'");
    if (id >= header_.warps_per_block()) {
        fail("warp " + std::to_string(id) + " of " + name_of(block) + ", which has " +
             std::to_string(header_.warps_per_block()) + " warps");
    }
    if (seen_[id]) fail("warp " + std::to_string(id) + " twice in " + name_of(block));
    seen_[id] = true;
    warp_ = static_cast<std::uint32_t>(id);
    in_warp_ = true;
    has_count_ = false;
}

void block_reader::read_count(const line_source::line& line, block_trace& block) {
    if (!in_warp_) fail("'insts =' before 'warp ='");
    if (has_count_) fail("a second 'insts =' in one warp");
    scanner in(line);
    in.take("insts");
    if (!take_value(in, expected_) || expected_ > UINT32_MAX) fail("not of the form 'insts = N'");
    if (block.instructions.size() > UINT32_MAX - expected_) {
        fail("more instructions in one thread block than can be counted");
    }
    has_count_ = true;
    if (share_) {
        scratch_.clear();
        block.warps[warp_].count = static_cast<std::uint32_t>(expected_);
        return;
    }
    auto& instructions = block.instructions;
    const std::size_t size = instructions.size() + std::min(expected_, max_reserved_counts);
    if (size > instructions.capacity()) {
        // Warps of a block have similar lengths: reserve memory for all of them.
        const std::uint64_t all =
            std::min(expected_ * header_.warps_per_block(), max_reserved_counts);
        instructions.reserve(std::max<std::size_t>({size, all, instructions.capacity() * 3 / 2}));
    }
    block.warps[warp_].first = static_cast<std::uint32_t>(instructions.size());
    block.warps[warp_].count = static_cast<std::uint32_t>(expected_);
}

void block_reader::finish_warp(block_trace& block) {
    if (!in_warp_) return;
    const std::string name = "warp " + std::to_string(warp_) + " of " + name_of(block);
    if (!has_count_) fail(name + " without 'insts ='");
    block_trace::warp_range& range = block.warps[warp_];
    const block_trace& decoded = share_ ? scratch_ : block;
    const std::uint64_t found = decoded.instructions.size() - range.first;
    if (found != expected_) {
        fail(name + " has " + std::to_string(found) +
             " instructions, not insts = " + std::to_string(expected_));
    }
    in_warp_ = false;
    if (validate_ && found != 0)
        validate_warp(header_, warp_, decoded.instructions.data() + range.first, found, source_);
    if (!share_ || expected_ == 0) return;
    block.has_details = block.has_details || scratch_.has_details;
    block.in_cluster = block.in_cluster || scratch_.in_cluster;
    range.first_address = static_cast<std::uint32_t>(block.addresses.size());
    range.path = paths_.share(scratch_.instructions, scratch_.addresses, block.addresses);
}

void block_reader::check_warps(const block_trace& block) const {
    const auto missing = std::find(seen_.begin(), seen_.end(), false);
    if (missing == seen_.end()) return;
    fail(name_of(block) + " has no warp " + std::to_string(missing - seen_.begin()) + " of the " +
             std::to_string(seen_.size()) + " that its threads make",
         "the trace is cut short, or its block dimension wrong");
}

std::string block_reader::name_of(const block_trace& block) const {
    return "thread block " + text_of(block.index);
}

void block_reader::fail(const std::string& what, const std::string& remedy) const {
    throw support::user_error(source_.where(), what, remedy);
}

}  // namespace simtlm::trace
