// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/metric_expression.h"

#include "modules/support/number_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace simtlm::platform::study {

/// Recursive descent: alternatives of sums of products of factors.
class metric_expression::parser {
public:
    parser(const std::string& text, std::vector<step>& into) : text_(text), steps_(into) {}

    void parse() {
        alternatives();
        if (peek() != '\0') fail();
    }

private:
    [[noreturn]] void fail() const {
        throw std::invalid_argument("no expression at '" + text_.substr(at_) + "' of " + text_);
    }
    char peek() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail();
    }
    void add(kind k) { steps_.push_back({k, 0, {}}); }

    void alternatives() {
        for (sum(); take('|'); add(kind::first)) sum();
    }
    void sum() {
        product();
        for (;;) {
            const kind k = peek() == '+' ? kind::add : kind::subtract;
            if (!take('+') && !take('-')) return;
            product();
            add(k);
        }
    }
    void product() {
        factor();
        for (;;) {
            const kind k = peek() == '*' ? kind::multiply : kind::divide;
            if (!take('*') && !take('/')) return;
            factor();
            add(k);
        }
    }
    void factor() {
        if (take('(')) {
            alternatives();
            return expect(')');
        }
        const std::size_t begin = at_;
        const auto is_part = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
        };
        while (at_ < text_.size() && is_part(text_[at_])) ++at_;
        const std::string word = text_.substr(begin, at_ - begin);
        if (word.empty()) fail();
        if (word == "max") {
            expect('(');
            alternatives();
            expect(',');
            alternatives();
            expect(')');
            return add(kind::maximum);
        }
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0)
            steps_.push_back({kind::number, support::read_double(word.c_str()), {}});
        else
            steps_.push_back({kind::name, 0, word});
    }

    const std::string& text_;
    std::vector<step>& steps_;
    std::size_t at_ = 0;
};

metric_expression::metric_expression(const std::string& text) {
    parser(text, steps_).parse();
}

std::optional<double> metric_expression::value(const lookup& of) const {
    using number = std::optional<double>;
    std::vector<number> stack;
    const auto combined = [](kind k, number a, number b) -> number {
        if (k == kind::first) return a ? a : b;
        if (!a || !b || (k == kind::divide && *b == 0)) return std::nullopt;
        switch (k) {
            case kind::add:
                return *a + *b;
            case kind::subtract:
                return *a - *b;
            case kind::multiply:
                return *a * *b;
            case kind::divide:
                return *a / *b;
            default:
                return std::max(*a, *b);
        }
    };
    for (const step& s : steps_) {
        if (s.what == kind::number) {
            stack.emplace_back(s.number);
        } else if (s.what == kind::name) {
            stack.push_back(of(s.name));
        } else {
            const number b = stack.back();
            stack.pop_back();
            stack.back() = combined(s.what, stack.back(), b);
        }
    }
    const number result = stack.back();
    return result && std::isfinite(*result) ? result : std::nullopt;
}

std::vector<std::string> metric_expression::names() const {
    std::vector<std::string> all;
    for (const step& s : steps_)
        if (s.what == kind::name) all.push_back(s.name);
    return all;
}

}  // namespace simtlm::platform::study
