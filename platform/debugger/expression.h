// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace simtlm::platform {

/// A command of the debugger that cannot be carried out: one line for the user, who may try again.
class command_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What the names of an expression stand for.
class expression_scope {
public:
    virtual ~expression_scope();
    /// The value of a name (`cycle`, `%r1`, `gpu.cluster0.sm0:warps_launched`); nothing: it has
    /// none.
    virtual std::optional<long double> value(const std::string& name) const = 0;
    /// An integer of device memory, little endian. @param bytes  1, 2, 4 or 8
    virtual std::optional<std::uint64_t> memory(std::uint64_t address, unsigned bytes) const = 0;
};

/// A condition or a value that the user writes: C's operators || && | ^ & == != < <= > >= << >> + -
/// * / % ! ~ and parentheses; decimal, hexadecimal and real numbers; names; [ADDRESS] and
/// [ADDRESS]:BYTES for device memory. Bitwise operators, shifts and % work on 64-bit integers.
class expression {
public:
    /// @throws command_error
    explicit expression(const std::string& text);
    ~expression();
    expression(expression&&) noexcept;
    expression& operator=(expression&&) noexcept;

    /// @throws command_error  a name without a value, a division by zero
    long double evaluate(const expression_scope& scope) const;
    bool holds(const expression_scope& scope) const { return evaluate(scope) != 0; }
    const std::string& text() const { return text_; }

    struct node;

private:
    std::string text_;
    std::unique_ptr<node> root_;
};

/// A whole number, decimal or hexadecimal; nothing: it is none.
std::optional<std::uint64_t> parse_whole(const std::string& text);

/// A value as the user reads it: whole numbers without a point, large ones in hexadecimal, too.
std::string value_text(long double value);

}  // namespace simtlm::platform
