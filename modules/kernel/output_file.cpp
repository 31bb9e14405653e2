// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/output_file.h"

#include "modules/kernel/error.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace simtlm::kernel {

output_file::output_file(std::string name)
    : name_(std::move(name)), file_(std::fopen((name_ + ".part").c_str(), "wb")) {
    if (file_ == nullptr)
        throw user_error(name_ + ".part", std::string("cannot be created: ") + std::strerror(errno),
                         "name a file in a folder that exists and can be written");
    buffer_.reserve(flush_at + 4096);
}

output_file::~output_file() {
    if (file_ == nullptr) return;
    flush();
    std::fclose(file_);
}

void output_file::write_number(std::uint64_t value) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    buffer_.append(digits.data(), end);
}

void output_file::flush() {
    if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
        error_ = errno != 0 ? errno : EIO;
    written_ += buffer_.size();
    buffer_.clear();
}

void output_file::commit() {
    if (file_ == nullptr) return;
    flush();
    if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
    if (error_ == 0 && std::rename((name_ + ".part").c_str(), name_.c_str()) != 0) error_ = errno;
    if (error_ != 0)
        throw user_error(name_, std::string("cannot be written: ") + std::strerror(error_));
}

void output_file::discard() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    file_ = nullptr;
    std::remove((name_ + ".part").c_str());
}

}  // namespace simtlm::kernel
