// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_sections.h"

#include "modules/sass/byte_writer.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace simtlm::sass {

namespace {

constexpr std::uint8_t kernel_symbol = 0x10, managed_variable = 0x04;  ///< cubin_symbol::other
constexpr std::uint64_t max_section_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t max_alignment = 4096;
/// Shared memory that system software of sm_90 reserves at the beginning. Code adds it itself.
constexpr std::uint64_t reserved_shared_90 = 0x400;

}  // namespace

link_sections::link_sections(const link_symbols& symbols, const link_functions& functions,
                             const link_memory& memory, cubin_writer& writer,
                             link_diagnostics& diagnostics)
    : symbols_(symbols),
      functions_(functions),
      memory_(memory),
      writer_(writer),
      diagnostics_(diagnostics),
      code_sections_(functions.all().size()),
      symbols_of_(functions.all().size()) {}

/// Appends a section of a file. @return its offset
std::uint64_t link_sections::add_segment(std::uint32_t output, in_file s) {
    output_section& o = writer_.section(output);
    const cubin_section& from = symbols_.section(s);
    const std::uint64_t alignment = std::clamp<std::uint64_t>(from.alignment, 1, max_alignment);
    o.alignment = std::max(o.alignment, alignment);
    const bool has_bytes = o.type != SHT_NOBITS;
    const std::uint64_t offset = aligned(has_bytes ? o.bytes.size() : o.size, alignment);
    const bool constant = bank_of(from.name).has_value();
    const std::uint64_t most = constant ? constant_bank_bytes : max_section_bytes;
    if (from.size > most || offset > most) {
        diagnostics_.error(fmt::format("{} takes {} bytes", from.name, from.size));
        return 0;
    }
    if (has_bytes) {
        o.bytes.resize(offset);
        o.bytes += from.contents;
        if (constant) o.bytes.resize(offset + from.size);
    } else {
        o.size = offset + from.size;
    }
    segments_[output].push_back({s, offset});
    return offset;
}

void link_sections::place_data() {
    for (const in_file& s : symbols_.live()) {
        const cubin_section& from = symbols_.section(s);
        if (!is_data(from.name)) continue;
        const bool constant = bank_of(from.name).has_value();
        const bool empty = from.contents.empty() && !constant;
        const std::uint32_t to = writer_.section_called(
            empty ? ".nv.global" : std::string(from.name), empty ? SHT_NOBITS : SHT_PROGBITS,
            constant ? SHF_ALLOC : SHF_ALLOC | SHF_WRITE);
        placed_[s] = {to, add_segment(to, s)};
    }
    place_common_variables();
    for (const output_section& o : writer_.sections())
        if (bank_of(o.name) && o.bytes.size() > constant_bank_bytes)
            diagnostics_.error(
                fmt::format("constants exceed constant bank {}", bank_of(o.name)->bank));
}

void link_sections::place_common_variables() {
    for (const auto& d : symbols_.definitions()) {
        const cubin_symbol& y = symbols_.symbol(d.second);
        if (!y.is_common) continue;
        if ((y.other & in_global) == 0 || y.size > max_section_bytes) {
            diagnostics_.error(
                fmt::format("'{}' is common, but no variable of global memory", d.first));
            continue;
        }
        const std::uint32_t to =
            writer_.section_called(".nv.global", SHT_NOBITS, SHF_ALLOC | SHF_WRITE);
        common_[d.second] = {to, add_common(to, y)};
    }
}

/// Allocates a common variable, whose value is its alignment. @return its offset
std::uint64_t link_sections::add_common(std::uint32_t output, const cubin_symbol& variable) {
    output_section& o = writer_.section(output);
    const std::uint64_t alignment = std::clamp<std::uint64_t>(variable.value, 1, max_alignment);
    o.alignment = std::max(o.alignment, alignment);
    const std::uint64_t offset = aligned(o.size, alignment);
    o.size = offset + variable.size;
    return offset;
}

void link_sections::place_functions() {
    for (std::uint32_t k = 0; k < functions_.kernels().size(); ++k) {
        place_parameters(functions_.all()[functions_.kernels()[k]]);
        place_constants(k);
        place_shared_memory(k);
    }
    for (std::uint32_t n = 0; n < functions_.all().size(); ++n) {
        const linked_function& f = functions_.all()[n];
        const std::uint32_t to = writer_.section_called(fmt::format(".text.{}", f.name),
                                                        SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
        code_sections_[n] = to;
        placed_[f.section] = {to, add_segment(to, f.section)};
    }
    for (const file_index f : symbols_.files())
        for (std::uint32_t n = 1; n < symbols_.file(f).sections().size(); ++n)
            if (symbols_.section({f, n}).name == ".debug_line")
                add_segment(writer_.section_called(".debug_line", SHT_PROGBITS, 0), {f, n});
}

void link_sections::place_parameters(const linked_function& kernel) {
    const file_index f = kernel.section.first;
    for (std::uint32_t n = 1; n < symbols_.file(f).sections().size(); ++n) {
        if (symbols_.section({f, n}).name != fmt::format(".nv.constant0.{}", kernel.code->name))
            continue;
        add_segment(writer_.section_called(fmt::format(".nv.constant0.{}", kernel.name),
                                           SHT_PROGBITS, SHF_ALLOC),
                    {f, n});
        return;
    }
}

void link_sections::place_constants(std::uint32_t kernel) {
    const linked_function& f = functions_.all()[functions_.kernels()[kernel]];
    for (const memory_item& i : memory_.items()) {
        if (i.bank == 0 || !i.kernels[kernel]) continue;
        const std::uint32_t to = writer_.section_called(
            fmt::format(".nv.constant{}.{}", i.bank, f.name), SHT_PROGBITS, SHF_ALLOC);
        output_section& o = writer_.section(to);
        o.alignment = std::max(o.alignment, i.alignment);
        if (o.bytes.size() < i.offset + i.bytes) o.bytes.resize(i.offset + i.bytes);
        const std::string_view from = symbols_.section(i.of).contents;
        std::copy(from.begin(), from.end(),
                  o.bytes.begin() + static_cast<std::ptrdiff_t>(i.offset));
        segments_[to].push_back({i.of, i.offset});
    }
}

void link_sections::place_shared_memory(std::uint32_t kernel) {
    const auto bytes = memory_.shared_bytes(kernel);
    if (!bytes) return;
    const linked_function& f = functions_.all()[functions_.kernels()[kernel]];
    output_section& o = writer_.section(writer_.section_called(fmt::format(".nv.shared.{}", f.name),
                                                               SHT_NOBITS, SHF_ALLOC | SHF_WRITE));
    o.alignment = dynamic_alignment;
    o.size = *bytes + (symbols_.architecture() >= 90 ? reserved_shared_90 : 0);
}

void link_sections::add_symbols() {
    writer_.add_section_symbols();
    for (const bool global : {false, true}) {
        for (std::uint32_t n = 0; n < functions_.all().size(); ++n) {
            const linked_function& f = functions_.all()[n];
            if (global != (f.binding != STB_LOCAL)) continue;
            const std::uint8_t other = f.is_kernel ? kernel_symbol : 0;
            symbols_of_[n] = writer_.add_symbol(
                {f.name, f.binding, STT_FUNC, other, code_sections_[n], 0, f.code->code.size()});
        }
        for (const file_index f : symbols_.files())
            for (std::uint32_t n = 0; n < symbols_.file(f).symbols().size(); ++n)
                add_variable({f, n}, global);
        if (!global) writer_.end_local_symbols();
    }
}

void link_sections::add_variable(in_file s, bool global) {
    const cubin_symbol& y = symbols_.symbol(s);
    if (y.name.empty() || y.type == STT_SECTION || y.type == STT_FUNC ||
        !link_symbols::defines(y) || link_symbols::is_global(y) != global ||
        symbols_.resolved(s) != s)
        return;
    if (!global && symbols_.definitions().count(y.name) != 0) return;
    std::optional<output_place> at;
    if (y.is_common) {
        at = place_of_common(s);
    } else {
        at = place_of({s.first, y.section});
        if (at && !is_data(symbols_.section({s.first, y.section}).name)) return;
        if (at) at->offset += y.value;
    }
    if (!at) return;
    const std::uint8_t other = y.other & managed_variable;
    writer_.add_symbol({y.name, global ? y.binding : std::uint8_t{STB_LOCAL}, STT_OBJECT, other,
                        at->section, at->offset, y.size});
}

std::optional<output_place> link_sections::place_of(in_file section) const {
    const auto at = placed_.find(section);
    return at == placed_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<output_place> link_sections::place_of_common(in_file symbol) const {
    const auto at = common_.find(symbol);
    return at == common_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace simtlm::sass
