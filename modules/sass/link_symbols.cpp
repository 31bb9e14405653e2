// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_symbols.h"

#include "modules/sass/cubin_format.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace simtlm::sass {

namespace {

/// Functions that the system provides.
constexpr std::string_view system_functions[] = {
    "vprintf", "malloc", "free", "__assertfail", "__assert_fail", "cudaGraphSetConditional"};

bool is_system_function(std::string_view name) {
    return std::find(std::begin(system_functions), std::end(system_functions), name) !=
           std::end(system_functions);
}

bool is_shared_section(std::string_view name) {
    return begins_with(name, ".nv.shared.") || name == ".nv_debug.shared";
}

}  // namespace

std::optional<bank_name> bank_of(std::string_view section) {
    constexpr std::string_view prefix = ".nv.constant";
    if (!begins_with(section, prefix)) return std::nullopt;
    std::string_view rest = section.substr(prefix.size());
    bank_name b;
    std::size_t digits = 0;
    for (; digits < rest.size() && digits < 2 && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits)
        b.bank = b.bank * 10 + static_cast<unsigned>(rest[digits] - '0');
    rest.remove_prefix(digits);
    if (digits == 0 || (!rest.empty() && rest.front() != '.')) return std::nullopt;
    b.of_function = !rest.empty();
    return b;
}

bool is_data(std::string_view section) {
    const auto bank = bank_of(section);
    return section == ".nv.global" || section == ".nv.global.init" || (bank && !bank->of_function);
}

link_symbols::link_symbols(const std::vector<link_object>& objects, link_diagnostics& diagnostics) {
    for (const link_object& o : objects)
        if (o.file->is_relocatable()) objects_.push_back(o);
    include_objects(diagnostics);
    check_architectures(diagnostics);
    find_live();
}

bool link_symbols::is_global(const cubin_symbol& s) {
    return s.binding != STB_LOCAL && !s.name.empty() && s.type != STT_SECTION;
}

bool link_symbols::is_dynamic_shared(const cubin_symbol& s) {
    return !defines(s) && (s.other & in_shared) != 0 && s.size == 0;
}

bool link_symbols::is_shared(in_file s) const {
    const cubin_symbol& y = symbol(s);
    return y.section != 0 && is_shared_section(section({s.first, y.section}).name);
}

void link_symbols::include_objects(link_diagnostics& diagnostics) {
    if (objects_.empty()) {
        diagnostics.error("there is no relocatable machine code to be linked");
        diagnostics.throw_if_any();
    }
    included_.resize(objects_.size());
    for (file_index f = 0; f < objects_.size(); ++f)
        if (!objects_[f].on_demand) include(f, diagnostics);
    for (bool changed = true; changed;) {
        changed = false;
        for (file_index f = 0; f < objects_.size(); ++f) {
            if (included_[f] || !is_needed(f)) continue;
            include(f, diagnostics);
            changed = true;
        }
    }
    for (file_index f = 0; f < objects_.size(); ++f)
        if (included_[f]) files_.push_back(f);
}

bool link_symbols::is_needed(file_index f) const {
    for (const cubin_symbol& s : file(f).symbols())
        if (is_global(s) && defines(s) && needed_.count(s.name) != 0 &&
            definitions_.count(s.name) == 0)
            return true;
    return false;
}

void link_symbols::include(file_index f, link_diagnostics& diagnostics) {
    included_[f] = true;
    const auto& symbols = file(f).symbols();
    for (std::uint32_t n = 0; n < symbols.size(); ++n) {
        const cubin_symbol& s = symbols[n];
        if (!is_global(s)) continue;
        if (!defines(s)) {
            if (s.binding != STB_WEAK) needed_.insert(s.name);
            continue;
        }
        const auto [at, fresh] = definitions_.emplace(s.name, in_file{f, n});
        if (fresh) continue;
        const cubin_symbol& before = symbol(at->second);
        // Strong definitions precede common ones, and these weak ones.
        const auto strength = [](const cubin_symbol& y) {
            return y.is_common ? 1 : y.binding == STB_WEAK ? 0 : 2;
        };
        if (strength(s) == 2 && strength(before) == 2)
            diagnostics.error(
                fmt::format("Multiple definition of '{}' in '{}', first defined in '{}'", s.name,
                            file(f).origin(), file(at->second.first).origin()));
        const bool larger = s.is_common && before.is_common && s.size > before.size;
        if (strength(s) > strength(before) || larger) at->second = {f, n};
    }
}

void link_symbols::check_architectures(link_diagnostics& diagnostics) {
    for (const file_index f : files_)
        if (file(f).architecture() >= architecture_) {
            architecture_ = file(f).architecture();
            newest_ = f;
        }
    for (const file_index f : files_)
        if (file(f).architecture() / 10 != architecture_ / 10)
            diagnostics.error(fmt::format("Input file '{}' arch does not match target 'sm_{}'",
                                          file(f).origin(), architecture_));
}

in_file link_symbols::resolved(in_file s) const {
    const cubin_symbol& y = symbol(s);
    if (!is_global(y)) return s;
    const auto at = definitions_.find(y.name);
    return at == definitions_.end() ? s : at->second;
}

void link_symbols::find_live() {
    std::vector<in_file> left;
    const auto reach = [&](in_file s) {
        if (s.second != 0 && live_.insert(s).second) left.push_back(s);
    };
    for (const file_index f : files_) {
        std::vector<std::vector<const cubin_relocation*>> by_section(file(f).sections().size());
        for (const cubin_relocation& r : file(f).relocations()) by_section[r.section].push_back(&r);
        relocations_.emplace(f, std::move(by_section));
        for (std::uint32_t n = 1; n < file(f).sections().size(); ++n)
            if (is_data(file(f).sections()[n].name) && file(f).sections()[n].size != 0)
                reach({f, n});
        for (const cubin_function& c : file(f).functions()) {
            const in_file own = resolved({f, c.symbol});
            if (c.is_kernel && own == in_file{f, c.symbol}) reach({f, c.section});
        }
    }
    while (!left.empty()) {
        const in_file s = left.back();
        left.pop_back();
        for (const cubin_relocation* r : relocations(s)) {
            const in_file target = resolved({s.first, r->symbol});
            reach({target.first, symbol(target).section});
        }
    }
}

void link_symbols::check_undefined(link_diagnostics& diagnostics) const {
    for (const in_file& s : live_)
        for (const cubin_relocation* r : relocations(s)) {
            const cubin_symbol& y = symbol(resolved({s.first, r->symbol}));
            if (r->symbol == 0 || defines(y) || !is_global(y) || y.binding == STB_WEAK ||
                is_dynamic_shared(y) || is_system_function(y.name))
                continue;
            diagnostics.error(
                fmt::format("Undefined reference to '{}' in '{}'", y.name, file(s.first).origin()));
        }
}

}  // namespace simtlm::sass
