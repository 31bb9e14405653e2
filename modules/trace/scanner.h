// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/line_source.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace simtlm::trace {

/// A cursor over one line that parses words and numbers from its front. Stops at the line's '\n',
/// which line_source guarantees, by testing the character.
class scanner {
public:
    explicit scanner(const line_source::line& line) : p_(line.begin), end_(line.end) {}

    const char* position() const { return p_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
    void advance(std::size_t n) { p_ += n; }

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    void skip_blanks() {
        while (is_blank(*p_)) ++p_;
    }

    /// Whether only blanks are left.
    bool at_end() {
        skip_blanks();
        return p_ == end_;
    }

    /// Consumes a literal if it follows immediately.
    bool take(std::string_view literal) {
        if (left() < literal.size() || std::memcmp(p_, literal.data(), literal.size()) != 0) {
            return false;
        }
        p_ += literal.size();
        return true;
    }

    /// Consumes and returns the word at the cursor, up to the next blank.
    std::string_view take_word() {
        skip_blanks();
        const char* begin = p_;
        while (p_ != end_ && !is_blank(*p_)) ++p_;
        return {begin, static_cast<std::size_t>(p_ - begin)};
    }

    /// Consumes a decimal number that ends at a blank or at the end of the line.
    bool take_decimal(std::uint64_t& value) { return scan_decimal(value) && at_word_end(); }

    /// Like take_decimal, with a sign; fails for values beyond 64 bits.
    bool take_signed(std::int64_t& value) {
        if (left() >= 3 && *p_ == ' ' && is_blank(p_[2])) {  // a single digit, as most distances
                                                             // have
            const unsigned digit = static_cast<unsigned char>(p_[1]) - static_cast<unsigned>('0');
            if (digit <= 9) {
                value = digit;
                p_ += 2;
                return true;
            }
        }
        skip_blanks();
        const bool negative = *p_ == '-';
        if (negative) ++p_;
        skip_blanks();
        std::uint64_t magnitude = 0;
        if (!digits(magnitude) || !at_word_end()) return false;
        value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
        return true;
    }

    /// Consumes a hexadecimal number, with or without 0x, that ends at a blank or at the end of the
    /// line.
    bool take_hexadecimal(std::uint64_t& value) {
        skip_blanks();
        if (*p_ == '0' && (p_[1] == 'x' || p_[1] == 'X')) p_ += 2;
        const char* begin = p_;
        std::uint64_t v = 0;
        for (;; ++p_) {
            const unsigned char c = static_cast<unsigned char>(*p_);
            unsigned digit = c - '0';
            if (digit > 9) {
                digit = (c | 0x20U) - 'a';
                if (digit > 5) break;
                digit += 10;
            }
            if ((v >> 60) != 0) return false;
            v = (v << 4) | digit;
        }
        value = v;
        return p_ != begin && at_word_end();
    }

    /// Consumes a decimal number that may be followed by any character.
    bool scan_decimal(std::uint64_t& value) {
        skip_blanks();
        return digits(value);
    }

private:
    /// Consumes at least one decimal digit; also fails if the number exceeds 64 bits.
    bool digits(std::uint64_t& value) {
        constexpr unsigned always_fit = 19;
        const char* begin = p_;
        std::uint64_t v = 0;
        for (;; ++p_) {
            const unsigned digit = static_cast<unsigned char>(*p_) - static_cast<unsigned>('0');
            if (digit > 9) break;
            if (p_ - begin >= always_fit && v > (UINT64_MAX - digit) / 10) return false;
            v = v * 10 + digit;
        }
        value = v;
        return p_ != begin;
    }

    bool at_word_end() const { return p_ == end_ || is_blank(*p_); }

    const char* p_;
    const char* end_;
};

}  // namespace simtlm::trace
