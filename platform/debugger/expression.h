// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace simtlm::platform {

/// A debugger command that cannot be executed; the message is one line, and the user may retry.
class command_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Resolves the names in an expression.
class expression_scope {
public:
    virtual ~expression_scope();
    /// Value of a name (`cycle`, `%r1`, `gpu.cluster0.sm0:warps_launched`), or nothing if it has
    /// none.
    virtual std::optional<long double> value(const std::string& name) const = 0;
    /// Little-endian integer in device memory. @param bytes  1, 2, 4 or 8
    virtual std::optional<std::uint64_t> memory(std::uint64_t address, unsigned bytes) const = 0;
};

/// An expression entered by the user: C operators || && | ^ & == != < <= > >= << >> + -
/// * / % ! ~ and parentheses; decimal, hexadecimal and real numbers; names; [ADDRESS] and
/// [ADDRESS]:BYTES for device memory. Bitwise operators, shifts and % use 64-bit integers.
class expression {
public:
    /// @throws command_error
    explicit expression(const std::string& text);
    ~expression();
    expression(expression&&) noexcept;
    expression& operator=(expression&&) noexcept;

    /// @throws command_error  for a name without a value or a division by zero
    long double evaluate(const expression_scope& scope) const;
    bool holds(const expression_scope& scope) const { return evaluate(scope) != 0; }
    const std::string& text() const { return text_; }

    struct node;

private:
    std::string text_;
    std::unique_ptr<node> root_;
};

/// Parses a decimal or hexadecimal integer; nothing if the text is not one.
std::optional<std::uint64_t> parse_whole(const std::string& text);

/// Formats a value: integers without a decimal point, large ones in hexadecimal as well.
std::string value_text(long double value);

}  // namespace simtlm::platform
