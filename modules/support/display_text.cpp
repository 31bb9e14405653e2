// SPDX-License-Identifier: Apache-2.0
#include "modules/support/display_text.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

constexpr std::uint64_t all_bytes(unsigned byte) {
    return 0x0101010101010101u * byte;
}
/// Whether one of the eight bytes of a word is less than a limit up to 128.
constexpr bool has_byte_below(std::uint64_t word, unsigned limit) {
    return ((word - all_bytes(limit)) & ~word & all_bytes(0x80)) != 0;
}
bool may_begin_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f || byte == 0xc2;
}

/// The first byte from a position on that may begin a control character. Reports are long: passes
/// over eight bytes at a time if there is none among them.
std::size_t next_suspect(std::string_view text, std::size_t from) {
    std::uint64_t word = 0;
    for (; from + sizeof(word) <= text.size(); from += sizeof(word)) {
        std::memcpy(&word, text.data() + from, sizeof(word));
        if (has_byte_below(word, 0x20) || has_byte_below(word ^ all_bytes(0x7f), 1) ||
            has_byte_below(word ^ all_bytes(0xc2), 1))
            break;
    }
    while (from < text.size() && !may_begin_control(text[from])) ++from;
    return from;
}

std::string escaped(std::string_view text, bool ends_of_lines) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    std::size_t copied = 0;
    for (std::size_t i = next_suspect(text, 0); i < text.size(); i = next_suspect(text, i)) {
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

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
    return escaped(text, true);
}

bool is_printable(std::string_view text) {
    for (std::size_t i = next_suspect(text, 0); i < text.size(); i = next_suspect(text, i + 1))
        if (control_at(text.substr(i), false) != 0) return false;
    return true;
}

std::string demangled(const std::string& name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return result;
}

}  // namespace simtlm::support
