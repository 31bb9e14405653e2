// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config_formats.h"

#include "platform/config/format_tools.h"
#include "platform/options/options.h"

#include <cctype>

namespace simtlm::platform {

std::string trimmed(std::string_view text) {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return std::string(text);
}

unsigned parse_number(std::string_view text, const std::string& what) {
    const auto number = parse_integer(trimmed(text));
    if (!number || *number < 0 || *number > 0xffffffffLL)
        throw format_error{fmt::format("'{}' is not a valid {}", text, what), ""};
    return static_cast<unsigned>(*number);
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::vector<unsigned> parse_numbers(std::string_view text, char separator, std::size_t least,
                                    std::size_t most) {
    const std::vector<std::string> parts = split(text, separator);
    if (parts.size() < least || parts.size() > most)
        throw format_error{fmt::format("has {} values instead of {}", parts.size(),
                                       least == most ? fmt::format("{}", least)
                                                     : fmt::format("{} to {}", least, most)),
                           ""};
    std::vector<unsigned> numbers;
    for (const std::string& part : parts) numbers.push_back(parse_number(part, "number"));
    return numbers;
}

cycle_window parse_window(std::string_view text) {
    const std::vector<std::string> ends = split(text, ':');
    if (ends.size() != 2)
        throw format_error{"is not an interval", "FROM:TO; either end may be omitted"};
    cycle_window w;
    const auto end = [](const std::string& side, std::uint64_t open) {
        if (side.empty()) return open;
        const auto number = parse_integer(side);
        if (!number || *number < 0)
            throw format_error{fmt::format("'{}' is not a number of cycles", side), ""};
        return static_cast<std::uint64_t>(*number);
    };
    w.from = end(ends[0], w.from);
    w.to = end(ends[1], w.to);
    if (w.from >= w.to) throw format_error{"is an empty interval", "FROM must be less than TO"};
    return w;
}

}  // namespace simtlm::platform
