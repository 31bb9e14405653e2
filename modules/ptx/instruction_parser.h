// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/constant.h"
#include "modules/ptx/parse_context.h"
#include "modules/ptx/signature.h"

#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtlm::ptx {

/// A parsed operand, before the instruction's signature determines its position and type.
struct raw_operand {
    enum class form : std::uint8_t { value, literal, name, vector, bracket };
    form what = form::value;
    bool joined = false;      ///< after a bar: p|q
    bool indexed = false;     ///< sym[3], which can also be an address
    operand value;            ///< form value
    constant literal;         ///< form literal
    std::string_view name;    ///< form name: a label, or not declared yet
    std::uint32_t first = 0;  ///< form vector and bracket: elements, in the next level
    std::uint32_t count = 0;
    place where;
};

/// Parses instructions and checks them against the signature table.
class instruction_parser {
public:
    explicit instruction_parser(parse_context& context) : c_(context) {}

    /// Parses an instruction from the guard or opcode to the semicolon and adds it to the current
    /// function.
    void read();

    /// Sizes of the current function's tables before an instruction.
    struct progress {
        std::size_t code, operands, elements, pending;
    };
    progress begin() const;
    /// Adds the next instruction, which read() has rejected, as one that is not executed.
    /// @param before  the result of begin() before read()
    void read_unknown(const progress& before);

    /// Adds an instruction without operands that is not in the text.
    void add_implied(std::string_view opcode_text);

    /// An operand or branch target with the name of a label, to be resolved when its scope closes.
    struct pending_name {
        enum class kind : std::uint8_t { operand, branch_target };
        kind what = kind::operand;
        std::uint32_t index = 0;  ///< in the function's operands, or its branch target lists
        std::uint32_t element = 0;
        std::string_view name;
        place where;
    };
    void add_pending(const pending_name& p) { pending_.push_back(p); }

    /// Called around scopes: labels are first looked up in the scope of their use.
    void open_scope() { pending_begin_.push_back(pending_.size()); }
    void close_scope(bool outermost);

private:
    static constexpr std::size_t levels = 4;

    // Parsing
    void read_guard(instruction& i);
    void read_opcode(instruction& i);
    std::uint32_t operation_index(std::string_view text, place where);
    void read_operands();
    void add_offsets(const instruction& user);
    void read_operand(std::size_t level, bool in_bracket);
    void read_list(std::size_t level, raw_operand& r, char close);
    void read_named(raw_operand& r, std::size_t level, bool in_bracket);
    void read_symbol(raw_operand& r, const symbol& s, std::size_t level, bool in_bracket);
    void read_register(raw_operand& r, const symbol& s, std::size_t level);
    void read_offset(raw_operand& r);
    void read_unified();
    void read_index(raw_operand& r);
    bool read_special(raw_operand& r, std::string_view name);
    void read_selector(operand& o);
    void read_call(instruction& i);
    operand read_call_list();
    void add_shared_registers(operand& list);
    operand read_call_target();
    operand read_call_table();
    void check_call(const instruction& i);
    void check_call_of(const instruction& i, std::uint32_t index);
    void check_passed(const instruction& i, unsigned place,
                      const std::vector<prototype::item>& formal, const std::string& callee);
    bool fits_formal(const operand& o, const prototype::item& formal) const;
    void parse_new_operation(operation& o, std::string_view text, place where);

    // Checking: operand_checker.cpp
    void place_operands(instruction& i);
    void place_one(const operand_rule& rule, std::size_t& next, std::size_t needed_after);
    bool consumes(const operand_rule& rule, std::size_t next, std::size_t needed_after) const;
    std::size_t needed(const std::vector<operand_rule>& rules, std::size_t from) const;
    void place_absent(const operand_rule& rule);
    void place_rule(const operand_rule& rule, const raw_operand& r);
    void place_value(const operand_rule& rule, const raw_operand& r, type t);
    void place_vector(const operand_rule& rule, const raw_operand& r, type t, unsigned count);
    void place_immediate(const raw_operand& r);
    void place_label(const raw_operand& r);
    void place_targets(const raw_operand& r);
    void place_address(const raw_operand& r);
    void place_texture(const raw_operand& r, bool sampled);
    void place_mov(const operand_rule& rule, const raw_operand& r);
    void place_any(const raw_operand& r);
    void place_generic();
    operand resolved(const raw_operand& r);
    operand vector_of_any(const raw_operand& r, std::size_t level);
    operand checked(const operand_rule& rule, const raw_operand& r, type t);
    operand checked_register(const operand_rule& rule, const raw_operand& r, type t);
    operand literal_as(const raw_operand& r, type t);
    state_space space_of_address(const raw_operand& r) const;
    operand address_of(const raw_operand& r, state_space space);
    type type_of_rule(const operand_rule& rule) const;
    type type_of_fragment(const operand_rule& rule) const;
    unsigned elements_of_rule(const operand_rule& rule) const;
    [[noreturn]] void fail_operand(const raw_operand& r, const std::string& expected) const;
    [[noreturn]] void fail_unresolved(const raw_operand& r) const;
    std::string describe(const raw_operand& r) const;

    const operation& op() const { return *operation_; }

    parse_context& c_;
    std::unordered_map<std::string_view, std::uint32_t> operations_;
    std::array<std::vector<raw_operand>, levels> raw_;
    const operation* operation_ = nullptr;  ///< of the current instruction
    place where_;                           ///< of its opcode
    std::vector<pending_name> pending_;
    std::vector<std::size_t> pending_begin_;
};

}  // namespace simtlm::ptx
