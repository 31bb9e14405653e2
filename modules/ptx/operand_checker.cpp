// SPDX-License-Identifier: Apache-2.0
// Assigns the operands of an instruction to the positions of its signature and checks their types.
#include "modules/ptx/instruction_parser.h"

#include <string>

namespace simtlm::ptx {

namespace {

using form = operand_rule::form;

type doubled(type t) {
    switch (t) {
        case type::u16:
            return type::u32;
        case type::s16:
            return type::s32;
        case type::u32:
            return type::u64;
        default:
            return type::s64;
    }
}

/// Whether a register of type `has` can be an operand of type `wants`. Untyped bits are compatible
/// with everything of their width, integers with integers, floating point with its own type only.
bool same_kind(type has, type wants) {
    const type_class h = class_of(has);
    const type_class w = class_of(wants);
    if (h == type_class::bits || w == type_class::bits) return true;
    if (h == type_class::floating || w == type_class::floating) return has == wants;
    return h != type_class::predicate && w != type_class::predicate;
}

bool fits(type has, type wants, bool relaxed) {
    if (has == type::pred || wants == type::pred) return has == wants;
    if (width_of(has) == width_of(wants)) return same_kind(has, wants);
    if (!relaxed || width_of(has) < width_of(wants)) return false;
    return class_of(has) != type_class::floating;
}

bool is_integer_like(type t) {
    const type_class c = class_of(t);
    return c == type_class::bits || c == type_class::unsigned_integer ||
           c == type_class::signed_integer;
}

/// Width of the parts that mov packs or unpacks: bits of a width in two or four parts.
unsigned part_width(type whole, unsigned parts) {
    return parts == 0 || class_of(whole) != type_class::bits ? 0 : width_of(whole) / parts;
}

}  // namespace

std::string instruction_parser::describe(const raw_operand& r) const {
    switch (r.what) {
        case raw_operand::form::literal:
            return r.literal.is_integer() ? "an integer" : "a floating-point constant";
        case raw_operand::form::name:
            return "'" + std::string(r.name.substr(0, longest_shown_name)) + "'";
        case raw_operand::form::vector:
            return "a vector of " + std::to_string(r.count);
        case raw_operand::form::bracket:
            return "an address";
        case raw_operand::form::value:
            break;
    }
    switch (r.value.kind) {
        case operand_kind::sink:
            return "'_'";
        case operand_kind::special:
            return "special register " +
                   std::string(name_of(static_cast<special_register>(r.value.index)));
        case operand_kind::reg:
            return "'" + std::string(r.name) + "' of type ." + std::string(name_of(r.value.type));
        default:
            return "'" + std::string(r.name) + "'";
    }
}

void instruction_parser::fail_operand(const raw_operand& r, const std::string& expected) const {
    c_.in.fail(r.where, "'" + op().text + "' does not take " + describe(r) + " here",
               "expected " + expected);
}

void instruction_parser::fail_unresolved(const raw_operand& r) const {
    c_.fail_unknown(r.name, r.where);
}

std::size_t instruction_parser::needed(const std::vector<operand_rule>& rules,
                                       std::size_t from) const {
    std::size_t count = 0;
    for (std::size_t i = from; i < rules.size(); ++i) {
        const bool policy = rules[i].what == form::policy && op().has(flag::cache_hint);
        const bool always = !rules[i].optional && rules[i].what != form::policy &&
                            rules[i].what != form::absent &&
                            (!rules[i].combines || op().reduce != reduction::none);
        if (policy || always) ++count;
    }
    return count;
}

bool instruction_parser::consumes(const operand_rule& rule, std::size_t next,
                                  std::size_t needed_after) const {
    if (rule.what == form::absent) return false;
    if (rule.what == form::policy) return op().has(flag::cache_hint);
    if (rule.combines && op().reduce != reduction::none) return true;
    if (rule.combines && !rule.optional) return false;
    if (!rule.optional) return true;
    if (next >= raw_[0].size()) return false;
    const raw_operand& r = raw_[0][next];
    if (rule.joined) return r.joined;
    if (raw_[0].size() - next <= needed_after) return false;
    if (rule.what != form::offsets) return true;
    return r.what == raw_operand::form::vector || is_integer_like(r.value.type) ||
           (r.what == raw_operand::form::literal && r.literal.is_integer());
}

void instruction_parser::place_operands(instruction& i) {
    const signature& s = signatures()[op().signature];
    std::size_t next = 0;
    for (std::size_t n = 0; n < s.rules.size(); ++n) {
        const operand_rule& rule = s.rules[n];
        if (rule.written) ++i.result_count;
        place_one(rule, next, rule.optional ? needed(s.rules, n + 1) : 0);
    }
    if (next < raw_[0].size()) {
        c_.in.fail(raw_[0][next].where, "'" + op().text + "' has too many operands",
                   "expected " + std::to_string(next));
    }
}

void instruction_parser::place_one(const operand_rule& rule, std::size_t& next,
                                   std::size_t needed_after) {
    if (!consumes(rule, next, needed_after)) {
        place_absent(rule);
        return;
    }
    if (next >= raw_[0].size()) {
        c_.in.fail(where_, "'" + op().text + "' lacks an operand",
                   "it has " + std::to_string(raw_[0].size()));
    }
    const raw_operand& r = raw_[0][next];
    if (r.joined && !rule.joined) fail_operand(r, "no second result after '|'");
    if (r.value.negated && !rule.may_negate && !rule.may_minus) {
        c_.in.fail(r.where, "'" + op().text + "' does not negate this operand");
    }
    ++next;
    place_rule(rule, r);
}

void instruction_parser::place_absent(const operand_rule& rule) {
    c_.current().operands.resize(c_.current().operands.size() + rule.positions());
}

void instruction_parser::place_rule(const operand_rule& rule, const raw_operand& r) {
    switch (rule.what) {
        case form::value: {
            const unsigned count = elements_of_rule(rule);
            const type t = type_of_rule(rule);
            if (count == 0) {
                // Compilers also put the single element of an access without .v2 or .v4 in braces.
                const bool one =
                    rule.per_vector && r.what == raw_operand::form::vector && r.count == 1;
                place_value(rule, one ? raw_[1][r.first] : r, t);
            } else {
                place_vector(rule, r, t, count);
            }
            return;
        }
        case form::immediate:
            place_immediate(r);
            return;
        case form::label:
            place_label(r);
            return;
        case form::targets:
            place_targets(r);
            return;
        case form::address:
            place_address(r);
            return;
        case form::texture:
            place_texture(r, true);
            return;
        case form::surface:
            place_texture(r, false);
            return;
        case form::mov:
            place_mov(rule, r);
            return;
        case form::policy:
            place_value(rule, r, type::b64);
            return;
        case form::offsets:
        case form::any:
            place_any(r);
            return;
        case form::absent:
            return;
    }
}

type instruction_parser::type_of_fragment(const operand_rule& rule) const {
    using matrix = operand_rule::matrix;
    // d, a, b, c in the order of the types; with two types, these are d and c of f16 products.
    unsigned index = 0;
    if (rule.fragment == matrix::c) index = op().type_count - 1U;
    if (rule.fragment == matrix::a || rule.fragment == matrix::b) {
        if (op().type_count == 2) return type::f16x2;
        index = rule.fragment == matrix::a ? 1 : 2;
    }
    const type t = op().types[index];
    if (t == type::f16) return type::f16x2;
    return t == type::f32 || t == type::f64 || t == type::s32 ? t : type::b32;
}

type instruction_parser::type_of_rule(const operand_rule& rule) const {
    using source = operand_rule::source;
    if (rule.fragment != operand_rule::matrix::no) {
        return rule.from == source::fixed && rule.of != type::none ? rule.of
                                                                   : type_of_fragment(rule);
    }
    switch (rule.from) {
        case source::fixed:
            return rule.of;
        case source::first:
            return op().types[0];
        case source::second:
            return op().types[1];
        case source::third:
            return op().types[2];
        case source::fourth:
            return op().types[3];
        case source::doubled:
            return doubled(op().types[0]);
    }
    return type::none;
}

unsigned instruction_parser::elements_of_rule(const operand_rule& rule) const {
    using matrix = operand_rule::matrix;
    if (rule.per_vector) return op().vector > 1 ? op().vector : 0;
    switch (rule.fragment) {
        case matrix::no:
            return rule.elements;
        case matrix::loaded:
            if (op().op == opcode::tcgen05_ld || op().op == opcode::tcgen05_ld_red ||
                op().op == opcode::tcgen05_st)
                return tensor_memory_registers(op());
            return op().op == opcode::ldmatrix || op().op == opcode::stmatrix
                       ? op().count * (op().shape.m * op().shape.n == 256 ? 2u : 1u)
                       : fragment_registers(op(), 0);
        case matrix::d:
            return fragment_registers(op(), 0);
        case matrix::a:
            return fragment_registers(op(), 1);
        case matrix::b:
            return fragment_registers(op(), 2);
        case matrix::c:
            return fragment_registers(op(), 3);
    }
    return 0;
}

operand instruction_parser::literal_as(const raw_operand& r, type t) {
    operand o;
    o.kind = operand_kind::immediate;
    o.type = t;
    if (!constant_as(r.literal, t, o.value)) {
        fail_operand(r, "a constant of type ." + std::string(name_of(t)));
    }
    return o;
}

operand instruction_parser::checked_register(const operand_rule& rule, const raw_operand& r,
                                             type t) {
    if (!fits(r.value.type, t, rule.relaxed)) {
        fail_operand(r, std::string("a register of type .") + std::string(name_of(t)) +
                            (rule.relaxed ? " or wider" : ""));
    }
    if (r.value.select.unit != 0 && !rule.may_select) fail_operand(r, "no selector");
    return r.value;
}

operand instruction_parser::checked(const operand_rule& rule, const raw_operand& r, type t) {
    const std::string wanted = "a register" + std::string(rule.written ? "" : " or constant") +
                               " of type ." + std::string(name_of(t));
    switch (r.what) {
        case raw_operand::form::literal:
            if (rule.written) fail_operand(r, wanted);
            return literal_as(r, t);
        case raw_operand::form::name:
            fail_unresolved(r);
        case raw_operand::form::vector:
        case raw_operand::form::bracket:
            fail_operand(r, wanted);
        case raw_operand::form::value:
            break;
    }
    if (r.value.kind == operand_kind::reg) return checked_register(rule, r, t);
    if (r.value.kind == operand_kind::sink && rule.written) return r.value;
    const bool reads_special = op().op == opcode::mov || op().op == opcode::cvt;
    if (r.value.kind == operand_kind::special && reads_special && !rule.written) return r.value;
    fail_operand(r, wanted);
}

void instruction_parser::place_value(const operand_rule& rule, const raw_operand& r, type t) {
    c_.current().operands.push_back(checked(rule, r, t));
}

void instruction_parser::place_vector(const operand_rule& rule, const raw_operand& r, type t,
                                      unsigned count) {
    if (r.what != raw_operand::form::vector || r.count != count) {
        fail_operand(
            r, "a vector of " + std::to_string(count) + " of type ." + std::string(name_of(t)));
    }
    function& f = c_.current();
    operand o;
    o.kind = operand_kind::vector;
    o.type = t;
    o.index = static_cast<std::uint32_t>(f.elements.size());
    o.count = count;
    for (unsigned i = 0; i < count; ++i)
        f.elements.push_back(checked(rule, raw_[1][r.first + i], t));
    f.operands.push_back(o);
}

void instruction_parser::place_immediate(const raw_operand& r) {
    if (r.what != raw_operand::form::literal || !r.literal.is_integer()) {
        fail_operand(r, "an integer constant");
    }
    c_.current().operands.push_back(literal_as(r, type::s64));
}

void instruction_parser::place_label(const raw_operand& r) {
    if (r.name.empty()) fail_operand(r, "a label");
    function& f = c_.current();
    operand o;
    o.kind = operand_kind::label;
    add_pending({pending_name::kind::operand, static_cast<std::uint32_t>(f.operands.size()), 0,
                 r.name, r.where});
    f.operands.push_back(o);
}

void instruction_parser::place_targets(const raw_operand& r) {
    if (r.name.empty()) fail_operand(r, "the name of .branchtargets");
    function& f = c_.current();
    operand o;
    o.kind = operand_kind::branch_targets;
    add_pending({pending_name::kind::operand, static_cast<std::uint32_t>(f.operands.size()), 0,
                 r.name, r.where});
    f.operands.push_back(o);
}

operand instruction_parser::address_of(const raw_operand& r, state_space wanted) {
    operand o = r.value;
    if (r.what == raw_operand::form::literal && r.literal.is_integer()) {
        o.kind = operand_kind::address_absolute;
        o.value = r.literal.as_signed();
        return o;
    }
    if (r.what == raw_operand::form::name) fail_unresolved(r);
    if (r.what != raw_operand::form::value) fail_operand(r, "an address");
    if (o.kind == operand_kind::variable) {
        const state_space space = c_.out.variables[o.index].space;
        if (wanted != state_space::generic && wanted != space) {
            fail_operand(r, "a variable of ." + std::string(name_of(wanted)) + ", and '" +
                                std::string(r.name) + "' is in ." + std::string(name_of(space)));
        }
        o.kind = operand_kind::address_variable;
        return o;
    }
    const bool usable =
        o.kind == operand_kind::reg && is_integer_like(o.type) && width_of(o.type) >= 16;
    if (!usable) fail_operand(r, "a register with an address, or a variable");
    o.kind = operand_kind::address_register;
    return o;
}

void instruction_parser::place_address(const raw_operand& r) {
    if (r.what == raw_operand::form::value && r.indexed) {
        c_.current().operands.push_back(address_of(r, op().space));
        return;
    }
    if (r.what != raw_operand::form::bracket || r.count != 1)
        fail_operand(r, "an address in brackets");
    c_.current().operands.push_back(address_of(raw_[1][r.first], space_of_address(r)));
}

/// Copies specify two spaces; their mbarriers are in shared memory.
state_space instruction_parser::space_of_address(const raw_operand& r) const {
    const auto position = &r - raw_[0].data();
    switch (op().op) {
        case opcode::cp_async:
        case opcode::tensormap_cp_fenceproxy:
            return position == 0 ? op().space : op().source_space;
        case opcode::cp_async_bulk:
        case opcode::cp_reduce_async_bulk:
        case opcode::cp_async_bulk_tensor:
        case opcode::cp_reduce_async_bulk_tensor:
            return position == 0   ? op().space
                   : position == 1 ? op().source_space
                                   : state_space::shared;
        default:
            return op().space;
    }
}

void instruction_parser::place_texture(const raw_operand& r, bool sampled) {
    const unsigned most = sampled ? 3 : 2;
    if (r.what != raw_operand::form::bracket || r.count < 2 || r.count > most) {
        fail_operand(r, sampled ? "[texture, {coordinates}] or [texture, sampler, {coordinates}]"
                                : "[surface, {coordinates}]");
    }
    const operand first = address_of(raw_[1][r.first], state_space::generic);
    operand sampler;
    if (r.count == 3) sampler = address_of(raw_[1][r.first + 1], state_space::generic);
    const operand coordinates = vector_of_any(raw_[1][r.first + r.count - 1], 2);
    function& f = c_.current();
    f.operands.push_back(first);
    if (sampled) f.operands.push_back(sampler);
    f.operands.push_back(coordinates);
}

void instruction_parser::place_mov(const operand_rule& rule, const raw_operand& r) {
    const type t = op().types[0];
    if (op().vector > 1) {
        const bool whole =
            r.what == raw_operand::form::value && r.value.kind == operand_kind::special;
        if (whole) {
            c_.current().operands.push_back(r.value);
        } else {
            place_vector(rule, r, t, op().vector);
        }
        return;
    }
    if (r.what == raw_operand::form::vector) {
        const unsigned width = part_width(t, r.count);
        const bool parts = op().op == opcode::mov && (r.count == 2 || r.count == 4) && width >= 8;
        if (!parts) fail_operand(r, "a scalar of type ." + std::string(name_of(t)));
        const type part = width == 8    ? type::b8
                          : width == 16 ? type::b16
                          : width == 32 ? type::b32
                                        : type::b64;
        place_vector(rule, r, part, r.count);
        return;
    }
    const bool address =
        r.what == raw_operand::form::value && !rule.written &&
        (r.value.kind == operand_kind::variable || r.value.kind == operand_kind::function);
    if (address) {
        if (t != type::none && (!is_integer_like(t) || width_of(t) < 32))
            fail_operand(r, "no address");
        c_.current().operands.push_back(r.value);
        return;
    }
    const bool untyped = t == type::none && r.what == raw_operand::form::value;  // isspacep
    place_value(rule, r,
                untyped                                       ? r.value.type
                : rule.written && op().op == opcode::isspacep ? type::pred
                                                              : t);
}

operand instruction_parser::resolved(const raw_operand& r) {
    if (r.what == raw_operand::form::name) fail_unresolved(r);
    if (r.what == raw_operand::form::value) return r.value;
    operand o;
    o.kind = operand_kind::immediate;
    o.type = r.literal.is_integer()                     ? type::s64
             : r.literal.what == constant::kind::single ? type::f32
                                                        : type::f64;
    o.value = r.literal.as_signed();
    return o;
}

operand instruction_parser::vector_of_any(const raw_operand& r, std::size_t level) {
    if (r.what == raw_operand::form::bracket) fail_operand(r, "a register or a vector");
    if (r.what != raw_operand::form::vector) return resolved(r);
    function& f = c_.current();
    operand o;
    o.kind = operand_kind::vector;
    o.index = static_cast<std::uint32_t>(f.elements.size());
    o.count = r.count;
    for (unsigned i = 0; i < r.count; ++i) {
        const raw_operand& element = raw_[level][r.first + i];
        const bool simple =
            element.what == raw_operand::form::value || element.what == raw_operand::form::literal;
        if (element.what == raw_operand::form::name) fail_unresolved(element);
        if (!simple) fail_operand(element, "a register or a constant");
        f.elements.push_back(resolved(element));
    }
    return o;
}

void instruction_parser::place_any(const raw_operand& r) {
    // A of tcgen05.mma: a descriptor, or an address of tensor memory.
    if (op().op == opcode::tcgen05_mma && r.what == raw_operand::form::bracket)
        return place_address(r);
    c_.current().operands.push_back(vector_of_any(r, 1));
}

void instruction_parser::place_generic() {
    function& f = c_.current();
    for (const auto& level : raw_) {
        for (const raw_operand& r : level) {
            const bool simple =
                r.what == raw_operand::form::value || r.what == raw_operand::form::literal;
            if (simple) f.operands.push_back(resolved(r));
        }
    }
}

}  // namespace simtlm::ptx
