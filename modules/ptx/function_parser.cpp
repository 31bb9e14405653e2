// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/function_parser.h"

#include "modules/support/error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace simtlm::ptx {

namespace {

constexpr std::uint64_t largest_directive = 0x7fffffff;
constexpr unsigned deepest_block = 200;
constexpr unsigned version_with_parameter_lists = 14;  // PTX ISA 1.4
/// Of the PTX whose instructions are all known: sm_90, ISA 9.0.
constexpr unsigned newest_architecture = 90, newest_version = 90;

/// Saves and restores the context's state of the current function.
class function_scope {
public:
    function_scope(parse_context& c, std::uint32_t index) : c_(c) {
        c_.current_function = index;
        c_.current_location = no_index;
        c_.symbols.open_scope();
    }
    ~function_scope() {
        c_.symbols.close_scope();
        c_.current_function = no_index;
    }
    function_scope(const function_scope&) = delete;
    function_scope& operator=(const function_scope&) = delete;

private:
    parse_context& c_;
};

}  // namespace

std::string_view function_parser::name_ahead() {
    const scanner here = c_.in;
    if (c_.in.peek() == '(') c_.in.skip_parentheses();
    const std::string_view name = c_.in.expect_name("the name of a function");
    c_.in = here;
    return name;
}

void function_parser::read(bool entry, linkage link) {
    const place where = c_.in.here();
    const std::string_view name = name_ahead();
    const symbol* present = c_.symbols.find_here(name);
    if (present != nullptr && present->what != symbol::kind::function) {
        c_.in.fail(where, "'" + std::string(name) + "' is a variable already");
    }
    if (present != nullptr) {
        read_again(present->index, entry, link);
        return;
    }
    symbol s;
    s.what = symbol::kind::function;
    s.index = static_cast<std::uint32_t>(c_.out.functions.size());
    c_.symbols.declare(name, s);
    function f;
    f.name = name;
    f.entry = entry;
    f.link = link;
    c_.out.functions.push_back(std::move(f));
    const function_scope scope(c_, s.index);
    read_declared(c_.current());
}

void function_parser::read_again(std::uint32_t present, bool entry, linkage link) {
    // Parses it as a separate function, and then replaces the declaration by the definition.
    const std::size_t variables = c_.out.variables.size();
    const auto draft = static_cast<std::uint32_t>(c_.out.functions.size());
    function f;
    f.name = c_.out.functions[present].name;
    f.entry = entry;
    f.link = link;
    f.where = c_.in.here();
    c_.out.functions.push_back(std::move(f));
    {
        const function_scope scope(c_, draft);
        read_declared(c_.current());
    }
    function next = std::move(c_.out.functions.back());
    c_.out.functions.pop_back();
    function& before = c_.out.functions[present];
    if (next.defined && before.defined && next.link != linkage::weak &&
        before.link != linkage::weak) {
        c_.in.fail(next.where, "'" + next.name + "' is defined twice");
    }
    const bool differs = next.parameters.size() != before.parameters.size() ||
                         next.results.size() != before.results.size();
    if (differs && !(before.entry && before.parameters.empty())) {
        c_.in.fail(next.where, "'" + next.name + "' has other parameters than its declaration");
    }
    if (before.defined || !next.defined) {
        c_.out.variables.resize(variables);
        return;
    }
    for (std::size_t i = variables; i < c_.out.variables.size(); ++i) {
        if (c_.out.variables[i].owner == draft) c_.out.variables[i].owner = present;
    }
    before = std::move(next);
}

void function_parser::read_declared(function& f) {
    declarations_.add_module_registers();
    read_signature(f);
    read_directives();
    if (c_.in.take(';')) return;
    // Early compilers end declarations without a semicolon.
    if (!f.entry && c_.in.peek() != '{') return;
    f.defined = true;
    read_body();
}

void function_parser::read_signature(function& f) {
    if (c_.in.peek() == '(') f.results = declarations_.read_parameters();
    f.where = c_.in.here();
    c_.in.take_name();
    if (c_.in.peek() == '(') f.parameters = declarations_.read_parameters();
    if (f.entry) return;
    f.variadic = !f.parameters.empty() && !f.parameters.back().in_register &&
                 c_.out.variables[f.parameters.back().index].unsized;
    for (const std::uint32_t r : c_.shared_registers) {
        f.parameters.push_back({true, r});
        f.results.push_back({true, r});
    }
}

void function_parser::read_three(std::array<std::uint32_t, 3>& values) {
    values = {1, 1, 1};
    for (std::uint32_t& value : values) {
        value = static_cast<std::uint32_t>(c_.in.expect_count("a number", largest_directive));
        if (!c_.in.take(',')) return;
    }
    c_.in.fail_expected("at most three numbers");
}

bool function_parser::read_directive(std::string_view word, function& f) {
    performance_directives& d = f.directives;
    const auto count = [&] {
        return static_cast<std::uint32_t>(c_.in.expect_count("a number", largest_directive));
    };
    if (word == "maxntid") {
        read_three(d.maxntid);
    } else if (word == "reqntid") {
        read_three(d.reqntid);
    } else if (word == "reqnctapercluster") {
        read_three(d.reqnctapercluster);
    } else if (word == "minnctapersm") {
        d.minnctapersm = count();
    } else if (word == "maxnctapersm") {
        d.maxnctapersm = count();
    } else if (word == "maxnreg") {
        d.maxnreg = count();
    } else if (word == "maxclusterrank") {
        d.maxclusterrank = count();
    } else if (word == "explicitcluster") {
        d.explicitcluster = true;
    } else if (word == "blocksareclusters") {
        d.blocksareclusters = true;
    } else if (word == "noreturn") {
        f.noreturn = true;
    } else if (word == "pragma") {
        f.pragmas.emplace_back(c_.in.expect_string());
        c_.in.expect(';');
    } else if (word == "abi_preserve" || word == "abi_preserve_control") {
        count();
    } else {
        return false;
    }
    return true;
}

void function_parser::read_directives() {
    while (c_.in.peek() == '.') {
        const place where = c_.in.here();
        const char* const before = c_.in.position();
        const std::string_view word = c_.in.take_directive();
        if (read_directive(word, c_.current())) continue;
        if (c_.current().entry)
            c_.in.fail(where, "'." + std::string(word) + "' after a function's parameters",
                       "expected '{', ';', or a directive such as .maxntid");
        c_.in.back_to(before);
        return;
    }
}

void function_parser::read_body() {
    instructions_.open_scope();
    c_.symbols.open_scope();
    c_.in.expect('{');
    for (unsigned depth = 1; depth > 0;) {
        const char c = c_.in.peek();
        if (c == '\0') c_.in.fail_expected("'}' at the end of '" + c_.current().name + "'");
        if (c == '{') {
            if (++depth > deepest_block) c_.in.fail(c_.in.here(), "blocks are nested too deeply");
            c_.in.advance(1);
            c_.symbols.open_scope();
            instructions_.open_scope();
        } else if (c == '}') {
            c_.in.advance(1);
            --depth;
            if (depth == 0) finish_body();
            instructions_.close_scope(depth == 0);
            c_.symbols.close_scope();
        } else {
            read_statement();
        }
    }
}

bool function_parser::falls_off_the_end() const {
    const function& f = c_.out.functions[c_.current_function];
    if (f.code.empty()) return true;
    const auto end = static_cast<std::uint32_t>(f.code.size());
    if (!f.labels.empty() && f.labels.back().instruction == end) return true;
    const instruction& last = f.code.back();
    if (last.guard != no_index) return true;
    switch (c_.out.operation_of(last).op) {
        case opcode::ret:
        case opcode::exit:
        case opcode::bra:
        case opcode::brx_idx:
            return false;
        default:
            return true;
    }
}

void function_parser::finish_body() {
    if (falls_off_the_end()) instructions_.add_implied("ret");
    if (c_.current().entry && c_.version() < version_with_parameter_lists) convert_old_parameters();
}

/// Before PTX 1.4 an entry declares its parameters in its body.
void function_parser::convert_old_parameters() {
    function& f = c_.current();
    if (!f.parameters.empty()) return;
    for (const std::uint32_t index : f.variables) {
        variable& v = c_.out.variables[index];
        if (v.space != state_space::param) continue;
        v.parameter = true;
        f.parameters.push_back({false, index});
    }
}

void function_parser::read_statement() {
    switch (c_.in.peek()) {
        case '.':
            read_body_directive();
            return;
        case ';':
            c_.in.advance(1);
            return;
        case '@':
            c_.in.advance(1);
            if (c_.in.next() == '@') {  // @@DWARF
                c_.in.skip_line();
                return;
            }
            c_.in.back_to(c_.in.position() - 1);
            read_instruction();
            return;
        default:
            read_named_statement();
            return;
    }
}

/// PTX for architectures after those whose instructions are all known is rejected only when it
/// executes an unknown one.
void function_parser::read_instruction() {
    const bool is_known =
        c_.out.architecture <= newest_architecture && c_.version() <= newest_version;
    if (is_known) return instructions_.read();
    const scanner before = c_.in;
    const instruction_parser::progress progress = instructions_.begin();
    try {
        instructions_.read();
    } catch (const support::user_error&) {
        c_.in = before;
        instructions_.read_unknown(progress);
    }
}

void function_parser::read_body_directive() {
    const place where = c_.in.here();
    const std::string_view word = c_.in.take_directive();
    state_space space{};
    if (word == "loc") {
        locations_.read_location();
    } else if (word == "reg") {
        declarations_.read_registers();
    } else if (declaration_parser::is_space(word, space)) {
        declarations_.read_variables(space, linkage::internal);
    } else if (word == "pragma") {
        c_.current().pragmas.emplace_back(c_.in.expect_string());
        c_.in.expect(';');
    } else if (word == "file") {
        locations_.read_file();
    } else if (word == "section") {
        c_.in.take_directive();
        c_.in.skip_braces();
    } else if (word == "extern") {
        const std::string_view next = c_.in.take_directive();
        if (!declaration_parser::is_space(next, space)) c_.in.fail_expected("a state space");
        declarations_.read_variables(space, linkage::external);
    } else {
        c_.in.fail(where, "'." + std::string(word) + "' in a function",
                   "expected a declaration such as .reg, or an instruction");
    }
}

void function_parser::read_named_statement() {
    const scanner before = c_.in;
    const place where = c_.in.here();
    const std::string_view name = c_.in.take_name();
    if (name.empty()) c_.in.fail_expected("an instruction, a label or a directive");
    if (c_.in.next() == '.' || c_.in.peek() != ':') {
        c_.in = before;
        read_instruction();
        return;
    }
    c_.in.advance(1);
    if (c_.in.peek() == '.' && scanner::starts_name(c_.in.after_next())) {
        const scanner directive = c_.in;
        const place table = c_.in.here();
        const std::string_view word = c_.in.take_directive();
        if (word == "branchtargets" || word == "calltargets" || word == "callprototype") {
            read_table(name, word, table);
            return;
        }
        c_.in = directive;
    }
    read_label(name, where);
}

void function_parser::read_label(std::string_view name, place where) {
    function& f = c_.current();
    symbol s;
    s.what = symbol::kind::label;
    s.index = static_cast<std::uint32_t>(f.code.size());
    if (!c_.symbols.declare(name, s)) {
        c_.in.fail(where, "'" + std::string(name) + "' is declared twice");
    }
    f.labels.push_back({std::string(name), s.index});
}

void function_parser::declare_table(std::string_view name, symbol::kind what, std::size_t index,
                                    place where) {
    symbol s;
    s.what = what;
    s.index = static_cast<std::uint32_t>(index);
    if (!c_.symbols.declare(name, s)) {
        c_.in.fail(where, "'" + std::string(name) + "' is declared twice");
    }
}

void function_parser::read_table(std::string_view name, std::string_view word, place where) {
    const function& f = c_.current();
    if (word == "callprototype") {
        read_prototype(name);
        declare_table(name, symbol::kind::prototype, f.prototypes.size() - 1, where);
    } else if (word == "branchtargets") {
        declare_table(name, symbol::kind::branch_targets, f.branch_targets.size(), where);
        read_branch_targets(name);
    } else {
        declare_table(name, symbol::kind::call_targets, f.call_targets.size(), where);
        read_call_targets(name);
    }
    c_.in.expect(';');
}

void function_parser::read_prototype(std::string_view name) {
    prototype p;
    p.name = name;
    if (c_.in.peek() == '(') p.results = declarations_.read_prototype_items();
    c_.in.expect_name("'_'");
    if (c_.in.peek() == '(') p.parameters = declarations_.read_prototype_items();
    while (c_.in.peek() == '.') {
        const std::string_view word = c_.in.take_directive();
        if (word.empty()) c_.in.fail_expected("';' or .noreturn");
        if (word == "noreturn") {
            p.noreturn = true;
        } else if (scanner::is_digit(c_.in.peek())) {  // .abi_preserve 8
            c_.in.expect_count("a number", largest_directive);
        }
    }
    for (const std::uint32_t r : c_.shared_registers) {
        const type t = c_.current().registers[r];
        const prototype::item i{t, true, false, bytes_of(t), bytes_of(t)};
        p.parameters.push_back(i);
        p.results.push_back(i);
    }
    c_.current().prototypes.push_back(std::move(p));
}

void function_parser::read_branch_targets(std::string_view name) {
    function& f = c_.current();
    branch_target_list list;
    list.name = name;
    do {
        instruction_parser::pending_name p;
        p.what = instruction_parser::pending_name::kind::branch_target;
        p.index = static_cast<std::uint32_t>(f.branch_targets.size());
        p.element = static_cast<std::uint32_t>(list.targets.size());
        p.where = c_.in.here();
        p.name = c_.in.expect_name("a label");
        instructions_.add_pending(p);
        list.targets.push_back(no_index);
    } while (c_.in.take(','));
    f.branch_targets.push_back(std::move(list));
}

void function_parser::read_call_targets(std::string_view name) {
    call_target_list list;
    list.name = name;
    do {
        const place where = c_.in.here();
        const std::string_view callee = c_.in.expect_name("the name of a function");
        const symbol* s = c_.symbols.find(callee);
        if (s == nullptr) c_.fail_unknown(callee, where);
        if (s->what != symbol::kind::function) {
            c_.in.fail(where, "'" + std::string(callee) + "' in .calltargets",
                       "expected a function");
        }
        list.functions.push_back(s->index);
    } while (c_.in.take(','));
    c_.current().call_targets.push_back(std::move(list));
}

}  // namespace simtlm::ptx
