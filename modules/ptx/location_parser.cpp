// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/location_parser.h"

#include <string>

namespace simtlm::ptx {

namespace {
constexpr std::uint64_t largest_file = 0xffffff;
constexpr std::uint64_t largest_line = 0xffffff;
constexpr std::uint64_t largest_column = 0xffff;

std::uint64_t key_of(const source_location& l) {
    return (std::uint64_t{l.file} << 40) | (std::uint64_t{l.line} << 16) | l.column;
}
}  // namespace

void location_parser::read_file() {
    source_file f;
    f.number = static_cast<std::uint32_t>(c_.in.expect_count("the number of a file", largest_file));
    f.name = c_.in.expect_string();
    if (c_.in.peek() == '"') {  // LLVM: folder and name
        f.name += "/" + std::string(c_.in.expect_string());
    }
    if (c_.in.take(',')) {  // time stamp and size
        c_.in.expect_count("a time stamp", UINT64_MAX / 16);
        c_.in.expect(',');
        c_.in.expect_count("a size", UINT64_MAX / 16);
    }
    c_.out.files.push_back(std::move(f));
}

source_location location_parser::read_place() {
    source_location l;
    l.file = static_cast<std::uint32_t>(c_.in.expect_count("the number of a file", largest_file));
    l.line = static_cast<std::uint32_t>(c_.in.expect_count("a line", largest_line));
    if (scanner::is_digit(c_.in.peek())) {
        l.column = static_cast<std::uint32_t>(c_.in.expect_count("a column", largest_column));
    }
    return l;
}

std::uint32_t location_parser::find_or_add(const source_location& l) {
    const auto known = latest_.find(key_of(l));
    if (known != latest_.end()) return known->second;
    c_.out.locations.push_back(l);
    return latest_[key_of(l)] = static_cast<std::uint32_t>(c_.out.locations.size() - 1);
}

void location_parser::read_location() {
    source_location l = read_place();
    while (c_.in.take(',')) {
        const place where = c_.in.here();
        const std::string_view word = c_.in.expect_name("function_name or inlined_at");
        if (word == "function_name") {
            l.function = c_.in.expect_name("a label");
            if (c_.in.take('+')) c_.in.expect_count("an offset", UINT32_MAX);
        } else if (word == "inlined_at") {
            l.inlined_at = find_or_add(read_place());
        } else {
            c_.in.fail(where, "'" + std::string(word) + "' in .loc",
                       "expected function_name or inlined_at");
        }
    }
    latest_[key_of(l)] = static_cast<std::uint32_t>(c_.out.locations.size());
    c_.current_location = static_cast<std::uint32_t>(c_.out.locations.size());
    c_.out.locations.push_back(std::move(l));
}

}  // namespace simtlm::ptx
