// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/scanner.h"

#include "modules/support/error.h"

namespace simtlm::ptx {

namespace {
constexpr std::size_t longest_quote = 40;
}

void scanner::skip_comment() {
    const place begin = place_of(p_);
    p_ += 2;
    while (!(p_[0] == '*' && p_[1] == '/')) {
        if (*p_ == '\0') fail(begin, "a comment does not end", "close it with */");
        if (*p_++ == '\n') new_line();
    }
    p_ += 2;
}

void scanner::skip_more() {
    for (;;) {
        if (*p_ == '\n') {
            ++p_;
            new_line();
        } else if ((classes()[static_cast<unsigned char>(*p_)] & 8) != 0) {
            ++p_;
        } else if (p_[0] == '/' && p_[1] == '/') {
            skip_line();
        } else if (p_[0] == '/' && p_[1] == '*') {
            skip_comment();
        } else if (*p_ == '#' && p_ == line_start_) {
            skip_line();
        } else {
            return;
        }
    }
}

void scanner::skip_line() {
    while (*p_ != '\n' && *p_ != '\0') ++p_;
}

void scanner::skip_parentheses() {
    expect('(');
    while (peek() != ')') {
        if (*p_ == '\0') fail_expected("')'");
        ++p_;
    }
    ++p_;
}

void scanner::skip_braces() {
    expect('{');
    skip_to_brace();
}

void scanner::skip_to_brace() {
    const place begin = here();
    for (unsigned depth = 1; depth > 0;) {
        const char c = peek();
        if (c == '\0') fail(begin, "a section does not end", "close it with }");
        if (c == '"') {
            expect_string();
            continue;
        }
        if (c == '{') ++depth;
        if (c == '}') --depth;
        ++p_;
    }
}

void scanner::expect(char c) {
    if (!take(c)) fail_expected(std::string("'") + c + "'");
}

std::string_view scanner::expect_name(const char* what) {
    const std::string_view name = take_name();
    if (name.empty()) fail_expected(what);
    return name;
}

std::string_view scanner::take_directive() {
    if (peek() != '.' || !(continues_name(p_[1]))) return {};
    const char* begin = ++p_;
    while (continues_name(*p_) || (p_[0] == ':' && p_[1] == ':') ||
           (p_[0] == ':' && p_[-1] == ':')) {
        ++p_;
    }
    return {begin, static_cast<std::size_t>(p_ - begin)};
}

void scanner::take_rest_of_opcode() {
    for (;;) {
        if (p_[0] == ':' && p_[1] == ':') {
            p_ += 2;
        } else if (p_[0] == '[' && is_digit(p_[1])) {
            while (*p_ != ']' && continues_opcode(p_[1])) ++p_;
            if (p_[1] == ']') p_ += 2;
        } else if (continues_opcode(*p_)) {
            ++p_;
        } else {
            return;
        }
    }
}

std::string_view scanner::expect_string() {
    const place begin = here();
    expect('"');
    const char* first = p_;
    while (*p_ != '"') {
        if (*p_ == '\\' && p_[1] != '\0') ++p_;
        if (*p_ == '\0' || *p_ == '\n') fail(begin, "a string does not end", "close it with \"");
        ++p_;
    }
    return {first, static_cast<std::size_t>(p_++ - first)};
}

std::uint64_t scanner::expect_count(const char* what, std::uint64_t limit) {
    const place begin = here();
    if (!is_digit(*p_)) fail_expected(what);
    unsigned base = 10;
    if (p_[0] == '0' && (p_[1] == 'x' || p_[1] == 'X')) {
        base = 16;
        p_ += 2;
    }
    std::uint64_t value = 0;
    for (;; ++p_) {
        unsigned digit = static_cast<unsigned char>(*p_) - static_cast<unsigned>('0');
        if (digit > 9 && base == 16) digit = (static_cast<unsigned char>(*p_) | 0x20U) - 'a' + 10U;
        if (digit >= base) break;
        value = value * base + digit;
        if (value > limit) {
            fail(begin, std::string(what) + " is too large", "at most " + std::to_string(limit));
        }
    }
    if (*p_ == 'U') ++p_;
    return value;
}

std::string scanner::next_token() {
    const char c = peek();
    if (c == '\0') return "the end of the text";
    const char* end = p_ + 1;
    if (starts_name(c) || is_digit(c) || c == '.') {
        while (continues_name(*end)) ++end;
    }
    std::string text(p_, end);
    if (text.size() > longest_quote) text = text.substr(0, longest_quote) + "...";
    for (char& each : text) {
        if (static_cast<unsigned char>(each) < ' ' || each == '\x7f') each = '?';
    }
    return "'" + text + "'";
}

void scanner::fail(place where, const std::string& what, const std::string& remedy) const {
    throw support::user_error(
        *file_ + ":" + std::to_string(where.line) + ":" + std::to_string(where.column), what,
        remedy);
}

void scanner::fail_expected(const std::string& what) {
    const place where = here();
    fail(where, "found " + next_token(), "expected " + what);
}

}  // namespace simtlm::ptx
