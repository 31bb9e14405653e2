// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/cubin_writer.h"

#include "modules/sass/byte_writer.h"
#include "modules/sass/cubin_format.h"

#include <elf.h>

#include <cstring>
#include <utility>

namespace simtlm::sass {

cubin_writer::cubin_writer() {
    sections_.emplace_back();  // section 0
    sections_.front().type = SHT_NULL;
    add_symbol({});
}

std::uint32_t cubin_writer::section_called(const std::string& name, std::uint32_t type,
                                           std::uint64_t flags) {
    const auto [at, fresh] =
        section_of_.emplace(name, static_cast<std::uint32_t>(sections_.size()));
    if (!fresh) return at->second;
    output_section s;
    s.name = name;
    s.type = type;
    s.flags = flags;
    sections_.push_back(std::move(s));
    return at->second;
}

std::optional<std::uint32_t> cubin_writer::find_section(const std::string& name) const {
    const auto at = section_of_.find(name);
    return at == section_of_.end() ? std::nullopt : std::optional(at->second);
}

void cubin_writer::add_section_symbols() {
    for (std::uint32_t n = 1; n < sections_.size(); ++n)
        sections_[n].symbol = add_symbol({sections_[n].name, STB_LOCAL, STT_SECTION, 0, n, 0, 0});
}

std::uint32_t cubin_writer::add_symbol(const output_symbol& s) {
    append<std::uint32_t>(symbols_, static_cast<std::uint32_t>(strings_.size()));
    strings_ += s.name;
    strings_ += '\0';
    append<std::uint8_t>(symbols_, ELF64_ST_INFO(s.binding, s.type));
    append<std::uint8_t>(symbols_, s.other);
    append<std::uint16_t>(symbols_, static_cast<std::uint16_t>(s.section));
    append<std::uint64_t>(symbols_, s.value);
    append<std::uint64_t>(symbols_, s.size);
    return symbol_count_++;
}

void cubin_writer::add_relocation(std::uint32_t section, std::uint64_t offset, std::uint32_t type,
                                  std::uint32_t symbol, std::uint64_t addend) {
    std::string& to = relocations_[section];
    append<std::uint64_t>(to, offset);
    append<std::uint64_t>(to, std::uint64_t{symbol} << 32 | type);
    append<std::uint64_t>(to, addend);
}

void cubin_writer::add_relocation_sections() {
    for (const auto& r : relocations_) {
        output_section s;
        s.name = ".rela" + sections_[r.first].name;
        s.type = SHT_RELA;
        s.flags = SHF_INFO_LINK;
        s.alignment = 8;
        s.info = r.first;
        s.entry = sizeof(Elf64_Rela);
        s.bytes = r.second;
        sections_.push_back(std::move(s));
    }
}

void cubin_writer::add_note(const cubin& like) {
    for (const cubin_section& s : like.sections()) {
        if (s.name != ".note.nv.cuinfo") continue;
        output_section note;
        note.name = s.name;
        note.type = SHT_NOTE;
        note.alignment = 4;
        note.bytes = s.contents;
        sections_.push_back(std::move(note));
    }
}

void cubin_writer::add_symbol_table() {
    const auto symbols = static_cast<std::uint32_t>(sections_.size());
    output_section table;
    table.name = ".symtab";
    table.type = SHT_SYMTAB;
    table.alignment = 8;
    table.link = symbols + 1;
    table.info = locals_;
    table.entry = sizeof(Elf64_Sym);
    table.bytes = symbols_;
    sections_.push_back(std::move(table));
    output_section strings;
    strings.name = ".strtab";
    strings.type = SHT_STRTAB;
    strings.bytes = strings_;
    sections_.push_back(std::move(strings));
    for (output_section& s : sections_)
        if (s.type == SHT_RELA || s.type == section_info) s.link = symbols;
}

std::vector<std::uint32_t> cubin_writer::add_section_names() {
    output_section names;
    names.name = ".shstrtab";
    names.type = SHT_STRTAB;
    sections_.push_back(std::move(names));
    std::vector<std::uint32_t> name_at;
    std::string all(1, '\0');
    for (const output_section& s : sections_) {
        name_at.push_back(s.name.empty() ? 0 : static_cast<std::uint32_t>(all.size()));
        if (!s.name.empty()) all += s.name + '\0';
    }
    sections_.back().bytes = std::move(all);
    return name_at;
}

std::string cubin_writer::write(const cubin& like, link_diagnostics& diagnostics) {
    add_relocation_sections();
    add_note(like);
    add_symbol_table();
    const std::vector<std::uint32_t> name_at = add_section_names();
    if (sections_.size() >= SHN_LORESERVE) {
        diagnostics.error("there are too many functions");
        diagnostics.throw_if_any();
    }

    auto header = read_at<Elf64_Ehdr>(like.bytes(), 0);
    header.e_type = ET_EXEC;
    header.e_entry = header.e_phoff = 0;
    header.e_phnum = 0;
    header.e_shnum = static_cast<std::uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<std::uint16_t>(sections_.size() - 1);
    std::string bytes(sizeof header, '\0');
    std::vector<Elf64_Shdr> headers;
    for (std::size_t n = 0; n < sections_.size(); ++n) {
        const output_section& s = sections_[n];
        Elf64_Shdr h{};
        if (s.type != SHT_NULL) {
            const bool has_bytes = s.type != SHT_NOBITS;
            bytes.resize(aligned(bytes.size(), has_bytes ? s.alignment : 1));
            h.sh_name = name_at[n];
            h.sh_type = s.type;
            h.sh_flags = s.flags;
            h.sh_offset = bytes.size();
            h.sh_size = has_bytes ? s.bytes.size() : s.size;
            h.sh_link = s.link;
            h.sh_info = s.info;
            h.sh_addralign = s.alignment;
            h.sh_entsize = s.entry;
            bytes += s.bytes;
        }
        headers.push_back(h);
    }
    bytes.resize(aligned(bytes.size(), 8));
    header.e_shoff = bytes.size();
    for (const Elf64_Shdr& h : headers) append(bytes, h);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

}  // namespace simtlm::sass
