// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtlm::ptx {

/// A cursor over NUL-terminated PTX text: skips blanks, comments and preprocessor lines, counts
/// lines, and consumes names, words and punctuation.
class scanner {
public:
    scanner(const char* text, const std::string& file)
        : p_(text), line_start_(text), file_(&file) {}

    /// The first character of the next token; NUL at the end.
    char peek() {
        skip();
        return *p_;
    }
    /// The character at the cursor, which may be a blank.
    char next() const { return *p_; }
    char after_next() const { return *p_ == '\0' ? '\0' : p_[1]; }
    const char* position() const { return p_; }
    void advance(std::size_t n) { p_ += n; }
    /// Returns to a position on the same line.
    void back_to(const char* position) { p_ = position; }

    /// Position of the next token.
    place here() {
        skip();
        return place_of(p_);
    }
    /// Position of a character on the current line.
    place place_of(const char* at) const {
        return {line_, static_cast<std::uint32_t>(at - line_start_) + 1};
    }

    /// Consumes a character if it is next. @return whether it was
    bool take(char c) {
        if (peek() != c) return false;
        ++p_;
        return true;
    }
    /// @throws support::user_error if the next token is not `c`
    void expect(char c);

    /// Consumes a name ([A-Za-z_$%] first, then also digits); empty if there is none.
    std::string_view take_name() {
        skip();
        const char* begin = p_;
        if (starts_name(*p_)) {
            do ++p_;
            while (continues_name(*p_));
        }
        return {begin, static_cast<std::size_t>(p_ - begin)};
    }
    /// @throws support::user_error saying that `what` is expected
    std::string_view expect_name(const char* what);

    /// Consumes a directive and returns its word after the dot, "shared::cta"; empty if there is
    /// none.
    std::string_view take_directive();

    /// Consumes an instruction's name with its modifiers, "ld.const[1].v4.f32".
    std::string_view take_opcode() {
        const char* begin = p_;
        while (continues_opcode(*p_)) ++p_;
        if (*p_ == '[' || *p_ == ':') take_rest_of_opcode();
        return {begin, static_cast<std::size_t>(p_ - begin)};
    }

    /// Consumes a quoted string and returns its contents, without processing backslashes.
    std::string_view expect_string();

    /// Consumes the unsigned number of a directive.
    std::uint64_t expect_count(const char* what, std::uint64_t limit);

    /// Skips to the end of the line; the other functions skip a bracketed text.
    void skip_line();
    void skip_parentheses();
    void skip_braces();
    /// Skips past the brace that closes one consumed before.
    void skip_to_brace();

    std::uint32_t line() const { return line_; }
    const std::string& file() const { return *file_; }
    /// The next token, for messages.
    std::string next_token();

    [[noreturn]] void fail(place where, const std::string& what,
                           const std::string& remedy = {}) const;
    /// Reports "expected X, found Y" at the next token.
    [[noreturn]] void fail_expected(const std::string& what);

    static bool starts_name(char c) { return (classes()[static_cast<unsigned char>(c)] & 1) != 0; }
    static bool continues_name(char c) {
        return (classes()[static_cast<unsigned char>(c)] & 2) != 0;
    }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

private:
    static constexpr std::array<std::uint8_t, 256> make_classes() {
        std::array<std::uint8_t, 256> table{};
        for (unsigned c = 0; c < 256; ++c) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            const bool digit = c >= '0' && c <= '9';
            const bool other = c == '_' || c == '$' || c == '%';
            const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
            table[c] = static_cast<std::uint8_t>(
                (letter || other ? 1 : 0) | (letter || digit || other ? 2 : 0) |
                (letter || digit || c == '_' || c == '.' ? 4 : 0) | (blank ? 8 : 0));
        }
        return table;
    }
    static const std::array<std::uint8_t, 256>& classes() {
        static constexpr std::array<std::uint8_t, 256> table = make_classes();
        return table;
    }
    static bool continues_opcode(char c) {
        return (classes()[static_cast<unsigned char>(c)] & 4) != 0;
    }

    void skip() {
        while ((classes()[static_cast<unsigned char>(*p_)] & 8) != 0) ++p_;
        if (*p_ == '\n' || *p_ == '/' || *p_ == '#') skip_more();
    }
    void skip_more();
    void skip_comment();
    void take_rest_of_opcode();
    void new_line() {
        ++line_;
        line_start_ = p_;
    }

    const char* p_;
    const char* line_start_;
    std::uint32_t line_ = 1;
    const std::string* file_;
};

}  // namespace simtlm::ptx
