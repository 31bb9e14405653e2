// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/expression.h"

#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace simtlm::platform {

expression_scope::~expression_scope() = default;

struct expression::node {
    enum class kind : std::uint8_t { number, name, memory, unary, binary };
    kind what = kind::number;
    long double number = 0;
    std::string text;  // a name or an operator
    unsigned bytes = 4;
    unsigned depth = 1;  // of the tree below
    std::unique_ptr<node> left, right;
};

namespace {

using node = expression::node;
using node_ptr = std::unique_ptr<node>;

/// Maximum depth of an expression: nesting, and operators of the same level in sequence.
constexpr unsigned deepest = 200;
constexpr const char* too_deep = "the expression is too long or nested too deeply";

std::uint64_t whole(long double v) {
    constexpr long double limit = 18446744073709551616.0L;
    if (!(v > -limit && v < limit)) throw command_error("the number is too large for an integer");
    return v < 0 ? ~static_cast<std::uint64_t>(-v) + 1 : static_cast<std::uint64_t>(v);
}

/// Binary operators in order of increasing precedence; an operator precedes its own prefixes.
constexpr std::array<std::array<std::string_view, 4>, 10> levels = {{{"||"},
                                                                     {"&&"},
                                                                     {"|"},
                                                                     {"^"},
                                                                     {"&"},
                                                                     {"==", "!="},
                                                                     {"<=", ">=", "<", ">"},
                                                                     {"<<", ">>"},
                                                                     {"+", "-"},
                                                                     {"*", "/", "%"}}};

class parser {
public:
    explicit parser(const std::string& text) : text_(text) {}

    node_ptr all() {
        node_ptr n = binary(0);
        skip();
        if (at_ != text_.size())
            throw command_error(fmt::format("\"{}\" cannot be parsed", text_.substr(at_)));
        return n;
    }

private:
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool starts(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }
    bool take(std::string_view what) {
        skip();
        if (!starts(what)) return false;
        at_ += what.size();
        return true;
    }
    void expect(char c) {
        if (!take(std::string_view(&c, 1)))
            throw command_error(fmt::format("'{}' is missing in \"{}\"", c, text_));
    }

    /// Consumes and returns the next operator of a level; empty if there is none.
    std::string_view next_operator(std::size_t level) {
        skip();
        for (const std::string_view o : levels[level]) {
            if (o.empty() || !starts(o)) continue;
            const char following = at_ + o.size() < text_.size() ? text_[at_ + o.size()] : '\0';
            // Part of a longer operator of another level.
            if ((o == "|" || o == "&" || o == "<" || o == ">") && (following == o[0])) continue;
            at_ += o.size();
            return o;
        }
        return {};
    }

    node_ptr binary(std::size_t level) {
        if (level == levels.size()) return unary();
        node_ptr left = binary(level + 1);
        for (std::string_view o = next_operator(level); !o.empty(); o = next_operator(level)) {
            auto n = std::make_unique<node>();
            n->what = node::kind::binary;
            n->text = o;
            n->left = std::move(left);
            n->right = binary(level + 1);
            n->depth = 1 + std::max(n->left->depth, n->right->depth);
            if (n->depth > deepest) throw command_error(too_deep);
            left = std::move(n);
        }
        return left;
    }

    node_ptr unary() {
        if (++depth_ > deepest) throw command_error(too_deep);
        node_ptr n;
        for (const char* const o : {"!", "-", "~"})
            if (take(o)) {
                n = std::make_unique<node>();
                n->what = node::kind::unary;
                n->text = o;
                n->left = unary();
                n->depth = 1 + n->left->depth;
                break;
            }
        if (!n) n = primary();
        --depth_;
        return n;
    }

    node_ptr primary() {
        if (take("(")) {
            node_ptr n = binary(0);
            expect(')');
            return n;
        }
        if (take("[")) return memory();
        skip();
        if (at_ == text_.size()) throw command_error("a value is missing at the end");
        if (std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
        return name();
    }

    node_ptr memory() {
        auto n = std::make_unique<node>();
        n->what = node::kind::memory;
        n->left = binary(0);
        n->depth = 1 + n->left->depth;
        expect(']');
        if (take(":")) {
            const node_ptr size = number();
            n->bytes = static_cast<unsigned>(size->number);
            if (n->bytes != 1 && n->bytes != 2 && n->bytes != 4 && n->bytes != 8)
                throw command_error("[ADDRESS]:BYTES reads 1, 2, 4 or 8 bytes");
        }
        return n;
    }

    node_ptr number() {
        skip();
        auto n = std::make_unique<node>();
        const char* const begin = text_.c_str() + at_;
        char* end = nullptr;
        const bool hexadecimal = starts("0x") || starts("0X");
        errno = 0;
        n->number = hexadecimal ? static_cast<long double>(std::strtoull(begin, &end, 16))
                                : support::read_long_double(begin, &end);
        if (end == begin || errno == ERANGE || !std::isfinite(n->number))
            throw command_error(fmt::format("\"{}\" is not a number", begin));
        at_ += static_cast<std::size_t>(end - begin);
        return n;
    }

    node_ptr name() {
        const auto inside = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' ||
                   c == '$' || c == '.' || c == ':';
        };
        const std::size_t first = at_;
        // '%' is a register prefix at the start of a name and an operator elsewhere.
        while (at_ < text_.size() && inside(text_[at_]) && (text_[at_] != '%' || at_ == first))
            ++at_;
        if (at_ == first)
            throw command_error(fmt::format("\"{}\" cannot be parsed", text_.substr(first)));
        auto n = std::make_unique<node>();
        n->what = node::kind::name;
        n->text = text_.substr(first, at_ - first);
        return n;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
};

long double value_of(const node& n, const expression_scope& scope);

long double divide(const node& n, long double a, long double b) {
    if (b == 0) throw command_error("division by zero");
    if (n.text == "/") return a / b;
    const std::uint64_t divisor = whole(b);
    if (divisor == 0) throw command_error("division by zero");
    return static_cast<long double>(whole(a) % divisor);
}

long double shift(const node& n, long double a, long double b) {
    const std::uint64_t by = whole(b);
    if (by > 63) return 0;
    return static_cast<long double>(n.text == "<<" ? whole(a) << by : whole(a) >> by);
}

long double binary_value(const node& n, const expression_scope& scope) {
    const long double a = value_of(*n.left, scope);
    if (n.text == "||") return a != 0 || value_of(*n.right, scope) != 0;
    if (n.text == "&&") return a != 0 && value_of(*n.right, scope) != 0;
    const long double b = value_of(*n.right, scope);
    if (n.text == "==") return a == b;
    if (n.text == "!=") return a != b;
    if (n.text == "<=") return a <= b;
    if (n.text == ">=") return a >= b;
    if (n.text == "<") return a < b;
    if (n.text == ">") return a > b;
    if (n.text == "+") return a + b;
    if (n.text == "-") return a - b;
    if (n.text == "*") return a * b;
    if (n.text == "|") return static_cast<long double>(whole(a) | whole(b));
    if (n.text == "&") return static_cast<long double>(whole(a) & whole(b));
    if (n.text == "^") return static_cast<long double>(whole(a) ^ whole(b));
    if (n.text == "<<" || n.text == ">>") return shift(n, a, b);
    return divide(n, a, b);
}

long double value_of(const node& n, const expression_scope& scope) {
    switch (n.what) {
        case node::kind::number:
            return n.number;
        case node::kind::name: {
            const auto v = scope.value(n.text);
            if (!v) throw command_error(fmt::format("\"{}\" has no value here", n.text));
            return *v;
        }
        case node::kind::memory: {
            const std::uint64_t address = whole(value_of(*n.left, scope));
            const auto v = scope.memory(address, n.bytes);
            if (!v) throw command_error(fmt::format("memory at {:#x} cannot be read", address));
            return static_cast<long double>(*v);
        }
        case node::kind::unary: {
            const long double v = value_of(*n.left, scope);
            if (n.text == "!") return v == 0;
            if (n.text == "-") return -v;
            return static_cast<long double>(~whole(v));
        }
        case node::kind::binary:
            return binary_value(n, scope);
    }
    return 0;
}

}  // namespace

expression::expression(const std::string& text) : text_(text), root_(parser(text).all()) {}
expression::~expression() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;

long double expression::evaluate(const expression_scope& scope) const {
    return value_of(*root_, scope);
}

std::optional<std::uint64_t> parse_whole(const std::string& text) {
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) return std::nullopt;
    const bool hexadecimal = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
    char* end = nullptr;
    errno = 0;
    const std::uint64_t v = std::strtoull(text.c_str(), &end, hexadecimal ? 16 : 10);
    if (errno == ERANGE || *end != '\0') return std::nullopt;
    return v;
}

std::string value_text(long double value) {
    if (value != std::floor(value) || std::fabs(value) >= 18446744073709551616.0L)
        return fmt::format("{}", static_cast<double>(value));
    const bool negative = value < 0;
    const auto magnitude = static_cast<std::uint64_t>(negative ? -value : value);
    std::string text = fmt::format("{}{}", negative ? "-" : "", magnitude);
    if (!negative && magnitude > 9999) text += fmt::format(" ({:#x})", magnitude);
    return text;
}

}  // namespace simtlm::platform
