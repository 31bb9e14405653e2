// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/output_target.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace simtlm::kernel {

/// A file that appears when it is complete: written as NAME.part, renamed by commit(). What is not
/// a regular file is written in place (see output_target). Buffered; errors are remembered and told
/// by commit().
class output_file {
public:
    /// @throws user_error when it cannot be created
    explicit output_file(std::string name);
    /// What has not been committed stays behind as NAME.part.
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    void write(std::string_view text) {
        buffer_.append(text);
        if (buffer_.size() >= flush_at) flush();
    }
    void put(char c) { buffer_.push_back(c); }
    void write_number(std::uint64_t value);
    /// Bytes written so far.
    std::uint64_t size() const { return written_ + buffer_.size(); }
    /// Hands what is buffered to the system, for those who look at the draft. Errors are kept.
    void flush();
    /// Writes the rest and gives the file its name. When anything went wrong, then or before, what
    /// had that name is as it was. @throws output_error
    void commit();
    /// Removes it instead.
    void discard();
    const std::string& name() const { return target_.name(); }
    bool in_place() const { return target_.in_place(); }

private:
    static constexpr std::size_t flush_at = std::size_t{1} << 18;
    void close();
    void remove_draft();

    output_target target_;
    std::string draft_;  ///< empty: there is none, the target is written
    std::string buffer_;
    int fd_;
    std::uint64_t written_ = 0;
    int error_ = 0;
};

}  // namespace simtlm::kernel
