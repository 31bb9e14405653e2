// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtlm::trace {

/// A file in memory, for reading from front to back.
class mapped_file {
public:
    /// @throws kernel::user_error
    explicit mapped_file(const std::string& file);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    const std::string& name() const { return name_; }
    const unsigned char* data() const { return data_; }
    std::uint64_t size() const { return size_; }

    /// To be called before a part is read: a file that has become shorter meanwhile would be
    /// SIGBUS. @throws kernel::user_error when its size has changed
    void check_size() const;

    /// Tells that what lies in front of `end` will not be needed soon, so that a large file does
    /// not stay in this process' memory.
    void release_up_to(std::uint64_t end);

private:
    std::string name_;
    int fd_ = -1;
    unsigned char* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t released_ = 0;
};

}  // namespace simtlm::trace
