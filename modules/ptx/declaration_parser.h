// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/constant.h"
#include "modules/ptx/parse_context.h"

#include <vector>

namespace simtlm::ptx {

/// Parses declarations: registers, variables with their initialisers, parameters.
class declaration_parser {
public:
    explicit declaration_parser(parse_context& context) : c_(context) {}

    /// Converts the word of a directive to a state space; false for other words.
    static bool is_space(std::string_view word, state_space& space);

    /// Parses `.reg`, after the directive, up to the semicolon.
    void read_registers();

    /// Parses the declarations after a state space's directive up to the semicolon.
    void read_variables(state_space space, linkage link);

    /// Parses "(…)", the parameters or results of a function, which are declared in the innermost
    /// scope.
    std::vector<parameter> read_parameters();

    /// Parses "(…)" of a `.callprototype`.
    std::vector<prototype::item> read_prototype_items();

    /// Adds registers to the current function for those at module scope.
    void add_module_registers();
    /// Adds a register, or a range of registers, to the current function.
    std::uint32_t add_register(std::string_view name, type t, unsigned vector, std::uint32_t count,
                               bool numbered, place where);

private:
    /// The part of a declaration before the name: alignment, vector, type, attributes.
    struct head {
        std::uint32_t alignment = 0;
        std::uint8_t vector = 1;
        ptx::type type = type::none;
        std::uint8_t bank = 0;
        bool managed = false;
        pointer_attribute pointer;
        place where;
    };

    head read_head(bool type_needed);
    bool read_head_word(std::string_view word, head& h);
    void read_attributes(head& h);
    void read_bank(head& h);
    void read_pointer(head& h);
    std::uint32_t read_alignment();
    variable read_variable(const head& h, state_space space);
    void read_dimensions(variable& v);
    void set_size(variable& v, const head& h);
    std::uint32_t declare_variable(variable&& v);
    bool merge_declaration(const variable& v, std::uint32_t& index);
    void check_complete(const variable& v);
    void check_module_scope(const std::string& what, place where) const;
    void read_parameter(std::vector<parameter>& list);
    void read_register_parameter(std::vector<parameter>& list);

    parse_context& c_;
    std::string_view name_;  ///< of the last variable, as in the text
};

}  // namespace simtlm::ptx
