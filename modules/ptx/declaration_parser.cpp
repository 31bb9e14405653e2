// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/declaration_parser.h"

#include "modules/ptx/constant.h"
#include "modules/ptx/initialiser_parser.h"
#include "modules/ptx/signature.h"
#include "modules/support/nearest_name.h"

#include <algorithm>

namespace simtlm::ptx {

namespace {

constexpr std::uint32_t max_registers = 1U << 20;
constexpr std::uint64_t max_registers_of_module = 1U << 27;
constexpr std::uint32_t largest_alignment = 1U << 20;
constexpr std::uint64_t largest_size = std::uint64_t{1} << 40;
constexpr std::size_t max_names_searched = 5000;

struct space_name {
    std::string_view word;
    state_space space;
};
constexpr space_name space_names[] = {
    {"global", state_space::global}, {"const", state_space::const_},
    {"shared", state_space::shared}, {"local", state_space::local},
    {"param", state_space::param},   {"tex", state_space::tex},
};

/// The type that a word names, including texref and related types; none for other words.
type type_named(std::string_view word) {
    const ptx::word* found = find_word("", word);
    return found != nullptr && found->goes_to == word::field::type ? static_cast<type>(found->value)
                                                                   : type::none;
}

bool is_reference(type t) {
    return class_of(t) == type_class::opaque;
}

}  // namespace

void parse_context::fail_unknown(std::string_view name, place where) const {
    std::vector<std::string> names;
    symbols.for_each([&](std::string_view each) {
        if (each.size() < longest_shown_name) names.emplace_back(each);
    });
    const bool search = names.size() < max_names_searched && name.size() < longest_shown_name;
    const std::string nearest = search ? support::nearest_name(name, names) : "";
    in.fail(where, shown(name) + " is not declared",
            nearest.empty() ? "" : "the nearest name is '" + nearest + "'");
}

bool declaration_parser::is_space(std::string_view word, state_space& space) {
    for (const space_name& each : space_names) {
        if (each.word == word) {
            space = each.space;
            return true;
        }
    }
    return false;
}

std::uint32_t declaration_parser::read_alignment() {
    const place where = c_.in.here();
    const auto value =
        static_cast<std::uint32_t>(c_.in.expect_count("an alignment in bytes", largest_alignment));
    if (value == 0 || (value & (value - 1)) != 0) {
        c_.in.fail(where, "alignment " + std::to_string(value), "expected a power of two");
    }
    return value;
}

void declaration_parser::read_attributes(head& h) {
    c_.in.expect('(');
    do {
        const place where = c_.in.here();
        const std::string_view word = c_.in.take_directive();
        if (word == "managed") {
            h.managed = true;
        } else if (word == "unified") {
            c_.in.expect('(');
            while (c_.in.peek() != ')' && c_.in.peek() != '\0') c_.in.advance(1);
            c_.in.expect(')');
        } else {
            c_.in.fail(where, "unknown attribute", "expected .managed or .unified");
        }
    } while (c_.in.take(','));
    c_.in.expect(')');
}

void declaration_parser::read_bank(head& h) {
    if (c_.in.next() != '[') return;
    c_.in.expect('[');
    h.bank = static_cast<std::uint8_t>(c_.in.expect_count("a constant bank", 10));
    c_.in.expect(']');
}

void declaration_parser::read_pointer(head& h) {
    h.pointer.present = true;
    for (;;) {
        const char* before = c_.in.position();
        if (c_.in.peek() != '.') return;
        const std::string_view word = c_.in.take_directive();
        if (word == "align") {
            h.pointer.alignment = read_alignment();
        } else if (!is_space(word, h.pointer.space)) {
            c_.in.fail(c_.in.place_of(before), "unknown attribute of .ptr",
                       "expected a state space or .align");
        }
    }
}

bool declaration_parser::read_head_word(std::string_view word, head& h) {
    if (word == "align") {
        h.alignment = read_alignment();
    } else if (word == "v2" || word == "v4" || word == "v8") {
        h.vector = static_cast<std::uint8_t>(word[1] - '0');
    } else if (word == "attribute") {
        read_attributes(h);
    } else if (word == "ptr") {
        read_pointer(h);
    } else if (h.type == type::none) {
        h.type = type_named(word);
        return h.type != type::none;
    } else {
        return false;
    }
    return true;
}

declaration_parser::head declaration_parser::read_head(bool type_needed) {
    head h;
    read_bank(h);
    while (c_.in.peek() == '.') {
        h.where = c_.in.here();
        const std::string_view word = c_.in.take_directive();
        if (!read_head_word(word, h)) {
            c_.in.fail(h.where, "'." + std::string(word) + "' does not belong to a declaration",
                       "expected .align, .v2, .v4, .ptr, .attribute or one type");
        }
    }
    h.where = c_.in.here();
    if (type_needed && h.type == type::none) c_.in.fail_expected("a type such as .u32");
    return h;
}

std::uint32_t declaration_parser::add_register(std::string_view name, type t, unsigned vector,
                                               std::uint32_t count, bool numbered, place where) {
    function& f = c_.current();
    const std::uint64_t wanted = std::uint64_t{count} * vector;
    c_.registers += wanted;
    if (f.registers.size() + wanted > max_registers || c_.registers > max_registers_of_module) {
        c_.in.fail(where, "too many registers",
                   "at most " + std::to_string(max_registers) + " a function");
    }
    const auto first = static_cast<std::uint32_t>(f.registers.size());
    f.registers.resize(first + wanted, t);
    register_range range;
    range.name = name;
    range.first = first;
    range.count = static_cast<std::uint32_t>(wanted);
    range.type = t;
    range.numbered = numbered;
    range.vector = static_cast<std::uint8_t>(vector);
    f.register_names.push_back(std::move(range));

    symbol s;
    s.what = symbol::kind::reg;
    s.type = t;
    s.vector = static_cast<std::uint8_t>(vector);
    s.index = first;
    s.count = count;
    const bool added =
        numbered ? c_.symbols.declare_numbered(name, s) : c_.symbols.declare(name, s);
    if (!added) c_.in.fail(where, "'" + std::string(name) + "' is declared twice");
    return first;
}

void declaration_parser::read_registers() {
    const head h = read_head(true);
    if (is_reference(h.type)) c_.in.fail(h.where, "a register cannot hold a reference");
    if (!c_.in_function()) check_module_scope("registers", h.where);
    do {
        module_register r;
        r.where = c_.in.here();
        r.name = c_.in.expect_name("the name of a register");
        r.type = h.type;
        r.vector = h.vector;
        r.numbered = c_.in.take('<');
        if (r.numbered) {
            r.count = static_cast<std::uint32_t>(
                c_.in.expect_count("a number of registers", max_registers));
            c_.in.expect('>');
        }
        if (c_.in_function())
            add_register(r.name, r.type, r.vector, r.count, r.numbered, r.where);
        else
            c_.module_registers.push_back(r);
    } while (c_.in.take(','));
    c_.in.expect(';');
}

/// Before PTX 3.0 registers and local variables may be declared at module scope.
void declaration_parser::check_module_scope(const std::string& what, place where) const {
    if (c_.version() >= version_with_abi)
        c_.in.fail(where, what + " belong into functions", "at module scope until PTX 2.3 only");
    if (what == "registers" && !c_.out.functions.empty())
        c_.in.fail(where, "registers at module scope after a function",
                   "declare them before all functions");
}

void declaration_parser::add_module_registers() {
    c_.shared_registers.clear();
    for (const module_register& r : c_.module_registers) {
        const std::uint32_t first =
            add_register(r.name, r.type, r.vector, r.count, r.numbered, r.where);
        for (std::uint32_t i = 0; i < r.count * r.vector; ++i)
            c_.shared_registers.push_back(first + i);
    }
}

void declaration_parser::read_dimensions(variable& v) {
    while (c_.in.take('[')) {
        v.array = true;
        if (c_.in.take(']')) {
            if (!v.dimensions.empty())
                c_.in.fail_expected("a size: only the first may be left out");
            v.unsized = true;
            v.dimensions.push_back(0);
            continue;
        }
        const place where = c_.in.here();
        const constant size = read_constant(c_.in);
        if (!size.is_integer() || size.bits > largest_size) {
            c_.in.fail(where, "the size of an array is out of range");
        }
        v.dimensions.push_back(size.bits);
        c_.in.expect(']');
    }
}

void declaration_parser::set_size(variable& v, const head& h) {
    const std::uint64_t element = std::uint64_t{bytes_of(v.type)} * v.vector;
    v.alignment = h.alignment != 0 ? h.alignment : static_cast<std::uint32_t>(element);
    v.size = element;
    for (const std::uint64_t n : v.dimensions) {
        if (n != 0 && v.size > largest_size / n) {
            c_.in.fail(v.where, "'" + v.name + "' is too large",
                       "at most " + std::to_string(largest_size) + " bytes");
        }
        v.size *= n;
    }
}

variable declaration_parser::read_variable(const head& h, state_space space) {
    variable v;
    v.where = c_.in.here();
    name_ = c_.in.expect_name("the name of a variable");
    v.name = name_;
    v.space = space;
    v.type = h.type;
    v.vector = h.vector;
    v.bank = h.bank;
    v.managed = h.managed;
    v.pointer = h.pointer;
    v.owner = c_.current_function;
    if (c_.in.next() == '<') {  // .param .b32 p<4>
        c_.in.fail(v.where, "numbered variables are not part of PTX", "declare an array");
    }
    read_dimensions(v);
    set_size(v, h);
    return v;
}

bool declaration_parser::merge_declaration(const variable& v, std::uint32_t& index) {
    if (c_.in_function()) return false;
    const symbol* present = c_.symbols.find_here(v.name);
    if (present == nullptr || present->what != symbol::kind::variable) return false;
    const variable& before = c_.out.variables[present->index];
    const bool may_repeat = before.link == linkage::external || v.link == linkage::external ||
                            before.link == linkage::weak || before.link == linkage::common;
    if (!may_repeat || before.space != v.space) return false;
    index = present->index;
    return true;
}

std::uint32_t declaration_parser::declare_variable(variable&& v) {
    std::uint32_t index = 0;
    if (merge_declaration(v, index)) {
        if (v.link != linkage::external) c_.out.variables[index] = std::move(v);
        return index;
    }
    symbol s;
    s.what = symbol::kind::variable;
    s.index = static_cast<std::uint32_t>(c_.out.variables.size());
    s.type = v.type;
    if (!c_.symbols.declare(name_, s)) c_.in.fail(v.where, "'" + v.name + "' is declared twice");
    c_.out.variables.push_back(std::move(v));
    if (c_.in_function()) c_.current().variables.push_back(s.index);
    return s.index;
}

void declaration_parser::check_complete(const variable& v) {
    if (!v.unsized || v.link == linkage::external) return;
    c_.in.fail(v.where, "'" + v.name + "' has no size", "only .extern variables may leave it out");
}

void declaration_parser::read_variables(state_space space, linkage link) {
    const head h = read_head(true);
    if (space == state_space::local && !c_.in_function())
        check_module_scope("local variables", h.where);
    do {
        variable v = read_variable(h, space);
        v.link = link;
        const place where = v.where;
        const std::uint32_t index = declare_variable(std::move(v));
        if (!c_.in.take('=')) {
            check_complete(c_.out.variables[index]);
            continue;
        }
        if (space != state_space::global && space != state_space::const_) {
            c_.in.fail(where, "only .global and .const variables have initial values");
        }
        initialiser_parser(c_, c_.out.variables[index], index).read();
    } while (c_.in.take(','));
    c_.in.expect(';');
}

void declaration_parser::read_register_parameter(std::vector<parameter>& list) {
    const head h = read_head(true);
    const place where = c_.in.here();
    const std::string_view name = c_.in.expect_name("the name of a parameter");
    const std::uint32_t first = add_register(name, h.type, h.vector, 1, false, where);
    for (std::uint32_t i = 0; i < h.vector; ++i) list.push_back({true, first + i});
}

void declaration_parser::read_parameter(std::vector<parameter>& list) {
    const place where = c_.in.here();
    const std::string_view word = c_.in.take_directive();
    if (word == "reg") {
        read_register_parameter(list);
        return;
    }
    if (word != "param")
        c_.in.fail(where, "found " + c_.in.next_token(), "expected .param or .reg");
    const head h = read_head(true);
    if (h.vector > 1) c_.in.fail(h.where, "a parameter in memory is no vector", "pass an array");
    variable v = read_variable(h, state_space::param);
    v.parameter = true;
    if (v.unsized && c_.current().entry) {
        c_.in.fail(v.where, "parameter '" + v.name + "' of an entry has no size");
    }
    symbol s;
    s.what = symbol::kind::variable;
    s.index = static_cast<std::uint32_t>(c_.out.variables.size());
    if (!c_.symbols.declare(name_, s)) c_.in.fail(v.where, "'" + v.name + "' is declared twice");
    c_.out.variables.push_back(std::move(v));
    list.push_back({false, s.index});
}

std::vector<parameter> declaration_parser::read_parameters() {
    std::vector<parameter> list;
    c_.in.expect('(');
    if (c_.in.take(')')) return list;
    do {
        read_parameter(list);
    } while (c_.in.take(','));
    c_.in.expect(')');
    return list;
}

std::vector<prototype::item> declaration_parser::read_prototype_items() {
    std::vector<prototype::item> list;
    c_.in.expect('(');
    if (c_.in.take(')')) return list;
    do {
        const place where = c_.in.here();
        const std::string_view word = c_.in.take_directive();
        if (word != "param" && word != "reg")
            c_.in.fail(where, "a parameter", "expected .param or .reg");
        const head h = read_head(true);
        const variable v = read_variable(h, state_space::param);
        if (word == "reg")  // the elements of a vector are separate, as in a function's parameters
            list.insert(list.end(), v.vector,
                        {v.type, true, false, bytes_of(v.type), bytes_of(v.type)});
        else
            list.push_back({v.type, false, v.array, v.alignment, v.size});
    } while (c_.in.take(','));
    c_.in.expect(')');
    return list;
}

}  // namespace simtlm::ptx
