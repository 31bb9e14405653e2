// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/binary_cursor.h"
#include "modules/trace/binary_format.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/mapped_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::trace {

/// Whether a file begins like a binary trace. False also for what cannot be read.
bool is_binary_trace(const std::string& file);

/// A binary kernel trace: its parts, each checked before it is given out. Checksums find damage;
/// that every place, count and number lies within its bounds is checked all the same, since a file
/// may be wrong from the start.
class binary_file {
public:
    /// Checks the frame, that is head, tail and where the parts lie. @throws kernel::user_error
    explicit binary_file(const std::string& file);

    /// The header lines.
    std::string_view header_text() const;
    /// The header that those lines tell. @param warnings  values that are plainly corrupt
    kernel_header read_header(std::vector<std::string>& warnings) const;

    /// One of the different instructions, not decoded.
    struct instruction {
        std::uint64_t pc = 0;
        std::uint64_t width = 0;  ///< as written; 0: it has no addresses
        std::uint32_t source_line = 0;
        std::uint32_t n_immediates = 0;
        std::int64_t immediates[3] = {};
        std::string_view text;  ///< see line_operands; a line feed follows it
    };
    std::vector<instruction> read_instructions() const;

    /// Checks the index, and that there are as many blocks as the grid has.
    void check_index(const kernel_header& header) const;
    std::uint64_t blocks() const { return tail_.block_count; }
    /// A block's bytes, which have the checksum on record. After check_index().
    binary_cursor block(std::uint64_t number) const;
    /// Tells that blocks up to this one are done with.
    void release(std::uint64_t number) { file_.release_up_to(entry(number).end); }

    /// A cursor without content, to name a place.
    binary_cursor cursor_at(const unsigned char* at) const {
        const auto offset = static_cast<std::uint64_t>(at - file_.data());
        return {file_.name(), file_.data(), offset, offset};
    }
    const std::string& name() const { return file_.name(); }
    std::uint64_t size() const { return file_.size(); }

private:
    binary_block_entry entry(std::uint64_t number) const;
    binary_cursor part(std::uint64_t from, std::uint64_t to, std::uint64_t checksum,
                       const char* what) const;
    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

    mapped_file file_;
    binary_tail tail_;
};

}  // namespace simtlm::trace
