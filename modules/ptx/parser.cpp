// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/parser.h"

#include "modules/ptx/declaration_parser.h"
#include "modules/ptx/function_parser.h"
#include "modules/ptx/location_parser.h"
#include "modules/ptx/parse_context.h"
#include "modules/support/error.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace simtlm::ptx {

namespace {

constexpr std::uint64_t largest_version = 99;

/// Parses the module scope.
class module_parser {
public:
    explicit module_parser(parse_context& context)
        : c_(context), declarations_(context), functions_(context), locations_(context) {}

    void read() {
        c_.symbols.open_scope();
        while (c_.in.peek() != '\0') read_statement();
        if (!versioned_) c_.in.fail_expected("'.version' at the beginning of a module");
        resolve_relocations();
        resolve_aliases();
    }

private:
    struct alias {
        std::string_view name;
        std::string_view target;
        place where;
    };

    void read_statement() {
        if (c_.in.take(';')) return;
        if (c_.in.peek() == '@') {  // @@DWARF
            c_.in.skip_line();
            return;
        }
        const place where = c_.in.here();
        const std::string_view word = c_.in.take_directive();
        if (word.empty()) c_.in.fail_expected("a directive such as .entry or .global");
        if (!versioned_ && word != "version") {
            c_.in.fail(where, "'." + std::string(word) + "' comes first", "expected '.version'");
        }
        if (!read_header(word) && !read_linked(word) && !read_other(word)) {
            c_.in.fail(where, "unknown directive '." + std::string(word) + "'",
                       "expected one such as .entry, .func, .global, .target");
        }
    }

    bool read_header(std::string_view word) {
        if (word == "version") {
            read_version();
        } else if (word == "target") {
            read_target();
        } else if (word == "address_size") {
            read_address_size();
        } else if (word == "file") {
            locations_.read_file();
        } else if (word == "section") {
            c_.in.take_directive();
            c_.in.skip_braces();
        } else {
            return false;
        }
        return true;
    }

    void read_version() {
        versioned_ = true;
        c_.out.version_major =
            static_cast<unsigned>(c_.in.expect_count("a version", largest_version));
        c_.in.expect('.');
        c_.out.version_minor =
            static_cast<unsigned>(c_.in.expect_count("a version", largest_version));
        if (c_.in.next() == '+') c_.in.advance(1);  // 1.4+ of early compilers
    }

    void read_target() {
        do {
            const std::string_view word = c_.in.expect_name("a target such as sm_70");
            if (word.substr(0, 3) == "sm_" || word.substr(0, 8) == "compute_") {
                c_.out.target = word;
                c_.out.architecture = number_after(word, word.find('_') + 1);
            } else {
                c_.out.target_options.emplace_back(word);
            }
        } while (c_.in.take(','));
    }

    static unsigned number_after(std::string_view text, std::size_t at) {
        unsigned value = 0;
        for (; at < text.size() && scanner::is_digit(text[at]) && value < 10000; ++at) {
            value = value * 10 + static_cast<unsigned>(text[at] - '0');
        }
        return value;
    }

    void read_address_size() {
        const place where = c_.in.here();
        c_.out.address_size = static_cast<unsigned>(c_.in.expect_count("32 or 64", UINT32_MAX));
        if (c_.out.address_size != 32 && c_.out.address_size != 64) {
            c_.in.fail(where, "address size " + std::to_string(c_.out.address_size),
                       "expected 32 or 64");
        }
    }

    static bool is_linkage(std::string_view word, linkage& link) {
        link = word == "extern"    ? linkage::external
               : word == "visible" ? linkage::visible
               : word == "weak"    ? linkage::weak
               : word == "common"  ? linkage::common
                                   : linkage::internal;
        return link != linkage::internal;
    }

    bool read_linked(std::string_view word) {
        linkage link = linkage::internal;
        while (is_linkage(word, link)) {
            linkage_ = link;
            word = c_.in.take_directive();
        }
        const linkage chosen = std::exchange(linkage_, linkage::internal);
        state_space space{};
        if (word == "entry" || word == "func") {
            functions_.read(word == "entry", chosen);
        } else if (declaration_parser::is_space(word, space)) {
            declarations_.read_variables(space, chosen);
        } else if (word == "reg") {
            declarations_.read_registers();
        } else {
            return false;
        }
        return true;
    }

    bool read_other(std::string_view word) {
        if (word == "pragma") {
            c_.out.pragmas.emplace_back(c_.in.expect_string());
            c_.in.expect(';');
        } else if (word == "alias") {
            read_alias();
        } else if (word == "loc") {
            locations_.read_location();
            c_.current_location = no_index;
        } else {
            return false;
        }
        return true;
    }

    void read_alias() {
        alias a;
        a.where = c_.in.here();
        a.name = c_.in.expect_name("the name of an alias");
        c_.in.expect(',');
        a.target = c_.in.expect_name("the name of a function");
        c_.in.expect(';');
        aliases_.push_back(a);
    }

    std::uint32_t function_index(std::string_view name, place where) {
        const symbol* s = c_.symbols.find(name);
        if (s == nullptr) c_.fail_unknown(name, where);
        if (s->what != symbol::kind::function) {
            c_.in.fail(where, "'" + std::string(name) + "' in .alias", "expected a function");
        }
        return s->index;
    }

    void resolve_aliases() {
        for (const alias& a : aliases_) {
            const std::uint32_t target = function_index(a.target, a.where);
            const std::uint32_t index = function_index(a.name, a.where);
            if (!c_.out.functions[target].defined || index == target) {
                c_.in.fail(a.where,
                           "'" + std::string(a.target) + "' has no body to be an alias of");
            }
            c_.out.functions[index].alias_of = target;
        }
    }

    void resolve_relocations() {
        for (const unresolved_relocation& u : c_.unresolved) {
            const symbol* s = c_.symbols.find(u.name);
            if (s == nullptr) c_.fail_unknown(u.name, u.where);
            relocation& r = c_.out.variables[u.variable].data.relocations[u.relocation];
            r.symbol = s->index;
            r.function = s->what == symbol::kind::function;
        }
    }

    parse_context& c_;
    declaration_parser declarations_;
    function_parser functions_;
    location_parser locations_;
    std::vector<alias> aliases_;
    linkage linkage_ = linkage::internal;
    bool versioned_ = false;
};

}  // namespace

module parse(std::string_view text, const std::string& file) {
    // Containers pad with zeros; a NUL in the middle would hide the rest of the text.
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
        throw support::user_error(file + ":" + std::to_string(line), "a zero byte within the text",
                                  "PTX is plain text");
    }
    const std::string copy(text);
    module m;
    m.file = file;
    parse_context context(copy.c_str(), m);
    module_parser(context).read();
    return m;
}

}  // namespace simtlm::ptx
