// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/constant.h"

#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

namespace simtlm::ptx {

namespace {

constexpr unsigned deepest_expression = 100;
constexpr std::uint64_t warp_size = 32;

constant integer(std::uint64_t bits, bool is_unsigned) {
    return {constant::kind::integer, is_unsigned, bits};
}

constant real(double value) {
    constant c;
    c.what = constant::kind::real;
    std::memcpy(&c.bits, &value, sizeof value);
    return c;
}

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/// Binary operators by precedence level; level 0 has the lowest precedence.
struct binary_operator {
    std::string_view text;
    int level;
};
constexpr binary_operator binary_operators[] = {
    {"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6},
    {"<<", 7}, {">>", 7}, {"|", 2},  {"^", 3},  {"&", 4},  {"<", 6},
    {">", 6},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9},
};

class reader {
public:
    explicit reader(scanner& in) : in_(in) {}

    constant read() {
        const level_guard guard(*this);
        const constant condition = read_binary(0);
        if (in_.peek() != '?') return condition;
        in_.advance(1);
        const constant yes = read();
        in_.expect(':');
        const constant no = read();
        return truth(condition) ? yes : no;
    }

private:
    /// Limits the recursion, so that no text can overflow the stack.
    struct level_guard {
        explicit level_guard(reader& r) : r_(r) {
            if (++r_.depth_ > deepest_expression) {
                r_.in_.fail(r_.in_.here(), "the expression is nested too deeply",
                            "at most " + std::to_string(deepest_expression) + " levels");
            }
        }
        ~level_guard() { --r_.depth_; }
        level_guard(const level_guard&) = delete;
        level_guard& operator=(const level_guard&) = delete;
        reader& r_;
    };

    static bool truth(const constant& c) {
        return c.is_integer() ? c.bits != 0 : c.as_double() != 0;
    }

    const binary_operator* next_operator() {
        const char first = in_.peek();
        const char second = in_.after_next();
        for (const binary_operator& each : binary_operators) {
            if (each.text[0] != first) continue;
            if (each.text.size() == 1 || each.text[1] == second) return &each;
        }
        return nullptr;
    }

    constant read_binary(int level) {
        constant left = read_unary();
        for (;;) {
            const binary_operator* op = next_operator();
            if (op == nullptr || op->level < level) return left;
            const place where = in_.here();
            in_.advance(op->text.size());
            const constant right = read_binary(op->level + 1);
            left = combine(op->text, left, right, where);
        }
    }

    constant combine(std::string_view op, const constant& a, const constant& b, place where) {
        if (a.is_integer() && b.is_integer()) return combine_integers(op, a, b, where);
        return combine_reals(op, a.as_double(), b.as_double(), where);
    }

    constant combine_reals(std::string_view op, double a, double b, place where) {
        if (op == "+") return real(a + b);
        if (op == "-") return real(a - b);
        if (op == "*") return real(a * b);
        if (op == "/") return real(a / b);
        if (op == "==") return integer(a == b, false);
        if (op == "!=") return integer(a != b, false);
        if (op == "<") return integer(a < b, false);
        if (op == ">") return integer(a > b, false);
        if (op == "<=") return integer(a <= b, false);
        if (op == ">=") return integer(a >= b, false);
        if (op == "&&") return integer(a != 0 && b != 0, false);
        if (op == "||") return integer(a != 0 || b != 0, false);
        in_.fail(where, "'" + std::string(op) + "' does not apply to floating-point numbers");
    }

    constant combine_integers(std::string_view op, const constant& a, const constant& b,
                              place where) {
        const bool u = a.is_unsigned || b.is_unsigned;
        if (op == "+") return integer(a.bits + b.bits, u);
        if (op == "-") return integer(a.bits - b.bits, u);
        if (op == "*") return integer(a.bits * b.bits, u);
        if (op == "/" || op == "%") return divide(op == "/", a, b, u, where);
        if (op == "<<") return integer(b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned);
        if (op == ">>") return shift_right(a, b);
        if (op == "&") return integer(a.bits & b.bits, u);
        if (op == "|") return integer(a.bits | b.bits, u);
        if (op == "^") return integer(a.bits ^ b.bits, u);
        if (op == "&&") return integer(a.bits != 0 && b.bits != 0, false);
        if (op == "||") return integer(a.bits != 0 || b.bits != 0, false);
        if (op == "==") return integer(a.bits == b.bits, false);
        if (op == "!=") return integer(a.bits != b.bits, false);
        const bool less = u ? a.bits < b.bits : a.as_signed() < b.as_signed();
        if (op == "<") return integer(less, false);
        if (op == ">=") return integer(!less, false);
        const bool equal = a.bits == b.bits;
        if (op == "<=") return integer(less || equal, false);
        return integer(!less && !equal, false);
    }

    constant divide(bool quotient, const constant& a, const constant& b, bool u, place where) {
        if (b.bits == 0) in_.fail(where, "division by zero in a constant");
        if (u) return integer(quotient ? a.bits / b.bits : a.bits % b.bits, true);
        if (b.as_signed() == -1) return integer(quotient ? 0 - a.bits : 0, false);
        const std::int64_t value =
            quotient ? a.as_signed() / b.as_signed() : a.as_signed() % b.as_signed();
        return integer(static_cast<std::uint64_t>(value), false);
    }

    static constant shift_right(const constant& a, const constant& b) {
        const unsigned by = b.bits > 63 ? 63 : static_cast<unsigned>(b.bits);
        if (a.is_unsigned) return integer(b.bits > 63 ? 0 : a.bits >> by, true);
        return integer(static_cast<std::uint64_t>(a.as_signed() >> by), false);
    }

    constant read_unary() {
        const level_guard guard(*this);
        const char c = in_.peek();
        if (c == '+' || c == '-' || c == '!' || c == '~') {
            in_.advance(1);
            return apply_unary(c, read_unary());
        }
        if (c == '(') return read_parenthesis();
        if (scanner::is_digit(c) || c == '.') return read_number();
        if (c == 'W') return read_named();
        in_.fail_expected("a constant");
    }

    constant apply_unary(char op, const constant& a) {
        if (op == '+') return a;
        if (op == '!') return integer(!truth(a), false);
        if (a.is_integer()) return integer(op == '-' ? 0 - a.bits : ~a.bits, a.is_unsigned);
        if (op == '~') in_.fail(in_.here(), "'~' does not apply to floating-point numbers");
        constant negative = a;
        negative.bits ^= a.what == constant::kind::single ? 0x80000000U : 0x8000000000000000U;
        return negative;
    }

    constant read_parenthesis() {
        in_.expect('(');
        if (in_.peek() != '.' || scanner::is_digit(in_.after_next())) {
            const constant inner = read();
            in_.expect(')');
            return inner;
        }
        const place where = in_.here();
        const std::string_view cast = in_.take_directive();
        if (cast != "s64" && cast != "u64")
            in_.fail(where, "unknown cast", "expected .s64 or .u64");
        in_.expect(')');
        constant inner = read_unary();
        if (!inner.is_integer()) in_.fail(where, "a cast applies to integers only");
        inner.is_unsigned = cast == "u64";
        return inner;
    }

    constant read_named() {
        const place where = in_.here();
        if (in_.take_name() != "WARP_SZ")
            in_.fail(where, "unknown name in a constant", "WARP_SZ is one");
        return integer(warp_size, false);
    }

    constant read_number() {
        const char* p = in_.position();
        if (p[0] == '0') {
            switch (p[1] | 0x20) {
                case 'f':
                    return read_bits(8, constant::kind::single);
                case 'd':
                    return read_bits(16, constant::kind::real);
                case 'x':
                    in_.advance(2);
                    return read_integer(16);
                case 'b':
                    in_.advance(2);
                    return read_integer(2);
                default:
                    break;
            }
        }
        while (scanner::is_digit(*p)) ++p;
        if (*p == '.' || *p == 'e' || *p == 'E') return read_real();
        return read_integer(in_.position()[0] == '0' ? 8 : 10);
    }

    constant read_bits(int digits, constant::kind what) {
        const place where = in_.here();
        in_.advance(2);
        constant c;
        c.what = what;
        for (int i = 0; i < digits; ++i) {
            const int digit = digit_value(in_.next());
            if (digit > 15) {
                in_.fail(where, "a floating-point constant is too short",
                         "expected " + std::to_string(digits) + " hexadecimal digits");
            }
            c.bits = (c.bits << 4) | static_cast<std::uint64_t>(digit);
            in_.advance(1);
        }
        end_of_number(where);
        return c;
    }

    constant read_integer(unsigned base) {
        const place where = in_.here();
        std::uint64_t value = 0;
        unsigned digits = 0;
        for (;; ++digits) {
            const unsigned digit = static_cast<unsigned>(digit_value(in_.next()));
            if (digit >= base) break;
            if (value > (UINT64_MAX - digit) / base)
                in_.fail(where, "an integer does not fit 64 bits");
            value = value * base + digit;
            in_.advance(1);
        }
        if (digits == 0) in_.fail_expected("digits");
        const bool u = in_.next() == 'U';
        if (u) in_.advance(1);
        end_of_number(where);
        return integer(value, u || value > static_cast<std::uint64_t>(INT64_MAX));
    }

    constant read_real() {
        const place where = in_.here();
        const char* begin = in_.position();
        const char* end = begin;
        while (scanner::is_digit(*end) || *end == '.') ++end;
        if (*end == 'e' || *end == 'E') {
            ++end;
            if (*end == '+' || *end == '-') ++end;
            while (scanner::is_digit(*end)) ++end;
        }
        double value = 0;
        const std::from_chars_result result = std::from_chars(begin, end, value);
        if (result.ptr != end || result.ec == std::errc::invalid_argument) {
            in_.fail(where, "'" + std::string(begin, end) + "' is not a number");
        }
        if (result.ec != std::errc()) in_.fail(where, "a number is out of the range of f64");
        in_.advance(static_cast<std::size_t>(end - begin));
        end_of_number(where);
        return real(value);
    }

    void end_of_number(place where) {
        if (scanner::continues_name(in_.next()))
            in_.fail(where, "a number ends in other characters");
    }

    scanner& in_;
    unsigned depth_ = 0;
};

std::int64_t extended(std::uint64_t bits, unsigned width, bool is_signed) {
    if (width >= 64) return static_cast<std::int64_t>(bits);
    const unsigned shift = 64 - width;
    const std::uint64_t high = bits << shift;
    return is_signed ? static_cast<std::int64_t>(high) >> shift
                     : static_cast<std::int64_t>(high >> shift);
}

bool real_as_bits(const constant& c, unsigned width, std::int64_t& bits) {
    const unsigned has = c.what == constant::kind::single ? 32 : 64;
    if (width != has) return false;
    bits = static_cast<std::int64_t>(c.bits);
    return true;
}

bool real_as_float(const constant& c, type t, std::int64_t& bits) {
    const double value = c.as_double();
    if (t == type::f64) {
        std::memcpy(&bits, &value, sizeof value);
        return true;
    }
    if (t != type::f32) return false;
    std::uint32_t narrow = static_cast<std::uint32_t>(c.bits);
    if (c.what == constant::kind::real) {
        const float rounded = static_cast<float>(value);
        std::memcpy(&narrow, &rounded, sizeof rounded);
    }
    bits = narrow;
    return true;
}

}  // namespace

double constant::as_double() const {
    if (what == kind::integer) {
        return is_unsigned ? static_cast<double>(bits) : static_cast<double>(as_signed());
    }
    if (what == kind::single) {
        const std::uint32_t narrow = static_cast<std::uint32_t>(bits);
        float value = 0;
        std::memcpy(&value, &narrow, sizeof value);
        return value;
    }
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

constant read_constant(scanner& in) {
    return reader(in).read();
}

bool starts_constant(scanner& in) {
    const char c = in.peek();
    return scanner::is_digit(c) || c == '-' || c == '+' || c == '(' || c == '~' || c == '!' ||
           c == '.' || std::strncmp(in.position(), "WARP_SZ", 7) == 0;
}

bool constant_as(const constant& c, type t, std::int64_t& bits) {
    const type_class cls = class_of(t);
    if (cls == type_class::floating) return !c.is_integer() && real_as_float(c, t, bits);
    if (!c.is_integer()) return cls == type_class::bits && real_as_bits(c, width_of(t), bits);
    if (cls == type_class::predicate) {
        bits = c.bits != 0 ? 1 : 0;
    } else {
        bits = extended(c.bits, width_of(t), cls == type_class::signed_integer);
    }
    return true;
}

}  // namespace simtlm::ptx
