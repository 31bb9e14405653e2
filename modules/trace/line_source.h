// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/place.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace simtlm::trace {

/// Lines of a text file, plain or compressed (.xz, .gz, .zst, .bz2, identified by their first
/// bytes, not by their names). Plain files are read in blocks rather than mapped: a mapping of a
/// file of many GB would count as resident memory, and a file truncated in the meantime would cause
/// SIGBUS.
class line_source final : public place {
public:
    /// Source of the bytes.
    class byte_source {
    public:
        virtual ~byte_source() = default;
        /// Reads up to `n` bytes. @returns the number of bytes; 0 at the end
        virtual std::size_t read(char* out, std::size_t n) = 0;
    };

    /// @throws support::user_error if the file cannot be opened
    explicit line_source(const std::string& file);
    /// Lines from another source. @param name  for messages
    line_source(std::string name, std::unique_ptr<byte_source> bytes);
    ~line_source();
    line_source(const line_source&) = delete;
    line_source& operator=(const line_source&) = delete;

    /// A line, valid until the next call. `*end` is '\n' even at the end of the file, so that a
    /// scanner can stop there without comparing pointers.
    struct line {
        const char* begin = nullptr;
        const char* end = nullptr;
    };

    /// @returns false after the last line
    /// @throws support::user_error for a damaged archive or a line that no trace can contain
    bool next(line& out) {
        const char* newline = find_newline();
        if (newline == nullptr) {
            if (!refill()) return false;
            newline = find_newline();
        }
        out.begin = position_;
        out.end = newline;
        position_ = newline + 1;
        ++number_;
        return true;
    }

    /// Number of the last line returned by next(), from 1.
    std::uint64_t number() const { return number_; }

    const std::string& file() const { return file_; }

    /// "file:line" of the last line returned by next().
    std::string where() const override;

    /// Bytes of text read so far, after decompression.
    std::uint64_t bytes() const { return bytes_; }

private:
    const char* find_newline() const;
    bool refill();

    std::string file_;
    std::unique_ptr<byte_source> bytes_source_;
    void grow(std::size_t size, std::size_t kept);

    std::unique_ptr<char[]> buffer_;  // uninitialized: most headers need little of it
    std::size_t size_ = 0;
    std::size_t next_read_;           // bytes; small for the header, so that not much of a file is
                                      // decompressed
    const char* position_ = nullptr;  ///< start of the text that next() has not returned yet
    const char* filled_ = nullptr;    ///< end of the text read so far
    std::uint64_t number_ = 0;
    std::uint64_t bytes_ = 0;
    bool at_end_ = false;
};

}  // namespace simtlm::trace
