// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/declaration_parser.h"
#include "modules/ptx/instruction_parser.h"
#include "modules/ptx/location_parser.h"
#include "modules/ptx/parse_context.h"

#include <string_view>

namespace simtlm::ptx {

/// Parses `.entry` and `.func`: signature, directives, body.
class function_parser {
public:
    explicit function_parser(parse_context& context)
        : c_(context), declarations_(context), instructions_(context), locations_(context) {}

    /// Parses a function after `.entry` or `.func`.
    void read(bool entry, linkage link);

private:
    std::string_view name_ahead();
    void read_declared(function& f);
    void read_again(std::uint32_t present, bool entry, linkage link);
    void read_signature(function& f);
    void read_directives();
    bool read_directive(std::string_view word, function& f);
    void read_three(std::array<std::uint32_t, 3>& values);
    void read_body();
    void read_statement();
    void read_instruction();
    void read_body_directive();
    void read_named_statement();
    void read_label(std::string_view name, place where);
    void read_table(std::string_view name, std::string_view word, place where);
    void read_prototype(std::string_view name);
    void read_branch_targets(std::string_view name);
    void read_call_targets(std::string_view name);
    void declare_table(std::string_view name, symbol::kind what, std::size_t index, place where);
    void finish_body();
    bool falls_off_the_end() const;
    void convert_old_parameters();

    parse_context& c_;
    declaration_parser declarations_;
    instruction_parser instructions_;
    location_parser locations_;
};

}  // namespace simtlm::ptx
