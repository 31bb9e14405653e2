// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/signature.h"

#include "modules/support/nearest_name.h"

#include <algorithm>
#include <stdexcept>

namespace simtlm::ptx {

namespace {

/// Consumes the part before the next separator.
std::string_view take_part(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

[[noreturn]] void bad_table(std::string_view what) {
    throw std::logic_error("signature table: " + std::string(what));
}

const word* known_word(std::string_view group, std::string_view text) {
    const word* found = find_word(group, text);
    if (found == nullptr) bad_table(text);
    return found;
}

signature::modifier_group read_modifier_group(std::string_view text) {
    signature::modifier_group modifier_group;
    if (text.front() == '?') {
        modifier_group.optional = true;
        text.remove_prefix(1);
    }
    std::string_view group;
    if (text.front() == '$') {
        const std::size_t colon = text.find(':');
        group = text.substr(1, colon == std::string_view::npos ? colon : colon - 1);
        text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
        if (text.empty()) modifier_group.choices = words_of(group);
    }
    while (!text.empty()) modifier_group.choices.push_back(known_word(group, take_part(text, '|')));
    if (modifier_group.choices.empty()) bad_table(group);
    modifier_group.types = modifier_group.choices.front()->goes_to == word::field::type;
    return modifier_group;
}

std::vector<signature::modifier_group> read_modifier_groups(std::string_view text) {
    std::vector<signature::modifier_group> modifier_groups;
    while (!text.empty()) modifier_groups.push_back(read_modifier_group(take_part(text, '.')));
    return modifier_groups;
}

bool read_prefix(std::string_view& text, operand_rule& rule) {
    switch (text.front()) {
        case '=':
            rule.written = true;
            break;
        case '?':
            rule.optional = true;
            break;
        case '!':
            rule.may_negate = true;
            break;
        case '-':
            rule.may_minus = true;
            break;
        case '&':
            rule.combines = true;
            break;
        case '|':
            rule.joined = rule.optional = true;
            break;
        case '~':
            rule.relaxed = true;
            break;
        case '*':
            rule.per_vector = true;
            break;
        case '^':
            rule.may_select = true;
            break;
        case '{':
            if (text[1] == '}') {
                rule.fragment = operand_rule::matrix::loaded;
            } else {
                rule.elements = static_cast<std::uint8_t>(text[1] - '0');
            }
            text.remove_prefix(text.find('}'));
            break;
        default:
            return false;
    }
    text.remove_prefix(1);
    return true;
}

struct form_name {
    std::string_view text;
    operand_rule::form what;
};
constexpr form_name forms[] = {
    {"imm", operand_rule::form::immediate},   {"label", operand_rule::form::label},
    {"targets", operand_rule::form::targets}, {"[]", operand_rule::form::address},
    {"[t]", operand_rule::form::texture},     {"[s]", operand_rule::form::surface},
    {"mov", operand_rule::form::mov},         {"vec", operand_rule::form::offsets},
    {"policy", operand_rule::form::policy},   {"none", operand_rule::form::absent},
    {"any", operand_rule::form::any},
};

struct source_name {
    char letter;
    operand_rule::source from;
};
constexpr source_name sources[] = {{'T', operand_rule::source::first},
                                   {'U', operand_rule::source::second},
                                   {'V', operand_rule::source::third},
                                   {'X', operand_rule::source::fourth},
                                   {'W', operand_rule::source::doubled}};

operand_rule::matrix fragment_of(char letter) {
    switch (letter) {
        case 'd':
            return operand_rule::matrix::d;
        case 'a':
            return operand_rule::matrix::a;
        case 'b':
            return operand_rule::matrix::b;
        default:
            return operand_rule::matrix::c;
    }
}

operand_rule read_rule(std::string_view text) {
    operand_rule rule;
    while (text.size() > 1 && read_prefix(text, rule)) {
    }
    for (const form_name& form : forms) {
        if (form.text == text) {
            rule.what = form.what;
            return rule;
        }
    }
    for (const source_name& source : sources) {
        if (text.size() == 1 && source.letter == text[0]) {
            rule.from = source.from;
            return rule;
        }
    }
    if (rule.fragment == operand_rule::matrix::loaded && text.size() == 1) {
        rule.fragment = fragment_of(text[0]);
        return rule;
    }
    rule.of = static_cast<type>(known_word("", text)->value);
    return rule;
}

std::vector<operand_rule> read_rules(std::string_view text) {
    std::vector<operand_rule> rules;
    while (!text.empty()) rules.push_back(read_rule(take_part(text, ' ')));
    return rules;
}

std::vector<signature> read_table() {
    std::vector<signature> all;
    const signature_rows rows = signature_table();
    for (const signature_row* row = rows.begin; row != rows.end; ++row) {
        signature s;
        s.row = row;
        std::string_view name = name_of(row->op);
        s.base = take_part(name, '.');
        s.modifier_groups = read_modifier_groups(row->modifiers);
        s.rules = read_rules(row->operands);
        all.push_back(std::move(s));
    }
    return all;
}

void set_shape(operation& o, std::string_view text) {
    std::uint16_t* parts[] = {&o.shape.m, &o.shape.n, &o.shape.k};
    std::size_t part = 0;
    for (const char c : text.substr(1)) {
        if (c >= '0' && c <= '9') {
            *parts[part] = static_cast<std::uint16_t>(*parts[part] * 10 + (c - '0'));
        } else {
            ++part;
        }
    }
}

void apply_space(operation& o, const word& w) {
    o.space = static_cast<state_space>(w.value);
    o.window = static_cast<space_window>(w.extra);
}

void apply(operation& o, const word& w) {
    using f = word::field;
    switch (w.goes_to) {
        case f::nothing:
            break;
        case f::type:
            o.types[o.type_count++] = static_cast<type>(w.value);
            break;
        case f::flag:
            o.flags |= std::uint64_t{1} << w.value;
            break;
        case f::round:
            o.round = static_cast<rounding>(w.value);
            break;
        case f::compare:
            o.compare = static_cast<comparison>(w.value);
            break;
        case f::part:
            o.part = static_cast<product>(w.value);
            break;
        case f::reduce:
            o.reduce = static_cast<reduction>(w.value);
            break;
        case f::space:
            apply_space(o, w);
            break;
        case f::source_space:
            o.source_space = static_cast<state_space>(w.value);
            break;
        case f::cache:
            o.cache = static_cast<cache_operator>(w.value);
            break;
        case f::evict_l1:
            o.evict_l1 = static_cast<eviction>(w.value);
            break;
        case f::evict_l2:
            o.evict_l2 = static_cast<eviction>(w.value);
            break;
        case f::order:
            o.order = static_cast<semantics>(w.value);
            break;
        case f::visible_to:
            o.visible_to = static_cast<scope>(w.value);
            break;
        case f::vector:
            o.vector = w.value;
            break;
        case f::variant:
            o.variant = static_cast<mode>(w.value);
            break;
        case f::texture:
            o.texture = static_cast<geometry>(w.value);
            break;
        case f::surface_bounds:
            o.surface_bounds = static_cast<bounds>(w.value);
            break;
        case f::part_of:
            o.part_of = static_cast<fragment>(w.value);
            break;
        case f::layout_a:
            o.layout_a = static_cast<layout>(w.value);
            break;
        case f::layout_b:
            o.layout_b = static_cast<layout>(w.value);
            break;
        case f::shape:
            set_shape(o, w.text);
            break;
        case f::count:
            o.count = w.value;
            break;
    }
}

/// Result of matching a row with a text: complete, or up to the first word that does not match.
struct match {
    operation result;
    std::size_t words_matched = 0;
    bool complete = false;
    std::string fault;
};

const word* choice_of(const signature::modifier_group& modifier_group, std::string_view text) {
    for (const word* choice : modifier_group.choices) {
        if (choice->text == text) return choice;
    }
    return nullptr;
}

std::string list_of(const signature::modifier_group& modifier_group) {
    std::string text;
    for (const word* choice : modifier_group.choices) {
        text += (text.empty() ? "." : " .") + std::string(choice->text);
    }
    return text;
}

/// The group for a word: for a type the next type group, otherwise the first unfilled one.
std::size_t group_for(const signature& s, const std::vector<bool>& filled, std::string_view text) {
    bool type_group_seen = false;
    for (std::size_t i = 0; i < s.modifier_groups.size(); ++i) {
        if (filled[i] || (s.modifier_groups[i].types && type_group_seen)) continue;
        if (choice_of(s.modifier_groups[i], text) != nullptr) return i;
        type_group_seen |= s.modifier_groups[i].types;
    }
    return s.modifier_groups.size();
}

match try_row(const signature& s, std::string_view modifiers) {
    match m;
    m.result.op = s.row->op;
    std::vector<bool> filled(s.modifier_groups.size());
    while (!modifiers.empty()) {
        const std::string_view text = take_part(modifiers, '.');
        const std::size_t modifier_group = group_for(s, filled, text);
        if (modifier_group == s.modifier_groups.size()) {
            m.fault = "'." + std::string(text) + "' does not belong here";
            return m;
        }
        filled[modifier_group] = true;
        apply(m.result, *choice_of(s.modifier_groups[modifier_group], text));
        ++m.words_matched;
    }
    for (std::size_t i = 0; i < s.modifier_groups.size(); ++i) {
        if (!filled[i] && !s.modifier_groups[i].optional) {
            m.fault = "a modifier is missing, one of " + list_of(s.modifier_groups[i]);
            return m;
        }
    }
    m.complete = true;
    return m;
}

/// `barrier.cta` and `bar` are equivalent; the bank in `.const[n]` has no effect any more.
std::string normal_text(std::string_view text) {
    std::string normal(text);
    if (normal.compare(0, 8, "barrier.") == 0) normal.erase(3, 4);
    for (std::size_t open = normal.find('['); open != std::string::npos; open = normal.find('[')) {
        const std::size_t close = normal.find(']', open);
        normal.erase(open, close == std::string::npos ? close : close - open + 1);
    }
    return normal;
}

std::string expected_form(const signature& s) {
    std::string text = "form: " + std::string(s.base);
    if (!s.row->modifiers.empty()) text += "." + std::string(s.row->modifiers);
    return text;
}

constexpr std::size_t longest_name = 80;

std::string unknown_instruction(std::string_view base) {
    if (base.size() > longest_name) return "unknown instruction";
    std::vector<std::string> names;
    for (const signature& s : signatures()) names.emplace_back(s.base);
    return "unknown instruction '" + std::string(base) + "'; the nearest name is '" +
           support::nearest_name(base, names) + "'";
}

void set_implied(operation& o, std::string_view written) {
    const bool is_bar =
        o.op == opcode::bar_sync || o.op == opcode::bar_arrive || o.op == opcode::bar_red;
    if (is_bar && written.substr(0, 7) != "barrier") {
        o.flags |= std::uint64_t{1} << static_cast<unsigned>(flag::aligned);
    }
}

}  // namespace

const std::vector<signature>& signatures() {
    static const std::vector<signature> all = read_table();
    return all;
}

bool resolve_operation(std::string_view text, operation& out, std::string& fault) {
    const std::string normal = normal_text(text);
    std::string_view modifiers = normal;
    const std::string_view base = take_part(modifiers, '.');
    match best;
    const signature* closest = nullptr;
    const std::vector<signature>& all = signatures();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].base != base) continue;
        match m = try_row(all[i], modifiers);
        if (m.complete) {
            out = std::move(m.result);
            out.text = text;
            out.signature = static_cast<std::uint16_t>(i);
            set_implied(out, text);
            return true;
        }
        if (closest == nullptr || m.words_matched > best.words_matched) {
            best = std::move(m);
            closest = &all[i];
        }
    }
    if (is_later(text) || is_later(normal)) {
        out = operation();
        out.text = text;
        return true;
    }
    fault = closest == nullptr ? unknown_instruction(base)
                               : "'" + std::string(text) + "': " + best.fault + " (" +
                                     expected_form(*closest) + ")";
    return false;
}

opcode opcode_at_beginning(std::string_view text) {
    opcode found = opcode::later;
    std::size_t length = 0;
    for (std::uint16_t n = 0; n < static_cast<std::uint16_t>(opcode::later); ++n) {
        const std::string_view name = name_of(static_cast<opcode>(n));
        const bool begins = text.substr(0, name.size()) == name &&
                            (text.size() == name.size() || text[name.size()] == '.');
        if (!begins || name.size() <= length) continue;
        found = static_cast<opcode>(n);
        length = name.size();
    }
    return found;
}

}  // namespace simtlm::ptx
