// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/trace_writer.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/trace/address_predictor.h"
#include "modules/trace/append_text.h"
#include "modules/trace/binary_format.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace simtlm::trace {

namespace {

namespace tag = execution_tag;
using execution = recorded_block::execution;

/// Encodes thread blocks; the counterpart of binary_block_decoder.
class block_encoder {
public:
    const std::string& encode(const recorded_block& block) {
        out_.clear();
        predictor_.begin_block();
        put_number(out_, block.index.x);
        put_number(out_, block.index.y);
        put_number(out_, block.index.z);
        for (const recorded_block::warp& w : block.warps) {
            put_number(out_, w.count);
            next_instruction_ = 0;
            mask_ = ~std::uint32_t{0};
            const execution* const end = block.executions.data() + w.first + w.count;
            for (const execution* e = end - w.count; e != end;) e = put(e, end, block.values);
        }
        return out_;
    }

private:
    bool follows(const execution& e) const {
        return e.instruction == next_instruction_ && e.mask == mask_;
    }

    /// Encodes an execution, or a run of them. @returns the next execution
    const execution* put(const execution* e, const execution* end,
                         const std::vector<std::uint64_t>& values) {
        unsigned bits = static_cast<unsigned>(e->mode) << tag::mode_shift;
        if (e->instruction == next_instruction_) bits |= tag::next;
        if (e->mask == mask_) bits |= tag::same_mask;
        const std::uint64_t jump = std::uint64_t{e->instruction} - next_instruction_;
        const std::size_t tag_at = out_.size();
        out_.push_back('\0');
        if ((bits & tag::next) == 0) put_signed(out_, jump);
        if ((bits & tag::same_mask) == 0) {
            char word[4];
            std::memcpy(word, &e->mask, 4);
            out_.append(word, 4);
        }
        mask_ = e->mask;
        next_instruction_ = e->instruction + 1;
        const execution* const first = e++;
        if (first->mode != recorded_mode::none) {
            if (put_addresses(*first, values.data() + first->first)) bits |= tag::same_shape;
        } else {
            unsigned run = 0;
            for (; e != end && run < tag::longest_run && e->mode == recorded_mode::none &&
                   follows(*e);
                 ++e, ++next_instruction_) {
                ++run;
            }
            bits |= std::min(run, tag::long_run) << tag::run_shift;
            if (run >= tag::long_run) put_number(out_, run - tag::long_run);
        }
        out_[tag_at] = static_cast<char>(bits);
        return e;
    }

    /// @returns whether the shape is that of the previous execution
    bool put_addresses(const execution& e, const std::uint64_t* v) {
        address_predictor::history& last = predictor_.of(e.instruction);
        if (e.n_values == 0) return false;
        put_signed(out_, v[0] - last.base);
        last.base = v[0];
        if (e.mode == recorded_mode::base_stride) {
            if (last.has_stride && last.stride == v[1]) return true;
            put_signed(out_, v[1]);
            last.stride = v[1];
            last.has_stride = true;
            return false;
        }
        std::vector<std::uint64_t>& distances = predictor_.distances();
        const std::uint32_t n = e.n_values;
        bool same = last.lanes == n;
        for (std::uint32_t i = 1; i < n && same; ++i) {
            same = v[i] - v[0] == distances[last.first + i - 1];
        }
        if (same) return true;
        last.first = distances.size();
        last.lanes = n;
        for (std::uint32_t i = 1; i < n; ++i) {
            put_signed(out_, v[i] - v[i - 1]);
            distances.push_back(v[i] - v[0]);
        }
        return false;
    }

    std::string out_;
    address_predictor predictor_;
    std::uint32_t next_instruction_ = 0;
    std::uint32_t mask_ = 0;
};

std::string instruction_section(const recorded_trace& trace) {
    std::string out;
    for (const recorded_instruction& i : trace.instructions()) {
        put_number(out, i.pc);
        put_number(out, i.width);
        put_number(out, i.source_line);
        put_number(out, i.n_immediates);
        for (unsigned k = 0; k < i.n_immediates; ++k) {
            put_signed(out, static_cast<std::uint64_t>(i.immediates[k]));
        }
        put_number(out, i.text.size());
        out += i.text;
        out += '\n';
    }
    return out;
}

template <class T>
std::string_view bytes_of(const T& object) {
    return {reinterpret_cast<const char*>(&object), sizeof object};
}

/// Writes mode and addresses in the format of an instruction line.
void append_addresses(std::string& out, const execution& e, const std::uint64_t* v) {
    append_text(out, "%d ", static_cast<int>(e.mode));
    switch (e.mode) {
        case recorded_mode::none:
            return;
        case recorded_mode::list:
            for (std::uint32_t i = 0; i < e.n_values; ++i)
                append_text(out, "0x%016" PRIx64 " ", v[i]);
            return;
        case recorded_mode::base_stride:
            append_text(out, "0x%" PRIx64 " %" PRId64 " ", v[0], static_cast<std::int64_t>(v[1]));
            return;
        case recorded_mode::base_deltas:
            append_text(out, "0x%" PRIx64 " ", e.n_values > 0 ? v[0] : 0);
            for (std::uint32_t i = 1; i < e.n_values; ++i) {
                append_text(out, "%" PRId64 " ", static_cast<std::int64_t>(v[i] - v[i - 1]));
            }
            return;
    }
}

void append_line(std::string& out, const kernel_header& header, const dim3& block, std::size_t warp,
                 const recorded_instruction& i, const execution& e, const std::uint64_t* values,
                 const std::vector<std::string>& tails) {
    if (header.tracer_version < 3) {
        append_text(out, "%u %u %u %zu ", block.x, block.y, block.z, warp);
    }
    if (header.line_info) append_text(out, "%u ", i.source_line);
    append_text(out, "%04" PRIx64 " %08x ", i.pc, e.mask);
    out += i.text;
    if (e.tail >= 0) {
        out += ' ' + tails[static_cast<std::size_t>(e.tail)] + '\n';
        return;
    }
    append_text(out, " %" PRIu64 " ", i.width);
    if (e.mode != recorded_mode::none) append_addresses(out, e, values);
    for (unsigned k = 0; k < i.n_immediates; ++k) append_text(out, "%" PRId64 " ", i.immediates[k]);
    out += '\n';
}

}  // namespace

written_trace write_binary_trace(recorded_trace& trace, const std::string& file) {
    support::output_file out(file);
    try {
        binary_head head;
        std::memcpy(head.magic, binary_magic, sizeof head.magic);
        head.version = binary_version;
        head.byte_order = binary_byte_order;
        out.write(bytes_of(head));

        written_trace written;
        block_encoder encoder;
        std::string index;
        recorded_block block;
        while (trace.next(block)) {
            if (!block.tails.empty())
                throw support::user_error(
                    file, "the trace has asynchronous instructions, which only text can describe",
                    "use the trace as it is; zstd or xz compress it");
            const std::string& bytes = encoder.encode(block);
            out.write(bytes);
            const binary_block_entry entry{out.size(), checksum_of(bytes.data(), bytes.size())};
            index.append(bytes_of(entry));
            ++written.blocks;
            written.instructions += block.executions.size();
        }

        binary_tail tail;
        const auto put = [&out](const std::string& section, std::uint64_t& at,
                                std::uint64_t& checksum) {
            at = out.size();
            checksum = checksum_of(section.data(), section.size());
            out.write(section);
        };
        put(trace.header_text(), tail.header_at, tail.header_checksum);
        put(instruction_section(trace), tail.statics_at, tail.statics_checksum);
        put(index, tail.index_at, tail.index_checksum);
        tail.static_count = trace.instructions().size();
        tail.block_count = written.blocks;
        written.bytes = tail.file_bytes = out.size() + sizeof tail;
        tail.checksum = checksum_of(&tail, tail_bytes_checked);
        out.write(bytes_of(tail));
        out.commit();
        return written;
    } catch (...) {
        out.discard();
        throw;
    }
}

void write_text_trace(recorded_trace& trace, const std::function<void(const std::string&)>& write) {
    std::string text = trace.header_text() + "\n";
    recorded_block block;
    while (trace.next(block)) {
        append_text(text, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", block.index.x, block.index.y,
                    block.index.z);
        for (std::size_t w = 0; w < block.warps.size(); ++w) {
            const recorded_block::warp& warp = block.warps[w];
            append_text(text, "\nwarp = %zu\ninsts = %" PRIu64 "\n", w, warp.count);
            for (std::uint64_t k = 0; k < warp.count; ++k) {
                const execution& e = block.executions[warp.first + k];
                append_line(text, trace.header(), block.index, w,
                            trace.instructions()[e.instruction], e, block.values.data() + e.first,
                            block.tails);
            }
        }
        text += "\n#END_TB\n";
        write(text);
        text.clear();
    }
    write(text);
}

}  // namespace simtlm::trace
