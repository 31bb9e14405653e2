// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/comparison_input.h"

#include "modules/support/text_file.h"

#include <filesystem>
#include <fstream>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t largest_input = std::size_t{4} << 30;  // bytes
constexpr const char* wanted_input =
    "name a file written by simtlm --stats-json, or a profile (docs/profiles.md)";

/// Only a regular file can be a database; a pipe must not be opened twice.
bool is_database(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    const std::string magic = "SQLite format 3";
    std::string begin(magic.size(), '\0');
    std::ifstream(file, std::ios::binary)
        .read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == magic;
}

}  // namespace

std::variant<statistics_run, kernel_profile> read_comparison_input(const std::string& file) {
    if (is_database(file)) return kernel_profile::read_database(file);
    const std::string text = support::read_text_file(file, wanted_input, largest_input);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '{' || text[first] == '['))
        return statistics_run(file, parse_json(text, file, wanted_input));
    return kernel_profile::parse(text, file);
}

}  // namespace simtlm::platform::study
