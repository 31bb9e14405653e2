// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtlm::trace {

/// A memory-mapped file that is read sequentially.
class mapped_file {
public:
    /// @throws support::user_error
    explicit mapped_file(const std::string& file);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    const std::string& name() const { return name_; }
    const unsigned char* data() const { return data_; }
    std::uint64_t size() const { return size_; }

    /// Call before reading a part: a file that has been truncated in the meantime would cause
    /// SIGBUS. @throws support::user_error if its size has changed
    void check_size() const;

    /// Releases the memory before `end`, which will not be needed soon, so that a large file does
    /// not stay resident.
    void release_up_to(std::uint64_t end);

private:
    std::string name_;
    int fd_ = -1;
    unsigned char* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t released_ = 0;
};

}  // namespace simtlm::trace
