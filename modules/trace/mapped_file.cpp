// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/mapped_file.h"

#include "modules/support/error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace simtlm::trace {

namespace {

constexpr std::uint64_t release_step = 1 << 20;  // a multiple of the page size

}  // namespace

mapped_file::mapped_file(const std::string& file) : name_(file) {
    const auto fail = [this](const std::string& what) {
        const std::string why = std::strerror(errno);
        if (fd_ >= 0) ::close(fd_);
        throw support::user_error(name_, what + " (" + why + ")", "check the path");
    };
    fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) fail("cannot open the file");
    struct stat status {};
    if (::fstat(fd_, &status) != 0) fail("cannot read the file");
    size_ = static_cast<std::uint64_t>(status.st_size);
    if (size_ == 0) return;
    void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (mapping == MAP_FAILED) fail("cannot map the file");
    data_ = static_cast<unsigned char*>(mapping);
    ::madvise(data_, size_, MADV_SEQUENTIAL);
}

mapped_file::~mapped_file() {
    if (data_ != nullptr) ::munmap(data_, size_);
    ::close(fd_);
}

void mapped_file::check_size() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) != size_) {
        throw support::user_error(name_, "was changed while it was read",
                                  "write a trace under another name and rename it");
    }
}

void mapped_file::release_up_to(std::uint64_t end) {
    if (end - released_ < 2 * release_step) return;
    const std::uint64_t upto = end / release_step * release_step;
    ::madvise(data_ + released_, upto - released_, MADV_DONTNEED);
    released_ = upto;
}

}  // namespace simtlm::trace
