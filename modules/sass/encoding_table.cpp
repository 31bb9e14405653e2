// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/encoding_table.h"

#include "modules/sass/encodings.h"
#include "modules/sass/special_registers.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace simtlm::sass {

namespace {

using what = encoding_operand::what;

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t n = text.find(at);
        words.push_back(text.substr(0, n));
        if (n == std::string_view::npos) return words;
        text.remove_prefix(n + 1);
    }
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (const std::string_view w : split(text, ' '))
        if (!w.empty()) words.push_back(w);
    return words;
}

/// Modifiers separated by dots.
std::vector<named_modifier> modifiers_of(std::string_view text) {
    std::vector<named_modifier> all;
    for (const std::string_view name : split(text, '.')) all.push_back(modifier_named(name));
    return all;
}

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}

/// Replaces "$NAME" by the definitions of "let NAME ..." lines, and removes those lines and
/// comments.
std::string expand(std::string_view text) {
    std::map<std::string, std::string, std::greater<>> lets;
    std::string out;
    for (std::string_view line : split(text, '\n')) {
        line = trimmed(line.substr(0, line.find('#')));
        if (line.substr(0, 4) == "let ") {
            const std::string_view rest = trimmed(line.substr(4));
            const std::size_t n = rest.find(' ');
            lets[std::string(rest.substr(0, n))] = trimmed(rest.substr(n));
            line = {};
        }
        std::string now(line);
        for (std::size_t n = now.find('$'); n != std::string::npos; n = now.find('$', n)) {
            std::size_t end = n + 1;
            while (end < now.size() && (std::isalnum(now[end]) != 0 || now[end] == '_')) ++end;
            const auto let = lets.find(now.substr(n + 1, end - n - 1));
            if (let == lets.end()) break;
            now.replace(n, end - n, let->second);
        }
        out += now + '\n';
    }
    return out;
}

/// Operands by name; the numbers and flags that follow a name are parsed from the text.
struct operand_name {
    std::string_view name;
    what kind;
    std::uint8_t bit;
};
constexpr operand_name operand_names[] = {
    // Longer names precede their prefixes.
    {"DMEM", what::descriptor_memory, 0},
    {"GMEM", what::descriptor_memory, 0},
    {"XUMEM", what::shared_memory, 0},
    {"UMEM", what::memory, 0},
    {"XMEM", what::shared_memory, 0},
    {"MEM", what::memory, 0},
    {"COPYFROM", what::copy_source, 0},
    {"COPYTO", what::copy_destination, 0},
    {"GEO", what::geometry, 0},
    {"QUERY", what::texture_query, 0},
    {"GDESC", what::matrix_descriptors, 0},
    {"TMEM", what::tensor_address, 0},
    {"TCA", what::tensor_matrix, 0},
    {"IDESC", what::instruction_descriptor, 0},
    {"GSB", what::group_scoreboard, 0},
    {"PAIR", what::pair_address, 0},
    {"WIDE", what::block_address, 0},
    {"W", what::source_wide, 32},
    {"UADDR", what::uniform_address, 0},
    {"UDESC", what::cache_descriptor, 0},
    {"RPC", what::saved_counter, 0},
    {"APC", what::exit_counter, 0},
    {"ANY", what::undescribed, 0},
    {"BASE", what::base_address, 0},
    {"LUT", what::lut_split, 0},
    {"LDC", what::constant_indexed, 0},
    {"LANE", what::shuffle_lane, 0},
    {"MASK", what::shuffle_mask, 0},
    {"MOVMASK", what::mov_mask, 0},
    {"SWZ", what::signs, 0},
    {"SBM", what::scoreboard_mask, 0},
    {"SB", what::scoreboard, 0},
    {"SR", what::special_register, 0},
    {"BREG", what::barrier_register, 0},
    {"BARQ", what::bar_operands, 0},
    {"BARS", what::b2r_operands, 0},
    {"LP", what::low_predicate, 0},
    {"L", what::long_number, 0},
    {"UPR", what::predicates, 0},
    {"UP", what::predicate, 0},
    {"URT", what::register_target, 0},
    {"USPLIT", what::split_uniform, 0},
    {"UR", what::reg, 0},
    {"PR", what::predicates, 0},
    {"P", what::predicate, 0},
    {"Rd", what::reg, 16},
    {"Ra", what::reg, 24},
    {"Rb", what::reg, 32},
    {"Rc", what::reg, 64},
    {"RA", what::register_target, 0},
    {"RT", what::register_target, 0},
    {"R", what::reg, 0},
    {"D", what::source_d, 32},
    {"TA", what::absolute_target, 0},
    {"TB", what::target_short, 0},
    {"T", what::target, 0},
    {"B", what::source_b, 0},
    {"CB", what::barrier, 0},
    {"C", what::source_c, 64},
    {"A", what::reg, 24},
    {"Q", what::source_q, 32},
    {"K", what::constant_direct, 0},
    {"I", what::number, 0},
    {"S", what::signed_number, 0},
};

/// Flags of an operand, and the member that each sets.
struct operand_flag {
    char letter;
    bool encoding_operand::*member;
};
constexpr operand_flag operand_flags[] = {
    {'n', &encoding_operand::negates},
    {'m', &encoding_operand::inverts_with_x},  // and negates
    {'a', &encoding_operand::absolutes},
    {'i', &encoding_operand::inverts},  // a bit may follow
    {'x', &encoding_operand::selects_halves},
    {'b', &encoding_operand::selects_byte},
    {'z', &encoding_operand::zero_omitted},
    {'g', &encoding_operand::selects_half},
    {'k', &encoding_operand::has_kept_bits},
    {'p', &encoding_operand::selects_part},
    {'e', &encoding_operand::selects_word},
    {'B', &encoding_operand::selects_any_byte},
    {'r', &encoding_operand::has_layout},
    {'j', &encoding_operand::has_fixed_layout},
    {'c', &encoding_operand::selects_more_halves},
    {'l', &encoding_operand::is_packed},
    {'q', &encoding_operand::is_not_reused},
    {'t', &encoding_operand::is_second},
    {'y', &encoding_operand::is_metadata},
    {'v', &encoding_operand::takes_sign},
    {'w', &encoding_operand::may_be_uniform},
};
constexpr std::string_view immediate_types = "sufdho";

class line_reader {
public:
    line_reader(std::string origin, unsigned line) : origin_(std::move(origin)), line_(line) {}

    [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const {
        throw support::user_error(fmt::format("{}:{}", origin_, line_), message, remedy);
    }

    /// The modifier on which an operand depends.
    modifier condition_of(std::string_view text) const {
        const modifier m = modifier_named(text).id;
        if (m == modifier::other)
            fail(fmt::format("{} is no known modifier", text), "add it to modifiers.def");
        return m;
    }

    unsigned number(std::string_view text, int base = 10) const {
        unsigned v = 0;
        const auto r = std::from_chars(text.data(), text.data() + text.size(), v, base);
        if (text.empty() || r.ec != std::errc{} || r.ptr != text.data() + text.size())
            fail(fmt::format("\"{}\" is not a number", text));
        return v;
    }

    encoding_form::condition condition(std::string_view text) const {
        const bool differs = !text.empty() && text.front() == '!';
        if (differs) text.remove_prefix(1);
        const std::size_t eq = text.find('='), dash = text.find('-');
        if (eq == std::string_view::npos) fail(fmt::format("\"{}\" has no '='", text));
        const unsigned first = number(text.substr(0, std::min(eq, dash)));
        const unsigned last =
            dash == std::string_view::npos ? first : number(text.substr(dash + 1, eq - dash - 1));
        return {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last - first + 1),
                number(text.substr(eq + 1)), differs};
    }

    encoding_field field(std::string_view text) const {
        encoding_field f;
        if (text.front() == '.') {
            f.names.push_back(modifiers_of(text.substr(1)));
            return f;
        }
        const std::size_t eq = text.find('=');
        if (eq == std::string_view::npos) fail(fmt::format("\"{}\" has no '='", text));
        unsigned count = 0;
        for (const std::string_view r : split(text.substr(0, eq), '+')) {
            const std::size_t dash = r.find('-');
            const unsigned first = number(r.substr(0, dash));
            const unsigned last =
                dash == std::string_view::npos ? first : number(r.substr(dash + 1));
            if (last < first || last > 127) fail(fmt::format("\"{}\" is no range of bits", r));
            f.bits.push_back(
                {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last - first + 1)});
            count += last - first + 1;
        }
        if (count > 8) fail(fmt::format("\"{}\" has too many bits", text));
        read_names(f, text.substr(eq + 1), std::size_t{1} << count);
        return f;
    }

    /// Parses the names of all values of a field.
    void read_names(encoding_field& f, std::string_view text, std::size_t values) const {
        std::vector<std::string_view> entries = split(text, ',');
        const bool sparse = text.find(':') != std::string_view::npos;
        if (entries.size() == 1 && !sparse) entries.insert(entries.begin(), "-");
        std::vector<std::string_view> names(values, sparse ? "!" : "*");
        std::size_t next = 0;
        for (std::string_view e : entries) {
            const std::size_t colon = e.find(':');
            if (colon != std::string_view::npos) {
                const std::string_view where = e.substr(0, colon);
                e.remove_prefix(colon + 1);
                if (where == "else") {
                    std::fill(names.begin(), names.end(), e);
                    continue;
                }
                next = number(where);
            }
            if (next >= values) fail(fmt::format("\"{}\" has too many values", text));
            names[next++] = e;
        }
        for (std::size_t v = 0; v < values; ++v) {
            if (names[v] == "-")
                f.names.emplace_back();
            else if (names[v] == "*")
                f.names.push_back({modifier_named(invalid_name(v))});
            else if (names[v] == "?")
                f.names.push_back({modifier_named(undefined_name(v))});
            else if (names[v] == "!")
                f.names.push_back({named_modifier{}});
            else
                f.names.push_back(modifiers_of(names[v]));
        }
    }

    encoding_operand operand(std::string_view text) const {
        encoding_operand o;
        const std::string_view whole = text;
        // Conditions.
        if (const std::size_t n = text.find('['); n != std::string_view::npos) {
            std::string_view c = text.substr(n + 1, text.find(']') - n - 1);
            text = text.substr(0, n);
            const std::size_t hat = c.find('^');
            if (hat != std::string_view::npos) o.needs_not = condition_of(c.substr(hat + 1));
            if (hat != 0) o.needs = condition_of(c.substr(0, hat));
        }
        if (const std::size_t n = text.find('?'); n != std::string_view::npos) {
            o.omitted_if_true = true;
            if (n + 1 < text.size()) o.shown_with = condition_of(text.substr(n + 1));
            text = text.substr(0, n);
        }
        if (const std::size_t n = text.find('/'); n != std::string_view::npos) {
            read_flags(o, text.substr(n + 1), whole);
            text = text.substr(0, n);
        }
        if (!text.empty() && text.back() == '!') {
            o.may_negate_predicate = true;
            text.remove_suffix(1);
        }
        if (!text.empty() && text.back() == '~') {
            o.counts_down = true;
            text.remove_suffix(1);
        }
        read_name(o, text, whole);
        return o;
    }

private:
    /// Parses the flags of an operand.
    void read_flags(encoding_operand& o, std::string_view flags, std::string_view whole) const {
        for (std::size_t i = 0; i < flags.size(); ++i) {
            const char letter = flags[i];
            if (letter == 'X') {  // its bit follows
                o.swizzle_bit = static_cast<std::uint8_t>(number(flags.substr(i + 1)));
                return;
            }
            if (letter == 'H') {  // its bit follows
                o.selects_halves = true;
                o.half_bit = static_cast<std::uint8_t>(number(flags.substr(i + 1)));
                return;
            }
            const auto* const flag =
                std::find_if(std::begin(operand_flags), std::end(operand_flags),
                             [&](const operand_flag& f) { return f.letter == letter; });
            if (flag != std::end(operand_flags))
                o.*flag->member = true;
            else if (immediate_types.find(letter) != std::string_view::npos)
                o.immediate = letter;
            else
                fail(fmt::format("operand {} has an unknown flag", whole));
            if (letter == 'm') o.negates = true;
            if (letter == 'i' && i + 1 < flags.size() && std::isdigit(flags[i + 1]) != 0) {
                o.invert_bit = static_cast<std::uint8_t>(number(flags.substr(i + 1)));
                return;
            }
        }
    }

    /// Parses the name of an operand and the numbers that follow it.
    void read_name(encoding_operand& o, std::string_view text, std::string_view whole) const {
        for (const operand_name& n : operand_names) {
            if (text.substr(0, n.name.size()) != n.name) continue;
            const std::string_view rest = text.substr(n.name.size());
            if (!rest.empty() && std::isdigit(rest.front()) == 0) continue;
            o.kind = n.kind;
            o.bit = n.bit;
            o.uniform = n.name.front() == 'U' && n.name != "UMEM";
            std::uint8_t* const into[] = {&o.bit, &o.bit2, &o.bit3, &o.bit4, &o.bit5};
            unsigned i = 0;
            if (!rest.empty())
                for (const std::string_view d : split(rest, '.')) {
                    if (i == 5) fail(fmt::format("operand {} has too many numbers", whole));
                    *into[i++] = static_cast<std::uint8_t>(number(d));
                }
            o.width = o.bit2;
            return;
        }
        fail(fmt::format("no operand is called {}", whole));
    }

    std::string origin_;
    unsigned line_;
};

}  // namespace

std::uint64_t encoding_field::value(const instruction_word& w) const {
    std::uint64_t v = 0;
    unsigned at = 0;
    for (const range& r : bits) {
        v |= w.bits(r.first, r.count) << at;
        at += r.count;
    }
    return v;
}

encoding_table::encoding_table(std::string_view text, const std::string& origin)
    : text_(expand(text)) {
    unsigned number = 0;
    for (const std::string_view line : split(text_, '\n')) {
        ++number;
        if (line.empty()) continue;
        const line_reader read(origin, number);
        const std::vector<std::string_view> columns = split(line, '|');
        if (columns.size() != 3) read.fail("a form has three columns, with '|' between them");
        std::vector<std::string_view> head = words_of(columns[0]);
        if (head.size() < 3) read.fail("a form has a name, keys and architectures");
        auto form = std::make_unique<encoding_form>();
        form->opcode = isa::opcode_named(head.front());
        if (form->opcode == isa::opcode::unknown)
            read.fail(fmt::format("{} is no opcode", head.front()), "add it to opcodes.def");
        std::string_view span = head.back();
        for (; !span.empty() && std::isupper(span.back()) != 0; span.remove_suffix(1)) {
            switch (span.back()) {
                case 'U':
                    form->uniform = true;
                    break;
                case 'V':
                    form->variable_latency = true;
                    break;
                case 'W':
                    form->no_write_barrier = true;
                    break;
                case 'R':
                    form->no_read_barrier = true;
                    break;
                default:
                    read.fail(fmt::format("unknown suffix {}", span.back()));
            }
        }
        const std::size_t dash = span.find('-');
        if (dash == std::string_view::npos) read.fail("architectures are a range");
        form->first_architecture = read.number(span.substr(0, dash));
        if (dash + 1 < span.size()) form->last_architecture = read.number(span.substr(dash + 1));
        for (const std::string_view f : words_of(columns[1])) {
            if (f.front() == '?')
                form->conditions.push_back(read.condition(f.substr(1)));
            else
                form->fields.push_back(read.field(f));
        }
        for (encoding_field& f : form->fields)
            for (const auto& value : f.names)
                for (const named_modifier& name : value)
                    f.modifiers.set(static_cast<std::size_t>(name.id));
        for (const std::string_view o : words_of(columns[2])) {
            form->operands.push_back(read.operand(o));
            if (form->uniform && form->operands.back().kind != what::low_predicate)
                form->operands.back().uniform = true;
        }
        if (form->fields.size() > instruction::max_modifiers ||
            form->operands.size() > instruction::max_operands)
            read.fail("too many modifiers or operands");
        for (std::size_t i = 1; i + 1 < head.size(); ++i) {
            const unsigned key = read.number(head[i], 16);
            if (key >= keys) read.fail("a key has 13 bits");
            by_key_[key].push_back(form.get());
        }
        forms_.push_back(std::move(form));
    }
}

const encoding_table& encoding_table::builtin() {
    static const encoding_table table(encoding_text, "built-in encodings");
    return table;
}

const encoding_form* encoding_table::find(const instruction_word& word,
                                          unsigned architecture) const {
    unsigned key = static_cast<unsigned>(word.bits(0, 12));
    // Volta has no uniform datapath: bit 91 has no meaning there.
    if (architecture >= 75 && word.bit(91)) key |= 1u << 12;
    for (const encoding_form* f : by_key_[key])
        if (f->first_architecture <= architecture && architecture <= f->last_architecture &&
            std::all_of(f->conditions.begin(), f->conditions.end(), [&](const auto& c) {
                return (word.bits(c.first, c.count) == c.value) != c.differs;
            }))
            return f;
    return nullptr;
}

std::vector<unsigned> encoding_table::keys_of(const encoding_form& form) const {
    std::vector<unsigned> found;
    for (unsigned k = 0; k < keys; ++k)
        for (const encoding_form* f : by_key_[k])
            if (f == &form) found.push_back(k);
    return found;
}

}  // namespace simtlm::sass
