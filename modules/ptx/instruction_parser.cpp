// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/instruction_parser.h"

#include "modules/ptx/operation_fault.h"

#include <algorithm>
#include <string>
#include <utility>

namespace simtlm::ptx {

namespace {

constexpr std::size_t max_operands = 250;
constexpr std::size_t longest_opcode = 250;

/// Converts x, y, z, w or r, g, b, a to 0 to 3; 4 for others.
unsigned component_of(std::string_view text) {
    if (text.size() != 1) return 4;
    const std::size_t position = std::string_view("xyzwrgba").find(text[0]);
    return position == std::string_view::npos ? 4 : static_cast<unsigned>(position % 4);
}

/// Parses special registers with a number: %pm3, %pm3_64, %envreg12.
bool numbered_special(std::string_view name, special_register& s, unsigned& number) {
    const bool is_pm = name.substr(0, 3) == "%pm";
    const bool is_env = name.substr(0, 7) == "%envreg";
    if (!is_pm && !is_env) return false;
    std::string_view digits = name.substr(is_pm ? 3 : 7);
    s = is_pm ? special_register::pm : special_register::envreg;
    if (is_pm && digits.size() > 3 && digits.substr(digits.size() - 3) == "_64") {
        s = special_register::pm64;
        digits.remove_suffix(3);
    }
    if (digits.empty() || digits.size() > 2) return false;
    number = 0;
    for (const char c : digits) {
        if (!scanner::is_digit(c)) return false;
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number < (is_pm ? 8U : 32U);
}

bool find_special(std::string_view name, special_register& s, unsigned& number) {
    for (unsigned i = 0; i <= static_cast<unsigned>(special_register::current_graph_exec); ++i) {
        s = static_cast<special_register>(i);
        if (name_of(s) == name) return true;
    }
    return numbered_special(name, s, number);
}

}  // namespace

void instruction_parser::read() {
    function& f = c_.current();
    instruction i;
    i.where = c_.in.here();
    i.location = c_.current_location;
    read_guard(i);
    read_opcode(i);
    if (op().op == opcode::call) {
        i.first_operand = static_cast<std::uint32_t>(f.operands.size());
        read_call(i);
    } else {
        read_operands();
        add_offsets(i);
        i.first_operand = static_cast<std::uint32_t>(f.operands.size());
        if (op().op == opcode::later) {
            place_generic();
        } else {
            place_operands(i);
        }
    }
    const std::size_t count = f.operands.size() - i.first_operand;
    if (count > max_operands) c_.in.fail(i.where, "too many operands");
    i.operand_count = static_cast<std::uint8_t>(count);
    if (op().op == opcode::call) check_call(i);
    f.code.push_back(i);
}

instruction_parser::progress instruction_parser::begin() const {
    const function& f = c_.out.functions[c_.current_function];
    return {f.code.size(), f.operands.size(), f.elements.size(), pending_.size()};
}

void instruction_parser::read_unknown(const progress& before) {
    function& f = c_.current();
    f.code.resize(before.code);
    f.operands.resize(before.operands);
    f.elements.resize(before.elements);
    pending_.resize(before.pending);
    instruction i;
    i.where = c_.in.here();
    i.location = c_.current_location;
    read_guard(i);
    operation o;
    const std::string_view name = c_.in.take_name();
    if (name.empty()) c_.in.fail_expected("an instruction");
    c_.in.take_opcode();
    o.text.assign(name.data(), static_cast<std::size_t>(c_.in.position() - name.data()));
    o.text.resize(std::min(o.text.size(), longest_opcode));
    while (c_.in.peek() != ';') {
        if (c_.in.peek() == '\0') c_.in.fail_expected("';'");
        c_.in.advance(1);
    }
    c_.in.advance(1);
    i.operation = static_cast<std::uint32_t>(c_.out.operations.size());
    c_.out.operations.push_back(std::move(o));
    i.first_operand = static_cast<std::uint32_t>(f.operands.size());
    f.code.push_back(i);
}

/// Implements `reg + constant` as an operand by an addition to a new register before the
/// instruction.
void instruction_parser::add_offsets(const instruction& user) {
    function& f = c_.current();
    for (raw_operand& r : raw_[0]) {
        if (r.what != raw_operand::form::value || r.value.kind != operand_kind::reg ||
            r.value.value == 0) {
            continue;
        }
        const bool wide = width_of(r.value.type) == 64;
        if (!wide && width_of(r.value.type) != 32)
            fail_operand(r, "an offset to 32 or 64 bits only");
        instruction add = user;
        add.operation = operation_index(wide ? "add.s64" : "add.s32", r.where);
        operation_ = &c_.out.operations[user.operation];
        add.first_operand = static_cast<std::uint32_t>(f.operands.size());
        add.operand_count = 3;
        add.result_count = 1;
        operand source = r.value;
        operand offset;
        offset.kind = operand_kind::immediate;
        offset.type = wide ? type::s64 : type::s32;
        offset.value = std::exchange(source.value, 0);
        r.value.value = 0;
        r.value.index = static_cast<std::uint32_t>(f.registers.size());
        f.registers.push_back(r.value.type);
        f.register_names.push_back({std::string(r.name) + "+", r.value.index, 1, 0, r.value.type});
        for (const operand& o : {r.value, source, offset}) f.operands.push_back(o);
        f.code.push_back(add);
    }
}

void instruction_parser::add_implied(std::string_view opcode_text) {
    function& f = c_.current();
    instruction i;
    i.where = c_.in.here();
    i.location = c_.current_location;
    i.operation = operation_index(opcode_text, i.where);
    i.first_operand = static_cast<std::uint32_t>(f.operands.size());
    f.code.push_back(i);
}

void instruction_parser::read_guard(instruction& i) {
    if (!c_.in.take('@')) return;
    i.guard_negated = c_.in.take('!');
    const place where = c_.in.here();
    const std::string_view name = c_.in.expect_name("a predicate register");
    const symbol* s = c_.symbols.find(name);
    if (s == nullptr) c_.fail_unknown(name, where);
    if (s->what != symbol::kind::reg || s->type != type::pred) {
        c_.in.fail(where, "'" + std::string(name) + "' guards an instruction",
                   "expected a register of type .pred");
    }
    i.guard = s->index;
}

void instruction_parser::read_opcode(instruction& i) {
    const place where = c_.in.here();
    const char* begin = c_.in.position();
    if (c_.in.take_name().empty()) c_.in.fail_expected("an instruction");
    c_.in.take_opcode();
    std::string_view text(begin, static_cast<std::size_t>(c_.in.position() - begin));
    if (c_.in.peek() != '.') {
        i.operation = operation_index(text, where);
    } else {  // blanks between the parts
        std::string joined(text);
        while (c_.in.peek() == '.') {
            c_.in.advance(1);
            joined += "." + std::string(c_.in.take_opcode());
        }
        operation o;
        parse_new_operation(o, joined, where);
        i.operation = static_cast<std::uint32_t>(c_.out.operations.size());
        c_.out.operations.push_back(std::move(o));
    }
    operation_ = &c_.out.operations[i.operation];
    where_ = where;
}

std::uint32_t instruction_parser::operation_index(std::string_view text, place where) {
    const auto known = operations_.find(text);
    if (known != operations_.end()) return known->second;
    operation o;
    parse_new_operation(o, text, where);
    const auto index = static_cast<std::uint32_t>(c_.out.operations.size());
    c_.out.operations.push_back(std::move(o));
    operations_.emplace(text, index);
    return index;
}

void instruction_parser::parse_new_operation(operation& o, std::string_view text, place where) {
    if (text.size() > longest_opcode) c_.in.fail(where, "unknown instruction");
    std::string fault;
    if (!resolve_operation(text, o, fault)) {
        const std::size_t open = fault.find(" (form: ");
        if (open == std::string::npos) c_.in.fail(where, fault);
        c_.in.fail(where, fault.substr(0, open), fault.substr(open + 2, fault.size() - open - 3));
    }
    const operation_fault found = fault_of(o, c_.version());
    if (!found.what.empty()) c_.in.fail(where, "'" + o.text + "' " + found.what, found.expected);
}

void instruction_parser::read_operands() {
    for (auto& level : raw_) level.clear();
    if (c_.in.take(';')) return;
    for (;;) {
        read_operand(0, false);
        if (c_.in.peek() == '|') {
            c_.in.advance(1);
            read_operand(0, false);
            raw_[0].back().joined = true;
        }
        if (c_.in.take(';')) return;
        if (raw_[0].size() > max_operands) c_.in.fail(c_.in.here(), "too many operands");
        if (!c_.in.take(',')) c_.in.fail_expected("',' or ';'");
    }
}

void instruction_parser::read_list(std::size_t level, raw_operand& r, char close) {
    if (level + 1 >= levels) c_.in.fail(r.where, "an operand is nested too deeply");
    c_.in.advance(1);
    r.first = static_cast<std::uint32_t>(raw_[level + 1].size());
    if (c_.in.take(close)) return;
    do {
        read_operand(level + 1, close == ']');
        if (raw_[level + 1].size() > 4096) c_.in.fail(r.where, "an operand is too long");
    } while (c_.in.take(','));
    c_.in.expect(close);
    r.count = static_cast<std::uint32_t>(raw_[level + 1].size()) - r.first;
}

void instruction_parser::read_operand(std::size_t level, bool in_bracket) {
    raw_operand r;
    r.where = c_.in.here();
    char c = c_.in.next();
    if (c == '{' || c == '[') {
        r.what = c == '{' ? raw_operand::form::vector : raw_operand::form::bracket;
        read_list(level, r, c == '{' ? '}' : ']');
        if (c == '[' && c_.in.next() == '.') read_unified();
    } else {
        const bool sign = (c == '!' || c == '-') && scanner::starts_name(c_.in.after_next());
        if (sign) {
            c_.in.advance(1);
            c = c_.in.next();
        }
        if (scanner::starts_name(c)) {
            read_named(r, level, in_bracket);
        } else {
            r.what = raw_operand::form::literal;
            r.literal = read_constant(c_.in);
        }
        r.value.negated = sign;
        if (sign && r.what == raw_operand::form::literal) {
            r.literal.bits = 0 - r.literal.bits;  // -WARP_SZ
            r.value.negated = false;
        }
    }
    raw_[level].push_back(r);
}

/// Parses `[a].unified`, a property of the address without effect here.
void instruction_parser::read_unified() {
    const place where = c_.in.here();
    const std::string_view word = c_.in.take_directive();
    if (word != "unified") c_.in.fail(where, "'." + std::string(word) + "' after an address");
}

void instruction_parser::read_named(raw_operand& r, std::size_t level, bool in_bracket) {
    const std::string_view name = c_.in.take_name();
    if (name == "_") {
        r.value.kind = operand_kind::sink;
        return;
    }
    const symbol* s = c_.symbols.find(name);
    if (s != nullptr) {
        r.name = name;
        read_symbol(r, *s, level, in_bracket);
    } else if (name[0] == '%' && read_special(r, name)) {
        return;
    } else if (name == "WARP_SZ") {
        r.what = raw_operand::form::literal;
        r.literal.bits = 32;
    } else {
        r.what = raw_operand::form::name;
        r.name = name;
    }
}

void instruction_parser::read_symbol(raw_operand& r, const symbol& s, std::size_t level,
                                     bool in_bracket) {
    r.value.index = s.index;
    switch (s.what) {
        case symbol::kind::reg:
            read_register(r, s, level);
            if (in_bracket || r.value.type != type::pred) read_offset(r);
            return;
        case symbol::kind::variable:
            r.value.kind = operand_kind::variable;
            if (c_.in.peek() == '[') read_index(r);
            read_offset(r);
            return;
        case symbol::kind::function:
            r.value.kind = operand_kind::function;
            return;
        case symbol::kind::branch_targets:
            r.value.kind = operand_kind::branch_targets;
            return;
        case symbol::kind::call_targets:
            r.value.kind = operand_kind::call_targets;
            return;
        case symbol::kind::prototype:
            r.value.kind = operand_kind::prototype;
            return;
        case symbol::kind::label:
            r.what = raw_operand::form::name;
            return;
    }
}

void instruction_parser::read_register(raw_operand& r, const symbol& s, std::size_t level) {
    r.value.kind = operand_kind::reg;
    r.value.type = s.type;
    if (c_.in.next() == '.') {
        const char* before = c_.in.position();
        const std::string_view suffix = c_.in.take_directive();
        const unsigned component = component_of(suffix);
        if (s.vector > 1 && component < s.vector) {
            r.value.index += component;
            return;
        }
        c_.in.back_to(before);
        read_selector(r.value);
        return;
    }
    if (s.vector == 1) return;
    if (level + 1 >= levels) c_.in.fail(r.where, "an operand is nested too deeply");
    r.what = raw_operand::form::vector;
    r.first = static_cast<std::uint32_t>(raw_[level + 1].size());
    r.count = s.vector;
    for (unsigned i = 0; i < s.vector; ++i) {
        raw_operand element;
        element.where = r.where;
        element.name = r.name;
        element.value = r.value;
        element.value.index += i;
        raw_[level + 1].push_back(element);
    }
}

void instruction_parser::read_selector(operand& o) {
    const place where = c_.in.here();
    const std::string_view text = c_.in.take_directive();
    const bool bytes = !text.empty() && text[0] == 'b';
    const bool valid = text.size() >= 2 && text.size() <= 5 && (bytes || text[0] == 'h');
    o.select.unit = bytes ? 8 : 16;
    o.select.count = static_cast<std::uint8_t>(text.size() - 1);
    for (std::size_t i = 1; valid && i < text.size(); ++i) {
        const unsigned lane = static_cast<unsigned char>(text[i]) - static_cast<unsigned>('0');
        if (lane > 7)
            c_.in.fail(where, "'." + std::string(text) + "' selects no byte or half-word");
        o.select.lanes[text.size() - 1 - i] = static_cast<std::uint8_t>(lane);
    }
    if (!valid) {
        c_.in.fail(where, "'." + std::string(text) + "' after a register",
                   "expected a component of a vector or a selector such as .b0 or .h1");
    }
}

void instruction_parser::read_offset(raw_operand& r) {
    const char c = c_.in.peek();
    if (c != '+' && c != '-') return;
    c_.in.advance(1);
    const place where = c_.in.here();
    const constant offset = read_constant(c_.in);
    if (!offset.is_integer()) c_.in.fail(where, "an offset is not an integer");
    const std::uint64_t signed_bits = c == '-' ? 0 - offset.bits : offset.bits;
    r.value.value =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(r.value.value) + signed_bits);
}

void instruction_parser::read_index(raw_operand& r) {
    c_.in.expect('[');
    const place where = c_.in.here();
    const constant index = read_constant(c_.in);
    if (!index.is_integer()) c_.in.fail(where, "an index is not an integer");
    c_.in.expect(']');
    const variable& v = c_.out.variables[r.value.index];
    std::uint64_t step = std::uint64_t{bytes_of(v.type)} * v.vector;
    for (std::size_t i = 1; i < v.dimensions.size(); ++i) step *= v.dimensions[i];
    r.value.value = static_cast<std::int64_t>(index.bits * step);
    r.indexed = true;
}

bool instruction_parser::read_special(raw_operand& r, std::string_view name) {
    special_register s{};
    unsigned number = 0;
    if (!find_special(name, s, number)) return false;
    r.value.kind = operand_kind::special;
    r.value.type = type_of(s);
    r.value.index = static_cast<std::uint32_t>(s);
    r.value.count = number;
    if (!has_components(s)) return true;
    if (c_.in.next() != '.') {
        r.value.count = 4;  // all components
        return true;
    }
    const place where = c_.in.here();
    r.value.count = component_of(c_.in.take_directive());
    if (r.value.count > 3) c_.in.fail(where, "unknown component", "expected .x .y .z or .w");
    return true;
}

/// Parses the results or the arguments of a call, if there are any.
operand instruction_parser::read_call_list() {
    for (auto& level : raw_) level.clear();
    operand list;
    list.kind = operand_kind::vector;
    if (c_.in.take('(') && !c_.in.take(')')) {
        do {
            read_operand(0, false);
        } while (c_.in.take(','));
        c_.in.expect(')');
    }
    function& f = c_.current();
    std::vector<operand> elements;
    const auto add = [&](const raw_operand& r) {
        const bool simple =
            r.what == raw_operand::form::value || r.what == raw_operand::form::literal;
        if (!simple) fail_operand(r, "a .param variable, a register or a constant");
        elements.push_back(resolved(r));
    };
    for (const raw_operand& r : raw_[0]) {
        if (r.what == raw_operand::form::vector) {  // each element of a .v2 or .v4 register
            for (unsigned i = 0; i < r.count; ++i) add(raw_[1][r.first + i]);
        } else {
            add(r);
        }
    }
    list.count = static_cast<std::uint32_t>(elements.size());
    list.index = static_cast<std::uint32_t>(f.elements.size());
    f.elements.insert(f.elements.end(), elements.begin(), elements.end());
    add_shared_registers(list);
    return list;
}

/// Registers at module scope are passed with every call.
void instruction_parser::add_shared_registers(operand& list) {
    function& f = c_.current();
    for (const std::uint32_t r : c_.shared_registers) {
        operand o;
        o.kind = operand_kind::reg;
        o.type = f.registers[r];
        o.index = r;
        f.elements.push_back(o);
    }
    list.count += static_cast<std::uint32_t>(c_.shared_registers.size());
}

operand instruction_parser::read_call_target() {
    for (auto& level : raw_) level.clear();
    read_operand(0, false);
    const raw_operand& r = raw_[0].back();
    if (r.what == raw_operand::form::name) c_.fail_unknown(r.name, r.where);
    const bool callable =
        r.what == raw_operand::form::value &&
        (r.value.kind == operand_kind::function || r.value.kind == operand_kind::reg);
    if (!callable) fail_operand(r, "a function, or a register with the address of one");
    return r.value;
}

operand instruction_parser::read_call_table() {
    for (auto& level : raw_) level.clear();
    read_operand(0, false);
    const raw_operand& r = raw_[0].back();
    if (r.what == raw_operand::form::name) c_.fail_unknown(r.name, r.where);
    const bool table = r.value.kind == operand_kind::prototype ||
                       r.value.kind == operand_kind::call_targets ||
                       (r.value.kind == operand_kind::variable);
    if (r.what != raw_operand::form::value || !table) {
        fail_operand(r, "a .callprototype or .calltargets");
    }
    return r.value;
}

void instruction_parser::read_call(instruction& i) {
    const bool has_results = c_.in.peek() == '(';
    const operand results = read_call_list();
    if (has_results) c_.in.expect(',');
    const operand target = read_call_target();
    const bool more = c_.in.take(',');
    const bool has_arguments = more && c_.in.peek() == '(';
    const operand arguments = read_call_list();
    operand table;
    if (has_arguments ? c_.in.take(',') : more) table = read_call_table();
    c_.in.expect(';');
    function& f = c_.current();
    for (const operand& o : {results, target, arguments, table}) f.operands.push_back(o);
    i.result_count = 1;
}

void instruction_parser::check_call(const instruction& i) {
    const function& f = c_.current();
    const operand& target = f.operand_of(i, 1);
    const operand& table = f.operand_of(i, 3);
    if (target.kind == operand_kind::function) {
        check_call_of(i, target.index);
    } else if (table.kind == operand_kind::prototype) {
        const prototype& p = f.prototypes[table.index];
        check_passed(i, 0, p.results, p.name);
        check_passed(i, 2, p.parameters, p.name);
    } else if (table.kind == operand_kind::call_targets) {
        for (const std::uint32_t callee : f.call_targets[table.index].functions)
            check_call_of(i, callee);
    } else {
        bool any = false;
        if (table.kind == operand_kind::variable)
            for (const relocation& r : c_.out.variables[table.index].data.relocations) {
                if (!r.function) continue;
                check_call_of(i, r.symbol);
                any = true;
            }
        if (!any)
            c_.in.fail(i.where, "a call through a register without the possible functions",
                       "name a .callprototype, a .calltargets, or a variable that holds them");
    }
}

void instruction_parser::check_call_of(const instruction& i, std::uint32_t index) {
    const function& callee = c_.out.functions[index];
    if (callee.entry) c_.in.fail(i.where, "'" + callee.name + "' is an entry", "call a .func");
    check_passed(i, 0, c_.out.items_of(callee, callee.results), callee.name);
    check_passed(i, 2, c_.out.items_of(callee, callee.parameters), callee.name);
}

/// Compares the number and the sizes of the results (operand 0) or arguments (operand 2) of a call
/// with a signature.
void instruction_parser::check_passed(const instruction& i, unsigned place,
                                      const std::vector<prototype::item>& formal,
                                      const std::string& callee) {
    const function& f = c_.current();
    const operand& given = f.operand_of(i, place);
    const std::string what = place == 0 ? "result" : "argument";
    const bool variadic = !formal.empty() && formal.back().array && formal.back().size == 0;
    if (given.count != formal.size() && !(variadic && given.count + 1 == formal.size()))
        c_.in.fail(
            i.where,
            "a call of '" + callee + "' with " + std::to_string(given.count) + " " + what + "s",
            "expected " + std::to_string(formal.size()));
    for (unsigned n = 0; n < given.count; ++n)
        if (!fits_formal(f.element_of(given, n), formal[n]))
            c_.in.fail(i.where, what + " " + std::to_string(n + 1) + " of the call of '" + callee +
                                    "' has another size than the parameter");
}

/// Whether a value can be passed as a parameter or result.
bool instruction_parser::fits_formal(const operand& o, const prototype::item& formal) const {
    if (o.kind == operand_kind::reg) return formal.array || bytes_of(o.type) == formal.size;
    if (o.kind != operand_kind::variable) return true;
    const variable& actual = c_.out.variables[o.index];
    const bool unsized = formal.array && formal.size == 0;
    return actual.space == state_space::param && (unsized || actual.size == formal.size);
}

void instruction_parser::close_scope(bool outermost) {
    const std::size_t begin = pending_begin_.back();
    pending_begin_.pop_back();
    function& f = c_.current();
    std::size_t kept = begin;
    for (std::size_t i = begin; i < pending_.size(); ++i) {
        const pending_name& p = pending_[i];
        const symbol* s = c_.symbols.find_here(p.name);
        const bool label = s != nullptr && s->what == symbol::kind::label;
        const bool list = s != nullptr && s->what == symbol::kind::branch_targets;
        if (p.what == pending_name::kind::branch_target && label) {
            f.branch_targets[p.index].targets[p.element] = s->index;
        } else if (p.what == pending_name::kind::operand && (label || list)) {
            operand& o = f.operands[p.index];
            if (list != (o.kind == operand_kind::branch_targets)) {
                c_.in.fail(p.where, "'" + std::string(p.name) + "' is of another kind",
                           list ? "expected a label" : "expected .branchtargets");
            }
            o.index = s->index;
        } else if (outermost) {
            c_.in.fail(p.where, "there is no label '" +
                                    std::string(p.name.substr(0, longest_shown_name)) + "' here");
        } else {
            pending_[kept++] = p;
        }
    }
    pending_.resize(kept);
}

}  // namespace simtlm::ptx
