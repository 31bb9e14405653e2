// SPDX-License-Identifier: Apache-2.0
#include "modules/support/text_file.h"

#include "modules/support/error.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace simtlm::support {

std::string read_text_file(const std::string& file, const std::string& remedy,
                           std::size_t largest) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                             &std::fclose);
    const auto refuse_for = [&](int error) {
        throw user_error(file, std::string("cannot be read: ") + std::strerror(error), remedy);
    };
    if (!in) refuse_for(errno);
    std::string text;
    std::array<char, 65536> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), in.get())) {
        text.append(part.data(), n);
        if (text.size() > largest)
            throw user_error(
                file, "has more than " + std::to_string(largest >> 20) + " MB, which is too much",
                remedy);
    }
    if (std::ferror(in.get()) != 0) refuse_for(errno);
    if (text.compare(0, 3, "\xef\xbb\xbf") == 0) text.erase(0, 3);
    return text;
}

}  // namespace simtlm::support
