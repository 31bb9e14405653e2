// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/recorded_trace.h"

#include "modules/support/error.h"
#include "modules/trace/asynchronous_line.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/block_reader.h"
#include "modules/trace/instruction_line.h"
#include "modules/trace/kernel_header.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_map>

namespace simtlm::trace {

namespace {

constexpr std::size_t max_header_text = 1 << 20;
constexpr std::size_t max_instructions = 1 << 24;

/// The opcode in a text of operands (line_operands).
std::string_view recorded_opcode(std::string_view left) {
    const auto take = [&left] {
        left.remove_prefix(std::min(left.find_first_not_of(" \t\r"), left.size()));
        const std::string_view word = left.substr(0, left.find_first_of(" \t\r"));
        left.remove_prefix(word.size());
        return word;
    };
    std::uint64_t destinations = 0;
    for (const char c : take()) destinations = destinations * 10 + static_cast<unsigned>(c - '0');
    for (; destinations > 0 && !left.empty(); --destinations) take();
    return take();
}

/// The header lines, up to and including the line that starts with "#" unless that begins a block.
std::string header_text_of(const std::string& file) {
    line_source lines(file);
    line_source::line line;
    std::string text;
    while (lines.next(line)) {
        scanner in(line);
        if (in.take("#BEGIN_TB")) break;
        text.append(line.begin, static_cast<std::size_t>(line.end - line.begin));
        text += '\n';
        if (text.size() > max_header_text) {
            throw support::user_error(lines.where(), "a header of more than 1 MB");
        }
        in.skip_blanks();
        if (in.left() > 0 && *in.position() == '#') break;
    }
    return text;
}

/// Stores the contents of instruction lines.
class line_recorder final : public line_reader {
public:
    line_recorder(const kernel_header& header, std::deque<recorded_instruction>& instructions)
        : header_(header), instructions_(instructions) {}

    void record_into(recorded_block& out) { out_ = &out; }

    void read(const line_source::line& line, const line_source& where,
              block_trace& block) override {
        scanner in(line);
        const line_head head = scan_head(in, header_, where);
        fresh_.pc = head.pc;
        fresh_.source_line = head.source_line;
        scan_text(in, head, where);
        if (!in.take_decimal(fresh_.width)) {
            throw support::user_error(where.where(), "no memory width after the operands");
        }
        if (is_asynchronous(in)) {
            recorded_block::execution e;
            e.mask = head.mask;
            e.tail = static_cast<std::int32_t>(out_->tails.size());
            out_->tails.push_back(std::to_string(fresh_.width) +
                                  std::string(in.position(), in.left()));
            fresh_.width = 0;
            fresh_.n_immediates = 0;
            std::fill(std::begin(fresh_.immediates), std::end(fresh_.immediates), 0);
            e.instruction = number_of_fresh(where);
            out_->executions.push_back(e);
            block.instructions.emplace_back();  // block_reader counts them
            return;
        }
        check_width(fresh_.width, where);
        recorded_block::execution e;
        e.mask = head.mask;
        e.first = out_->values.size();
        if (fresh_.width != 0) e.mode = scan_addresses(in, head.mask, out_->values, where);
        e.n_values = static_cast<std::uint32_t>(out_->values.size() - e.first);
        fresh_.n_immediates = 0;
        std::fill(std::begin(fresh_.immediates), std::end(fresh_.immediates), 0);
        while (fresh_.n_immediates < 3 && in.take_signed(fresh_.immediates[fresh_.n_immediates])) {
            ++fresh_.n_immediates;
        }
        e.instruction = number_of_fresh(where);
        out_->executions.push_back(e);
        block.instructions.emplace_back();  // block_reader counts them
    }

private:
    /// Whether the text from the width on describes an asynchronous instruction.
    bool is_asynchronous(scanner in) const {
        const line_form form = form_of(recorded_opcode(fresh_.text));
        const std::string_view rest(in.position(), in.left());
        const auto has = [&](std::string_view word) {
            return rest.find(word) != std::string_view::npos;
        };
        if (has(asynchronous_word)) return true;
        if (form == line_form::copy) return is_copy(in);
        if (form == line_form::product && fresh_.width == 1) return true;
        return form == line_form::mbarrier && has("Val") && !has("NoVal");
    }

    /// Most lines have the same operands as an earlier line with the same program counter.
    void scan_text(scanner& in, const line_head& head, const line_source& where) {
        for (std::uint32_t i : by_pc_[head.pc]) {
            const std::string& text = instructions_[i].text;
            if (in.left() >= text.size() &&
                std::memcmp(in.position(), text.data(), text.size()) == 0 &&
                (in.left() == text.size() || scanner::is_blank(in.position()[text.size()]))) {
                fresh_.text = text;
                in.advance(text.size());
                return;
            }
        }
        fresh_.text = scan_operands(in, where).text;
    }

    std::uint32_t number_of_fresh(const line_source& where) {
        const auto same = [this](const recorded_instruction& i) {
            return i.width == fresh_.width && i.source_line == fresh_.source_line &&
                   i.n_immediates == fresh_.n_immediates &&
                   std::equal(std::begin(i.immediates), std::end(i.immediates),
                              fresh_.immediates) &&
                   i.text == fresh_.text;
        };
        std::vector<std::uint32_t>& known = by_pc_[fresh_.pc];
        for (std::uint32_t i : known)
            if (same(instructions_[i])) return i;
        if (instructions_.size() >= max_instructions || known.size() >= 4096) {
            throw support::user_error(where.where(), "too many different instructions");
        }
        known.push_back(static_cast<std::uint32_t>(instructions_.size()));
        instructions_.push_back(fresh_);
        return known.back();
    }

    const kernel_header& header_;
    std::deque<recorded_instruction>& instructions_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_pc_;
    recorded_instruction fresh_;
    recorded_block* out_ = nullptr;
};

class recorded_text final : public recorded_trace {
public:
    explicit recorded_text(const std::string& file)
        : lines_(file),
          begun_(read_kernel_header(lines_, header_, warnings_)),
          recorder_(header_, instructions_),
          blocks_(lines_, header_, recorder_, begun_, false, false) {
        header_text_ = header_text_of(file);
    }

    bool next(recorded_block& block) override {
        block.clear();
        recorder_.record_into(block);
        if (!blocks_.read(counted_, never_)) return false;
        block.index = counted_.index;
        for (const block_trace::warp_range& w : counted_.warps) {
            block.warps.push_back({w.first, w.count});
        }
        return true;
    }

private:
    line_source lines_;
    bool begun_;
    line_recorder recorder_;
    block_reader blocks_;
    block_trace counted_;
    std::atomic<bool> never_{false};
};

class recorded_binary final : public recorded_trace {
public:
    explicit recorded_binary(const std::string& file)
        : file_(file), raw_(file_.read_instructions()), decoder_(raw_) {
        header_ = file_.read_header(warnings_);
        header_text_ = file_.header_text();
        file_.check_index(header_);
        for (const binary_file::instruction& i : raw_) {
            recorded_instruction r;
            r.pc = i.pc;
            r.width = i.width;
            r.source_line = i.source_line;
            r.n_immediates = i.n_immediates;
            std::copy(std::begin(i.immediates), std::end(i.immediates), r.immediates);
            r.text = i.text;
            check_text(i);
            instructions_.push_back(std::move(r));
        }
    }

    bool next(recorded_block& block) override {
        block.clear();
        if (next_ == file_.blocks()) return false;
        block.index = decoder_.begin_block(file_.block(next_));
        if (block.index.x >= header_.grid.x || block.index.y >= header_.grid.y ||
            block.index.z >= header_.grid.z) {
            decoder_.position().fail("a thread block outside of the grid");
        }
        for (std::uint32_t w = 0; w < header_.warps_per_block(); ++w) {
            const std::uint64_t count = decoder_.begin_warp();
            block.warps.push_back({block.executions.size(), count});
            for (std::uint64_t k = 0; k < count; ++k) {
                recorded_block::execution e;
                e.first = block.values.size();
                static_cast<recorded_execution&>(e) = decoder_.next(block.values);
                e.n_values = static_cast<std::uint32_t>(block.values.size() - e.first);
                block.executions.push_back(e);
            }
        }
        decoder_.end_block();
        file_.release(next_++);
        return true;
    }

private:
    void check_text(const binary_file::instruction& i) const {
        const auto* at = reinterpret_cast<const unsigned char*>(i.text.data());
        const binary_cursor where = file_.cursor_at(at);
        scanner in({i.text.data(), i.text.data() + i.text.size()});
        scan_operands(in, where);
        if (!in.at_end()) where.fail("an instruction with more than its operands");
    }

    binary_file file_;
    std::vector<binary_file::instruction> raw_;
    binary_block_decoder decoder_;
    std::uint64_t next_ = 0;
};

}  // namespace

std::string_view recorded_instruction::opcode() const {
    return recorded_opcode(text);
}

void recorded_block::clear() {
    warps.clear();
    executions.clear();
    values.clear();
    tails.clear();
}

std::unique_ptr<recorded_trace> open_recorded_trace(const std::string& file) {
    if (is_binary_trace(file)) return std::make_unique<recorded_binary>(file);
    return std::make_unique<recorded_text>(file);
}

}  // namespace simtlm::trace
