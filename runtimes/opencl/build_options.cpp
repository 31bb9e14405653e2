// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/build_options.h"

#include "runtimes/opencl/error.h"

#include <algorithm>
#include <array>
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

/// Options passed to clang unchanged.
constexpr std::string_view passed[] = {"-cl-single-precision-constant",
                                       "-cl-denorms-are-zero",
                                       "-cl-fp32-correctly-rounded-divide-sqrt",
                                       "-cl-mad-enable",
                                       "-cl-no-signed-zeros",
                                       "-cl-unsafe-math-optimizations",
                                       "-cl-finite-math-only",
                                       "-cl-fast-relaxed-math",
                                       "-cl-strict-aliasing",
                                       "-cl-uniform-work-group-size",
                                       "-w",
                                       "-Werror",
                                       "-g"};
/// Options without effect: what they request is always done, or does not apply to this device.
constexpr std::string_view ignored[] = {"-cl-kernel-arg-info", "-cl-no-subgroup-ifp",
                                        "-cl-nv-verbose", "-cl-nv-opt-level", "-cl-nv-arch"};
constexpr std::string_view standards[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};
/// Options accepted by the linker.
constexpr std::string_view of_linker[] = {
    "-cl-denorms-are-zero", "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
};

template <class List>
bool is_one_of(std::string_view word, const List& list) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

}  // namespace

build_options build_options::parse(const char* text, stage when) {
    build_options o;
    const std::vector<std::string> words = words_of(text != nullptr ? text : "");
    const cl_int wrong = when == stage::build     ? CL_INVALID_BUILD_OPTIONS
                         : when == stage::compile ? CL_INVALID_COMPILER_OPTIONS
                                                  : CL_INVALID_LINKER_OPTIONS;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        o.flush_denormals |= w == "-cl-denorms-are-zero";
        o.argument_info |= w == "-cl-kernel-arg-info";
        if (when == stage::link) {
            if (w == "-create-library")
                o.make_library = true;
            else if (w == "-enable-link-options")
                o.allow_link_options = true;
            else
                require(is_one_of(w, of_linker) || w.empty(), wrong, w.c_str());
            continue;
        }
        if (w == "-D" || w == "-I" || w == "-U") {
            require(i + 1 < words.size(), wrong, "an option lacks a value");
            const std::string& value = words[++i];
            o.front_end.push_back(w == "-I" ? "-I" + std::filesystem::absolute(value).string()
                                            : w + value);
        } else if (begins(w, "-I")) {
            o.front_end.push_back("-I" + std::filesystem::absolute(w.substr(2)).string());
        } else if (begins(w, "-D") || begins(w, "-U") || is_one_of(w, passed) ||
                   begins(w, "-Wno-") || w == "-Wall" || w == "-Wextra") {
            o.front_end.push_back(w);
        } else if (begins(w, "-cl-std=")) {
            o.standard = w.substr(8);
            require(is_one_of(o.standard, standards), wrong, "an unknown standard");
        } else if (w == "-cl-opt-disable" || w == "-O0") {
            o.optimise = false;
        } else if (w == "-x") {
            require(i + 1 < words.size() && words[i + 1] == "clc", wrong,
                    "only OpenCL C is supported");
            ++i;
        } else {
            require(w.empty() || is_one_of(w, ignored) || begins(w, "-cl-nv-maxrregcount") ||
                        w == "-O1" || w == "-O2" || w == "-O3",
                    wrong, w.c_str());
            // Skip the value of "-cl-nv-opt-level 3"; "-cl-nv-opt-level=3" is a single word.
            if ((w == "-cl-nv-opt-level" || w == "-cl-nv-maxrregcount" || w == "-cl-nv-arch") &&
                i + 1 < words.size())
                ++i;
        }
    }
    return o;
}

}  // namespace simtlm::opencl
