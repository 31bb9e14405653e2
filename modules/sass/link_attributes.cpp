// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_attributes.h"

#include "modules/sass/byte_reader.h"
#include "modules/sass/byte_writer.h"
#include "modules/sass/cubin_format.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::sass {

namespace {

constexpr std::size_t max_attribute_bytes = 0xfffc;

/// Undefined functions that a function calls; for a kernel also those that its callees call.
std::set<std::string_view> systems_called(std::uint32_t function, const link_symbols& symbols,
                                          const link_functions& functions) {
    const auto& all = functions.all();
    std::vector<bool> callers(all.size());
    if (all[function].is_kernel) callers = functions.reachable_from(function);
    callers[function] = true;
    std::set<std::string_view> names;
    for (std::uint32_t n = 0; n < all.size(); ++n) {
        if (!callers[n]) continue;
        const in_file home = all[n].section;
        for (const cubin_relocation* r : symbols.relocations(home)) {
            const cubin_symbol& y = symbols.symbol(symbols.resolved({home.first, r->symbol}));
            if (!link_symbols::defines(y) && y.type == STT_FUNC) names.insert(y.name);
        }
    }
    return names;
}

/// The attributes of a function without its barriers and the functions that it calls.
/// @param parameters  symbol of the section of its parameters
std::string copied_attributes(std::string_view contents, std::uint32_t parameters) {
    std::string to;
    byte_reader r(contents);
    while (!r.done()) {
        const auto form = r.take<std::uint8_t>();
        const auto what = r.take<std::uint8_t>();
        const auto half = r.take<std::uint16_t>();
        std::string value;
        if (form == sized_value) value = std::string(r.take_bytes(half));
        if (r.failed() || form == 0 || form > sized_value) break;
        if (what == attribute::num_barriers || what == attribute::externs) continue;
        if (what == attribute::param_cbank && value.size() >= 4)
            std::memcpy(value.data(), &parameters, sizeof parameters);
        append<std::uint8_t>(to, form);
        append<std::uint8_t>(to, what);
        append<std::uint16_t>(
            to, form == sized_value ? static_cast<std::uint16_t>(value.size()) : half);
        to += value;
    }
    return to;
}

void append_externals(std::string& to, const std::set<std::string_view>& names,
                      const undefined_table& undefined) {
    std::string symbols;
    for (const std::string_view name : names) {
        const auto at = undefined.find(name);
        if (at != undefined.end()) append<std::uint32_t>(symbols, at->second);
    }
    if (symbols.empty()) return;
    symbols.resize(std::min(symbols.size(), max_attribute_bytes));
    append<std::uint8_t>(to, sized_value);
    append<std::uint8_t>(to, attribute::externs);
    append<std::uint16_t>(to, static_cast<std::uint16_t>(symbols.size()));
    to += symbols;
}

void append_number(std::string& to, std::uint8_t what, std::uint32_t symbol, std::uint32_t value) {
    append<std::uint8_t>(to, sized_value);
    append<std::uint8_t>(to, what);
    append<std::uint16_t>(to, 8);
    append<std::uint32_t>(to, symbol);
    append<std::uint32_t>(to, value);
}

/// Adds a section of attributes. @return it
output_section& add_attributes(cubin_writer& writer, const std::string& name, std::string bytes) {
    output_section& s = writer.section(writer.section_called(name, section_info, 0));
    s.bytes = std::move(bytes);
    s.alignment = 4;
    return s;
}

}  // namespace

void write_attributes(const link_symbols& symbols, const link_functions& functions,
                      const link_sections& sections, const undefined_table& undefined,
                      cubin_writer& writer) {
    const auto& all = functions.all();
    std::string common;
    for (std::uint32_t n = 0; n < all.size(); ++n) {
        const std::uint32_t symbol = sections.function_symbol(n);
        append_number(common, attribute::register_count, symbol, all[n].registers);
        append_number(common, attribute::frame_size, symbol, all[n].code->frame_bytes);
        if (all[n].is_kernel)
            append_number(common, attribute::min_stack_size, symbol, all[n].stack);
    }
    add_attributes(writer, ".nv.info", std::move(common));
    for (std::uint32_t n = 0; n < all.size(); ++n) {
        const linked_function& f = all[n];
        const cubin_section* const own =
            symbols.file(f.section.first).find_section(fmt::format(".nv.info.{}", f.code->name));
        std::string info;
        if (own != nullptr) {
            const auto bank = writer.find_section(fmt::format(".nv.constant0.{}", f.name));
            info = copied_attributes(own->contents, bank ? writer.section(*bank).symbol : 0);
            append_externals(info, systems_called(n, symbols, functions), undefined);
        }
        if (f.barriers != 0) {
            append<std::uint8_t>(info, byte_value);
            append<std::uint8_t>(info, attribute::num_barriers);
            append<std::uint16_t>(info, static_cast<std::uint16_t>(f.barriers));
        }
        add_attributes(writer, fmt::format(".nv.info.{}", f.name), std::move(info)).info =
            sections.code_section(n);
        writer.section(sections.code_section(n)).info =
            (f.registers & 0xff) << 24 | (sections.function_symbol(n) & 0xffffff);
    }
}

}  // namespace simtlm::sass
