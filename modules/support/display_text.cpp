// SPDX-License-Identifier: Apache-2.0
#include "modules/support/display_text.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace simtlm::support {

namespace {

/// Number of bytes of the control character at the beginning of a text; 0: there is none.
std::size_t control_at(std::string_view text, bool ends_of_lines) {
    const auto c = static_cast<unsigned char>(text[0]);
    if (c == '\t' || (c == '\n' && ends_of_lines)) return 0;
    if (c < 0x20 || c == 0x7f) return 1;
    if (c != 0xc2 || text.size() < 2) return 0;
    const auto next = static_cast<unsigned char>(text[1]);
    return next >= 0x80 && next < 0xa0 ? 2 : 0;  // C1 controls in UTF-8
}

/// Whether a byte may begin a character for which control_at() is not 0. Without branches, for
/// vector instructions. @param allowed  the control character besides the tab that control_at()
/// allows
bool may_begin_control(unsigned char c, unsigned char allowed) {
    return static_cast<bool>(((c < 0x20) & (c != '\t') & (c != allowed)) | (c == 0x7f) |
                             (c == 0xc2));
}

/// Whether a byte is no printable character of ASCII, tab or allowed control character; true for
/// every byte for which may_begin_control() is. Fewer vector instructions than that.
bool is_unusual(unsigned char c, unsigned char allowed) {
    return static_cast<bool>((static_cast<signed char>(c + 1) <= 0x20) & (c != '\t') &
                             (c != allowed));
}

/// The first byte from a position on that may begin a control character. Reports are long: passes
/// over a block of usual bytes at a time.
std::size_t next_suspect(std::string_view text, std::size_t from, bool ends_of_lines) {
    const unsigned char allowed = ends_of_lines ? '\n' : '\t';
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    constexpr std::size_t block = 64;
    while (from < text.size()) {
        if (from + block <= text.size()) {
            unsigned char any = 0;
            for (std::size_t k = 0; k < block; ++k) any |= is_unusual(bytes[from + k], allowed);
            if (any == 0) {
                from += block;
                continue;
            }
        }
        const std::size_t end = std::min(from + block, text.size());
        for (; from < end; ++from)
            if (may_begin_control(bytes[from], allowed)) return from;
    }
    return text.size();
}

std::string escaped(std::string_view text, bool ends_of_lines) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    std::size_t copied = 0;
    for (std::size_t i = next_suspect(text, 0, ends_of_lines); i < text.size();
         i = next_suspect(text, i, ends_of_lines)) {
        std::size_t n = control_at(text.substr(i), ends_of_lines);
        if (n == 0) {
            ++i;
            continue;
        }
        out += text.substr(copied, i - copied);
        for (; n > 0; --n, ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            out += "\\x";
            out += digits[c >> 4];
            out += digits[c & 15];
        }
        copied = i;
    }
    out += text.substr(copied);
    return out;
}

bool has_no_control(std::string_view text, bool ends_of_lines) {
    for (std::size_t i = next_suspect(text, 0, ends_of_lines); i < text.size();
         i = next_suspect(text, i + 1, ends_of_lines))
        if (control_at(text.substr(i), ends_of_lines) != 0) return false;
    return true;
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
    return escaped(text, true);
}

bool is_printable(std::string_view text) {
    return has_no_control(text, false);
}

bool are_printable_lines(std::string_view text) {
    return has_no_control(text, true);
}

std::string demangled(const std::string& name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return result;
}

}  // namespace simtlm::support
