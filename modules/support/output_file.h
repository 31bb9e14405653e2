// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/output_target.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace simtlm::support {

/// A file that appears under its name only when it is complete: it is written as NAME.part and
/// renamed by commit(). A target that is not a regular file is written in place (see
/// output_target). Writes are buffered; errors are kept and reported by commit().
class output_file {
public:
    /// @throws user_error if the file cannot be created
    explicit output_file(std::string name);
    /// An uncommitted file is left as NAME.part.
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    void write(std::string_view text) {
        if (text.size() >= flush_at) return write_unbuffered(text);
        buffer_.append(text);
        if (buffer_.size() >= flush_at) flush();
    }
    void put(char c) { buffer_.push_back(c); }
    void write_number(std::uint64_t value);
    /// Bytes written so far.
    std::uint64_t size() const { return written_ + buffer_.size(); }
    /// Writes the buffered bytes, so that readers of the draft see them. Errors are kept until
    /// commit().
    void flush();
    /// Writes the remaining bytes and renames the draft. If this or any earlier write failed, an
    /// existing file of that name is unchanged. @throws output_error
    void commit();
    /// Removes the draft instead of committing it.
    void discard();
    const std::string& name() const { return target_.name(); }
    bool in_place() const { return target_.in_place(); }

private:
    static constexpr std::size_t flush_at = std::size_t{1} << 16;
    void write_unbuffered(std::string_view text);
    void write_now(std::string_view text);
    void close();
    void remove_draft();

    output_target target_;
    std::string draft_;  ///< empty: no draft, the target is written in place
    std::string buffer_;
    int fd_;
    std::uint64_t written_ = 0;
    int error_ = 0;
};

}  // namespace simtlm::support
