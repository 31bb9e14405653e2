// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"
#include "modules/ptx/scanner.h"
#include "modules/ptx/symbol_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace simtlm::ptx {

/// An initialiser's symbol that was not declared yet when it was read.
struct unresolved_relocation {
    std::uint32_t variable = 0;
    std::size_t relocation = 0;
    std::string_view name;
    place where;
};

/// What the parts of the parser share.
struct parse_context {
    parse_context(const char* text, module& m) : in(text, m.file), out(m) {}

    scanner in;
    module& out;
    symbol_table symbols;
    std::uint32_t current_function = no_index;
    std::uint32_t current_location = no_index;  ///< of the last `.loc`
    std::vector<unresolved_relocation> unresolved;

    bool in_function() const { return current_function != no_index; }
    function& current() { return out.functions[current_function]; }

    /// PTX ISA version as major * 10 + minor.
    unsigned version() const { return out.version_major * 10 + out.version_minor; }

    /// @throws kernel::user_error naming the nearest visible name
    [[noreturn]] void fail_unknown(std::string_view name, place where) const;
};

}  // namespace simtlm::ptx
