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

/// Whether a file starts like a binary trace. False if it cannot be read.
bool is_binary_trace(const std::string& file);

/// A binary kernel trace. Each part is checked before it is returned. Checksums detect damage; in
/// addition, every position, count and number is checked against its bounds, because a file may
/// have been written incorrectly.
class binary_file {
public:
    /// Checks the structure: head, tail and positions of the parts. @throws support::user_error
    explicit binary_file(const std::string& file);

    /// The header lines as text.
    std::string_view header_text() const;
    /// Parses the header lines. @param warnings  receives values that are clearly corrupt
    kernel_header read_header(std::vector<std::string>& warnings) const;

    /// An entry of the table of instructions, not decoded.
    struct instruction {
        std::uint64_t pc = 0;
        std::uint64_t width = 0;  ///< as written; 0: no addresses
        std::uint32_t source_line = 0;
        std::uint32_t n_immediates = 0;
        std::int64_t immediates[3] = {};
        std::string_view text;  ///< see line_operands; followed by a line feed
    };
    /// Reads the instruction table.
    std::vector<instruction> read_instructions() const;

    /// Checks the index, and that the number of blocks equals that of the grid.
    void check_index(const kernel_header& header) const;
    std::uint64_t blocks() const { return tail_.block_count; }
    /// The bytes of a block, after checking its checksum. @pre check_index()
    binary_cursor block(std::uint64_t number) const;
    /// Releases the memory of the blocks up to this one.
    void release(std::uint64_t number) { file_.release_up_to(entry(number).end); }

    /// An empty cursor at a position, for messages.
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
