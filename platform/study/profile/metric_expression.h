// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// An arithmetic expression over the names of statistics or metrics: numbers, names, + - * /,
/// parentheses, max(a, b), and a | b for the first of two that has a value.
class metric_expression {
public:
    /// Value of a name; empty: it has none.
    using lookup = std::function<std::optional<double>(const std::string&)>;

    /// @throws std::invalid_argument  if the text is not an expression
    explicit metric_expression(const std::string& text);
    /// Empty if a name has no value, or a divisor is zero.
    std::optional<double> value(const lookup& of) const;
    /// All names.
    std::vector<std::string> names() const;

private:
    enum class kind { number, name, add, subtract, multiply, divide, maximum, first };
    struct step {  ///< of the expression in postfix notation
        kind what;
        double number;
        std::string name;
    };
    class parser;
    std::vector<step> steps_;
};

}  // namespace simtlm::platform::study
