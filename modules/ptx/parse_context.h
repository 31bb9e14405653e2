// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"
#include "modules/ptx/scanner.h"
#include "modules/ptx/symbol_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace simtlm::ptx {

/// A symbol in an initialiser that was not declared when it was parsed.
struct unresolved_relocation {
    std::uint32_t variable = 0;
    std::size_t relocation = 0;
    std::string_view name;
    place where;
};

/// A `.reg` at module scope: all functions share its registers, which keep their values across
/// calls. Each function has registers of its own for them, which calls pass in both directions.
struct module_register {
    std::string_view name;
    ptx::type type = type::none;
    std::uint8_t vector = 1;
    std::uint32_t count = 1;
    bool numbered = false;
    place where;
};

/// The PTX ISA version from which on registers and local variables belong into functions.
constexpr unsigned version_with_abi = 30;

constexpr std::size_t longest_shown_name = 80;

/// A name in quotes for a message, truncated if it is long.
inline std::string shown(std::string_view name) {
    return "'" + std::string(name.substr(0, longest_shown_name)) + "'";
}

/// State shared by the parts of the parser.
struct parse_context {
    parse_context(const char* text, module& m) : in(text, m.file), out(m) {}

    scanner in;
    module& out;
    symbol_table symbols;
    std::uint32_t current_function = no_index;
    std::uint32_t current_location = no_index;  ///< last `.loc`
    std::vector<unresolved_relocation> unresolved;
    std::vector<module_register> module_registers;
    std::vector<std::uint32_t> shared_registers;  ///< those of the current function for them
    std::uint64_t registers = 0;                  ///< number declared so far
    std::uint64_t initialised_bytes = 0;          ///< size of initial values so far

    bool in_function() const { return current_function != no_index; }
    function& current() { return out.functions[current_function]; }

    /// PTX ISA version as major * 10 + minor.
    unsigned version() const { return out.version_major * 10 + out.version_minor; }

    /// @throws support::user_error that suggests the nearest visible name
    [[noreturn]] void fail_unknown(std::string_view name, place where) const;
};

}  // namespace simtlm::ptx
