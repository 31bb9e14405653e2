// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_choice.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"

#include <algorithm>
#include <regex>
#include <string_view>

namespace simtlm::trace {

namespace {

constexpr std::size_t longest_name = 2048;  // the stack use of a regular expression depends on the
                                            // length

struct number_range {
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};
    bool contains(std::uint64_t n) const { return first <= n && n <= last; }
};

bool take_number(std::string_view& text, std::uint64_t& value) {
    constexpr std::size_t max_digits = 18;
    std::size_t digits = 0;
    value = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits)
        if (digits < max_digits) value = value * 10 + static_cast<unsigned>(text[digits] - '0');
    text.remove_prefix(digits);
    return digits != 0 && digits <= max_digits;
}

/// Parses "N", "A-B", "A-" or "-B".
bool parse_range(std::string_view text, number_range& range) {
    const bool has_first = take_number(text, range.first);
    if (text.empty()) {
        range.last = range.first;
        return has_first;
    }
    if (text.front() != '-') return false;
    text.remove_prefix(1);
    if (!has_first) range.first = 0;
    if (text.empty()) return has_first;
    return take_number(text, range.last) && text.empty() && range.first <= range.last;
}

[[noreturn]] void refuse(const std::string& where, const std::string& option,
                         const std::string& value, const std::string& remedy) {
    throw support::user_error(where, option + " " + value + " cannot be read", remedy);
}

std::regex regex_of(const std::string& text, const std::string& option) {
    try {
        return std::regex(text);
    } catch (const std::regex_error& e) {
        throw support::user_error(option, "'" + text + "' is no regular expression: " + e.what());
    }
}

bool names(const std::regex& wanted, const std::string& name) {
    const std::string mangled = name.substr(0, longest_name);
    return std::regex_search(mangled, wanted) ||
           std::regex_search(support::demangled(mangled).substr(0, longest_name), wanted);
}

const std::string range_remedy = "write N, A-B, A- or @REGEX, with commas or blanks between them";

}  // namespace

bool kernel_choice::needs_headers() const {
    return ids.has_value() || names.has_value() ||
           (kernels.has_value() && kernels->find('@') != std::string::npos);
}

void kernel_choice::add(const kernel_choice& other) {
    if (!kernels) kernels = other.kernels;
    if (!ids) ids = other.ids;
    if (!names) names = other.names;
    if (!skip) skip = other.skip;
    if (!most) most = other.most;
    if (!ctas) ctas = other.ctas;
}

const std::vector<std::string>& choice_options() {
    static const std::vector<std::string> options = {
        "--kernels", "--kernel-ids", "--kernel-names", "--skip-kernels", "--max-kernels", "--ctas"};
    return options;
}

bool set_choice(kernel_choice& choice, const std::string& option, const std::string& value,
                const std::string& where) {
    const auto count = [&] {
        std::string_view text = value;
        std::uint64_t n = 0;
        if (!take_number(text, n) || !text.empty()) refuse(where, option, value, "give a number");
        return n;
    };
    if (option == "--kernels") {
        choice.kernels = value;
    } else if (option == "--kernel-ids") {
        choice.ids = value;
    } else if (option == "--kernel-names") {
        choice.names = value;
    } else if (option == "--skip-kernels") {
        choice.skip = count();
    } else if (option == "--max-kernels") {
        choice.most = count();
        if (*choice.most == 0) refuse(where, option, value, "at least one kernel is to run");
    } else if (option == "--ctas") {
        number_range range;
        if (!parse_range(value, range)) refuse(where, option, value, "write N, A-B, A- or -B");
        choice.ctas = cta_range{range.first, range.last};
    } else {
        return false;
    }
    return true;
}

struct kernel_selector::item {
    number_range numbers;
    std::optional<std::regex> name;

    bool holds(std::uint64_t number, const std::string& kernel) const {
        return numbers.contains(number) && (!name || names(*name, kernel));
    }
};

struct kernel_selector::items {
    std::vector<item> kernels, ids;
    std::optional<std::regex> name;

    static std::vector<item> parse(const std::string& text, const std::string& option) {
        std::vector<item> list;
        const std::string_view all = text;
        for (std::size_t at = all.find_first_not_of(" ,"); at != all.npos;) {
            std::size_t end = std::min(all.find_first_of(" ,@", at), all.size());
            item i;
            const bool has_name = end < all.size() && all[end] == '@';
            if (end != at && !parse_range(all.substr(at, end - at), i.numbers))
                refuse(option, option, text, range_remedy);
            if (has_name) {
                const std::size_t from = end + 1;
                end = std::min(all.find(' ', from), all.size());
                i.name = regex_of(std::string(all.substr(from, end - from)), option);
            }
            list.push_back(std::move(i));
            at = all.find_first_not_of(" ,", end);
        }
        if (list.empty()) refuse(option, option, "'" + text + "'", range_remedy);
        return list;
    }
    static bool any(const std::vector<item>& list, std::uint64_t number, const std::string& name) {
        return std::any_of(list.begin(), list.end(),
                           [&](const item& i) { return i.holds(number, name); });
    }
};

kernel_selector::kernel_selector(const kernel_choice& choice)
    : choice_(choice), items_(std::make_unique<items>()) {
    if (choice.kernels) items_->kernels = items::parse(*choice.kernels, "--kernels");
    if (choice.ids) items_->ids = items::parse(*choice.ids, "--kernel-ids");
    if (choice.names) items_->name = regex_of(*choice.names, "--kernel-names");
}

kernel_selector::~kernel_selector() = default;

bool kernel_selector::take(const kernel_header& header) {
    ++seen_;
    if (full() || seen_ <= choice_.skip.value_or(0)) return false;
    if (choice_.kernels && !items::any(items_->kernels, seen_, header.name)) return false;
    if (choice_.ids && !items::any(items_->ids, header.id, header.name)) return false;
    if (items_->name && !names(*items_->name, header.name)) return false;
    ++taken_;
    return true;
}

bool kernel_selector::full() const {
    return choice_.most && taken_ >= *choice_.most;
}

}  // namespace simtlm::trace
