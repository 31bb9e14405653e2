// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/build_options.h"

#include "runtimes/opencl/error.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace simtlm::opencl {

namespace {

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

/// Splits words as a shell does: quotes and backslashes preserve spaces.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote)
                quote = 0;
            else if (c == '\\' && quote == '"' && i + 1 < text.size() &&
                     (text[i + 1] == '"' || text[i + 1] == '\\'))
                word += text[++i];
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (c == '\\' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            if (inside || !word.empty()) words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
        }
    }
    if (inside || !word.empty()) words.push_back(word);
    return words;
}

/// What becomes of an option.
enum class treatment : std::uint8_t {
    pass,          ///< handed to clang
    ignore,        ///< without effect: always done, or not applicable to this device
    ignore_value,  ///< the same, with a value: "-option=value" or "-option value"
};

struct known_option {
    std::string_view name;
    treatment what = treatment::pass;
    bool of_linker = false;  ///< accepted by clLinkProgram
};

/// The options without a meaning in this file. No other text reaches clang.
constexpr known_option known_options[] = {
    {"-cl-single-precision-constant"},
    {"-cl-denorms-are-zero", treatment::pass, true},
    {"-cl-fp32-correctly-rounded-divide-sqrt"},
    {"-cl-mad-enable"},
    {"-cl-no-signed-zeros", treatment::pass, true},
    {"-cl-unsafe-math-optimizations", treatment::pass, true},
    {"-cl-finite-math-only", treatment::pass, true},
    {"-cl-fast-relaxed-math", treatment::pass, true},
    {"-cl-strict-aliasing"},
    {"-cl-uniform-work-group-size"},
    {"-w"},
    {"-Wall"},
    {"-Wextra"},
    {"-Werror"},
    {"-g"},
    {"-O1", treatment::ignore},
    {"-O2", treatment::ignore},
    {"-O3", treatment::ignore},
    {"-cl-kernel-arg-info", treatment::ignore},
    {"-cl-no-subgroup-ifp", treatment::ignore, true},
    {"-cl-nv-verbose", treatment::ignore},
    {"-cl-nv-opt-level", treatment::ignore_value},
    {"-cl-nv-arch", treatment::ignore_value},
    {"-cl-nv-maxrregcount", treatment::ignore_value},
};
constexpr std::string_view standards[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};

/// The known option that a word is, alone or with "=VALUE".
const known_option* find_known(std::string_view word) {
    for (const known_option& k : known_options)
        if (word == k.name || (k.what == treatment::ignore_value && begins(word, k.name) &&
                               word[k.name.size()] == '='))
            return &k;
    return nullptr;
}

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view digits = "0123456789";

/// Number of characters of the identifier at the beginning of a text.
std::size_t identifier_at(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && (letters.find(text[n]) != std::string_view::npos ||
                               (n > 0 && digits.find(text[n]) != std::string_view::npos)))
        ++n;
    return n;
}

/// Value of a word such as -DNAME: the rest of the word, or the next one.
std::string value_of(const std::vector<std::string>& words, std::size_t& i, cl_int wrong) {
    const std::string letter = words[i].substr(0, 2);
    if (words[i].size() > 2) return words[i].substr(2);
    require(i + 1 < words.size(), wrong, letter + " lacks a value");
    return words[++i];
}

}  // namespace

build_options build_options::parse(const char* text, stage when) {
    build_options o;
    const std::vector<std::string> words = words_of(text != nullptr ? text : "");
    const cl_int wrong = when == stage::build     ? CL_INVALID_BUILD_OPTIONS
                         : when == stage::compile ? CL_INVALID_COMPILER_OPTIONS
                                                  : CL_INVALID_LINKER_OPTIONS;
    const bool links = when == stage::link;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        o.flush_denormals |= w == "-cl-denorms-are-zero";
        o.argument_info |= w == "-cl-kernel-arg-info";
        if (const known_option* const k = find_known(w); k != nullptr && (!links || k->of_linker)) {
            if (k->what == treatment::pass) o.front_end.push_back(w);
            if (k->what == treatment::ignore_value && w == k->name && i + 1 < words.size()) ++i;
        } else if (w.empty()) {
            continue;
        } else if (links) {
            o.make_library |= w == "-create-library";
            o.allow_link_options |= w == "-enable-link-options";
            require(w == "-create-library" || w == "-enable-link-options", wrong,
                    "unknown linker option " + w);
        } else if (begins(w, "-D") || begins(w, "-U")) {
            const std::string value = value_of(words, i, wrong);
            // clang receives the value as an argument of its own.
            const std::size_t name = identifier_at(value);
            require(name > 0 && (name == value.size() ||
                                 (w[1] == 'D' && (value[name] == '=' || value[name] == '('))),
                    wrong, w.substr(0, 2) + " without the name of a macro: " + value);
            o.front_end.push_back(w.substr(0, 2) + value);
        } else if (begins(w, "-I")) {
            const std::string folder = value_of(words, i, wrong);
            std::error_code failed;
            const auto full = std::filesystem::absolute(folder.empty() ? "." : folder, failed);
            require(!failed, wrong, "-I without the name of a folder: " + folder);
            o.front_end.push_back("-I" + full.string());
        } else if (begins(w, "-Wno-")) {
            require(w.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-=", 5) ==
                        std::string::npos,
                    wrong, "unknown option " + w);
            o.front_end.push_back(w);
        } else if (begins(w, "-cl-std=")) {
            o.standard = w.substr(8);
            require(std::find(std::begin(standards), std::end(standards), o.standard) !=
                        std::end(standards),
                    wrong, "unknown standard " + o.standard);
        } else if (w == "-cl-opt-disable" || w == "-O0") {
            o.optimise = false;
        } else {
            require(w == "-x" && i + 1 < words.size() && words[i + 1] == "clc", wrong,
                    w == "-x" ? "only OpenCL C is supported" : "unknown option " + w);
            ++i;
        }
    }
    return o;
}

}  // namespace simtlm::opencl
