// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/measured_value.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace simtlm::platform::study {

namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The number at the beginning of a cell without separators that are never decimal: apostrophes
/// and spaces (ASCII, no-break and narrow no-break) between digits. Empty: not a number.
std::string number_at_begin(const std::string& text) {
    constexpr std::string_view spaces[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    std::size_t at = text.find_first_not_of(" \t");
    std::string number;
    if (at == std::string::npos) return number;
    if (text[at] == '-' || text[at] == '+') number += text[at++];
    for (; at < text.size();) {
        const char c = text[at];
        const bool exponent = (c == 'e' || c == 'E') && !number.empty();
        const bool sign = (c == '-' || c == '+') && (number.back() == 'e' || number.back() == 'E');
        if (is_digit(c) || c == '.' || c == ',' || exponent || sign) {
            number += c;
            ++at;
            continue;
        }
        const auto* const space =
            std::find_if(std::begin(spaces), std::end(spaces),
                         [&](std::string_view s) { return text.compare(at, s.size(), s) == 0; });
        // A separator of thousands has three digits after it.
        if (space == std::end(spaces) || at + space->size() + 3 > text.size() ||
            !std::all_of(text.begin() + static_cast<long>(at + space->size()),
                         text.begin() + static_cast<long>(at + space->size() + 3), is_digit))
            break;
        at += space->size();
    }
    const bool ends = at == text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '%';
    return ends && std::any_of(number.begin(), number.end(), is_digit) ? number : std::string();
}

/// The decimal character that a number reveals; '\0': it does not.
char decimal_of(const std::string& number) {
    const auto points = std::count(number.begin(), number.end(), '.');
    const auto commas = std::count(number.begin(), number.end(), ',');
    if (points > 0 && commas > 0) return number.rfind('.') > number.rfind(',') ? '.' : ',';
    if (points > 1) return ',';
    if (commas > 1) return '.';
    if (points + commas == 0) return '\0';
    const char found = points != 0 ? '.' : ',';
    const std::size_t at = number.find(found);
    const std::size_t first = number.find_first_of("0123456789");
    const std::size_t before = at > first ? at - first : 0, after = number.size() - at - 1;
    const bool thousands = after == 3 && before >= 1 && before <= 3 && number[first] != '0';
    return thousands ? '\0' : found;
}

struct base_unit {
    std::string_view name;
    std::string_view written;
    double factor;
};
constexpr base_unit base_units[] = {{"second", "second", 1},    {"second", "s", 1},
                                    {"second", "sec", 1},       {"second", "ns", 1e-9},
                                    {"second", "us", 1e-6},     {"second", "\xce\xbcs", 1e-6},
                                    {"second", "ms", 1e-3},     {"second", "\xc2\xb5s", 1e-6},
                                    {"byte", "byte", 1},        {"byte", "bytes", 1},
                                    {"byte", "B", 1},           {"cycle", "cycle", 1},
                                    {"hertz", "hz", 1},         {"hertz", "Hz", 1},
                                    {"instruction", "inst", 1}, {"sector", "sector", 1},
                                    {"request", "request", 1},  {"warp", "warp", 1},
                                    {"thread", "thread", 1},    {"block", "block", 1},
                                    {"register", "register", 1}};

const base_unit* base_unit_of(std::string_view word) {
    const auto* const at = std::find_if(std::begin(base_units), std::end(base_units),
                                        [&](const base_unit& b) { return b.written == word; });
    return at != std::end(base_units) ? at : nullptr;
}

constexpr std::pair<char, double> prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3},
                                                {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};

measured_unit unit_of_word(std::string_view word) {
    if (const base_unit* b = base_unit_of(word)) return {b->factor, std::string(b->name)};
    for (const auto& [letter, factor] : prefixes)
        if (!word.empty() && word[0] == letter)
            if (const base_unit* b = base_unit_of(word.substr(1)))
                return {factor * b->factor, std::string(b->name)};
    return {1, std::string(word)};
}

}  // namespace

void number_notation::observe(const std::string& text, const std::string& file, std::size_t line) {
    const char found = decimal_of(number_at_begin(text));
    if (found == '\0' || found == decimal_) return;
    if (decimal_ != '\0')
        throw support::user_error(
            fmt::format("{}:{}", file, line),
            fmt::format("'{}' has a decimal {}, but line {} has a decimal {}",
                        support::printable(text), found == ',' ? "comma" : "point", line_,
                        decimal_ == ',' ? "comma" : "point"),
            "export the whole profile with the same locale, such as LC_ALL=C");
    decimal_ = found;
    line_ = line;
}

std::optional<double> number_notation::value(const std::string& text) const {
    std::string number = number_at_begin(text);
    if (number.empty()) return std::nullopt;
    const char thousands = decimal_ == ',' ? '.' : ',';
    number.erase(std::remove(number.begin(), number.end(), thousands), number.end());
    std::replace(number.begin(), number.end(), ',', '.');
    char* end = nullptr;
    const double value = support::read_double(number.c_str(), &end);
    if (*end != '\0') return std::nullopt;
    return value;
}

measured_unit measured_unit::of(const std::string& text) {
    const std::size_t slash = text.find('/');
    measured_unit u = unit_of_word(std::string_view(text).substr(0, slash));
    if (slash == std::string::npos) return u;
    const measured_unit per = unit_of_word(std::string_view(text).substr(slash + 1));
    u.factor /= per.factor;
    u.name = u.name == "cycle" && per.name == "second" ? "hertz" : u.name + "/" + per.name;
    return u;
}

}  // namespace simtlm::platform::study
