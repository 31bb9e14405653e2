// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_relocations.h"

#include "modules/sass/byte_writer.h"
#include "modules/sass/relocation.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace simtlm::sass {

namespace {

/// Replaces bits first + width - 1 to first, within the lower double word of an instruction.
void set_bits(std::string& code, std::uint64_t offset, unsigned first, unsigned width,
              std::uint64_t value) {
    auto word = read_at<std::uint64_t>(code, offset);
    const std::uint64_t mask = (width == 64 ? 0 : std::uint64_t{1} << width) - 1;
    word = (word & ~(mask << first)) | (value & mask) << first;
    std::memcpy(code.data() + offset, &word, sizeof word);
}

/// What a relocation refers to, in the result.
struct relocation_target {
    enum class kind : std::uint8_t { none, address, shared, constant };
    kind what = kind::none;
    std::uint32_t symbol = 0;
    /// To be added to the symbol; an offset in shared memory or a bank.
    std::uint64_t value = 0;
    unsigned bank = 0;
};

class relocator {
public:
    relocator(const link_symbols& symbols, const link_functions& functions,
              const link_memory& memory, const link_sections& sections, cubin_writer& writer,
              link_diagnostics& diagnostics)
        : symbols_(symbols),
          functions_(functions),
          memory_(memory),
          sections_(sections),
          writer_(writer),
          diagnostics_(diagnostics) {}

    undefined_table relocate_all() {
        for (const auto& [output, segments] : sections_.segments())
            for (const output_segment& p : segments) {
                const auto function = functions_.function_in(p.section);
                for (const cubin_relocation* r : symbols_.relocations(p.section)) {
                    const relocation_target t = target_of({p.section.first, r->symbol}, function);
                    if (function)
                        relocate_code(output, p.offset + r->offset, *r, t);
                    else
                        relocate_data(output, p.offset + r->offset, *r, t);
                }
            }
        return std::move(undefined_);
    }

private:
    using kind = relocation_target::kind;

    /// @param function  that refers to it; none: data
    relocation_target target_of(in_file s, std::optional<std::uint32_t> function) {
        const in_file to = symbols_.resolved(s);
        const cubin_symbol& y = symbols_.symbol(to);
        if (s.second == 0) return {};
        if (link_symbols::is_dynamic_shared(y)) {
            if (!function) return {};
            return {kind::shared, 0, memory_.dynamic_start(*function), 0};
        }
        if (symbols_.is_shared(to)) {
            const auto offset = memory_.offset_of(0, to);
            if (!offset) return {};
            return {kind::shared, 0, *offset, 0};
        }
        if (y.is_common) return address_of(sections_.place_of_common(to), 0, 0);
        if (y.section == 0) return {kind::address, undefined_symbol(y), 0, 0};
        const in_file home{to.first, y.section};
        if (const auto f = functions_.function_in(home))
            return {kind::address, sections_.function_symbol(*f), y.value, 0};
        const auto bank = bank_of(symbols_.section(home).name);
        if (bank && bank->of_function) {
            const auto offset = memory_.offset_of(bank->bank, home);
            if (!offset) return {};
            return {kind::constant, 0, *offset + y.value, bank->bank};
        }
        return address_of(sections_.place_of(home), y.value, bank ? bank->bank : 0);
    }

    relocation_target address_of(std::optional<output_place> at, std::uint64_t offset,
                                 unsigned bank) const {
        if (!at) return {};
        return {kind::address, writer_.section(at->section).symbol, at->offset + offset, bank};
    }

    std::uint32_t undefined_symbol(const cubin_symbol& y) {
        const auto known = undefined_.find(y.name);
        if (known != undefined_.end()) return known->second;
        const std::uint8_t type = y.type == STT_FUNC ? STT_FUNC : STT_NOTYPE;
        const std::uint32_t n = writer_.add_symbol({y.name, STB_GLOBAL, type, 0, 0, 0, 0});
        undefined_.emplace(y.name, n);
        return n;
    }

    void relocate_code(std::uint32_t output, std::uint64_t offset, const cubin_relocation& r,
                       const relocation_target& t) {
        std::string& code = writer_.section(output).bytes;
        const std::uint64_t value = t.value + static_cast<std::uint64_t>(r.addend);
        if (r.type == relocation_yield || r.type == relocation_yield_clear ||
            r.type == relocation_table)
            return;
        if (offset > code.size() || code.size() - offset < instruction_bytes) return;
        const bool in_bank = t.what == kind::constant || t.bank != 0;
        const bool is_offset = t.what == kind::shared || in_bank;
        const bool whole = offset % instruction_bytes == 0;
        if (is_offset && whole) {
            switch (r.type) {
                case relocation_word:
                    return set_bits(code, offset, 32, 32, value);
                case relocation_half:
                    return set_bits(code, offset, 32, 16, value);
                case relocation_shared:
                    return set_bits(code, offset, 40, 24, value);
                case relocation_copied:
                    return set_bits(code, offset, 44, 20, value);
                case relocation_low:
                case relocation_high:
                    if (t.what == kind::address) break;
                    return set_bits(code, offset, 32, 32,
                                    r.type == relocation_low ? value : value >> 32);
                case relocation_constant_word:
                case relocation_constant_byte:
                case relocation_constant_uniform:
                    if (!in_bank) break;
                    // Bits 53:38: the offset in bytes, 53:37 of LDCU; 58:54: the bank. Operands
                    // that are whole words have other fields in the lowest two bits.
                    if (r.type == relocation_constant_word)
                        set_bits(code, offset, 40, 14, value >> 2);
                    else if (r.type == relocation_constant_uniform)
                        set_bits(code, offset, 37, 17, value);
                    else
                        set_bits(code, offset, 38, 16, value);
                    return set_bits(code, offset, 54, 5, t.bank);
                default:
                    break;
            }
        }
        writer_.add_relocation(output, offset, r.type, t.symbol, value);
    }

    void relocate_data(std::uint32_t output, std::uint64_t offset, const cubin_relocation& r,
                       const relocation_target& t) {
        output_section& o = writer_.section(output);
        const auto field = data_field_of(r.type);
        if (!field) {
            if (o.name != ".debug_line")
                diagnostics_.error(
                    fmt::format("a relocation of type {} in {}", relocation_name(r.type), o.name));
            return;
        }
        if (offset > o.bytes.size() || o.bytes.size() - offset < field->bytes) return;
        std::uint64_t value = t.value + static_cast<std::uint64_t>(r.addend);
        if (!r.has_addend) value += field->addend_at(o.bytes.data() + offset);
        std::memset(o.bytes.data() + offset, 0, field->bytes);
        const bool is_offset = t.what == kind::shared || t.what == kind::constant || t.bank != 0;
        if (is_offset && !field->generic) {
            field->store(value, o.bytes.data() + offset);
            return;
        }
        if (t.what == kind::address)
            writer_.add_relocation(output, offset, r.type, t.symbol, value);
        else if (t.what != kind::none)
            diagnostics_.error(fmt::format("a generic address of shared memory in {}", o.name));
    }

    const link_symbols& symbols_;
    const link_functions& functions_;
    const link_memory& memory_;
    const link_sections& sections_;
    cubin_writer& writer_;
    link_diagnostics& diagnostics_;
    undefined_table undefined_;
};

}  // namespace

undefined_table relocate(const link_symbols& symbols, const link_functions& functions,
                         const link_memory& memory, const link_sections& sections,
                         cubin_writer& writer, link_diagnostics& diagnostics) {
    return relocator(symbols, functions, memory, sections, writer, diagnostics).relocate_all();
}

}  // namespace simtlm::sass
