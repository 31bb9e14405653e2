// SPDX-License-Identifier: Apache-2.0
#include "modules/support/output_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace simtlm::support {

output_file::output_file(std::string name) : target_(std::move(name)), fd_(target_.open(draft_)) {}

output_file::~output_file() {
    if (fd_ < 0) return;
    flush();
    close();
}

void output_file::write_number(std::uint64_t value) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    buffer_.append(digits.data(), end);
}

void output_file::flush() {
    write_now(buffer_);
    buffer_.clear();
}

/// Writes the buffered bytes and a long text, which is not copied.
void output_file::write_unbuffered(std::string_view text) {
    flush();
    write_now(text);
}

/// Writes bytes to the file.
void output_file::write_now(std::string_view bytes) {
    written_ += bytes.size();
    while (error_ == 0 && !bytes.empty()) {
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            error_ = errno;
    }
}

void output_file::close() {
    if (::close(fd_) != 0 && error_ == 0) error_ = errno;
    fd_ = -1;
}

void output_file::remove_draft() {
    if (!draft_.empty()) std::remove(draft_.c_str());
}

void output_file::commit() {
    if (fd_ < 0) return;
    flush();
    close();
    if (error_ != 0) {
        remove_draft();
        throw output_error(name(), std::string("cannot be written: ") + std::strerror(error_));
    }
    if (!draft_.empty()) target_.replace_by(draft_);
}

void output_file::discard() {
    if (fd_ < 0) return;
    close();
    remove_draft();
}

}  // namespace simtlm::support
