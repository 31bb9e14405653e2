// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/kernel_name.h"

#include "modules/support/display_text.h"

#include <cctype>
#include <regex>
#include <string_view>

namespace simtlm::platform::study {

namespace {

constexpr const char* unnamed = "{anonymous}";

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The function of a declaration: without parameters and return type.
std::string function_of(const std::string& text) {
    std::size_t begin = 0, end = text.size();
    int depth = 0;
    for (std::size_t i = 0; i < end; ++i) {
        const char c = text[i];
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (depth > 0) continue;
        depth = 0;
        if (c == '(' && i != 0) end = i;  // parameters
        if (c == ' ') begin = i + 1;      // after a return type
    }
    return text.substr(begin, end - begin);
}

/// Template arguments in the notation of GCC: nvcc writes (int)4 and (bool)1 for 4 and true.
std::string plain_arguments(std::string text) {
    static const std::regex casts(
        R"(\((?:(?:un)?signed )?(?:int|long|long long|short|char|bool|unsigned)\))");
    static const std::regex suffixes(R"(([<, ]-?\d+)(?:u|l|ul|ll|ull)(?=[,> ]))");
    text = std::regex_replace(text, casts, "");
    text = std::regex_replace(text, suffixes, "$1");
    static const std::regex truth(R"(([<, ])(true|false)(?=[,> ]))");
    std::string result;
    std::smatch found;
    while (std::regex_search(text, found, truth)) {
        result += found.prefix().str() + found[1].str() + (found[2] == "true" ? "1" : "0");
        text = found.suffix();
    }
    return result + text;
}

}  // namespace

kernel_name kernel_name::of(const std::string& text) {
    constexpr std::size_t longest = 4096;  // regular expressions use the stack
    std::string name = support::demangled(text);
    for (const char* other : {"(anonymous namespace)", "<unnamed>", "_GLOBAL__N__"})
        replace_all(name, other, unnamed);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0)
        name.pop_back();
    kernel_name k;
    if (name.size() <= longest) name = plain_arguments(name);
    k.full = function_of(name);
    if (k.full.empty()) k.full = name;
    int depth = 0;
    std::string full;
    for (const char c : k.full) {
        if (c == ' ') continue;
        full += c;
        if (c == '<') ++depth;
        if (depth == 0) k.qualified += c;
        if (c == '>' && depth > 0) --depth;
    }
    k.full = full;
    const std::size_t scope = k.qualified.rfind("::");
    k.base = scope == std::string::npos ? k.qualified : k.qualified.substr(scope + 2);
    return k;
}

}  // namespace simtlm::platform::study
