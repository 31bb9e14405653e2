// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/redirection/elf_object.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace simtlm::cuda {

namespace {

/// The string that begins at an offset of a string table; empty if it is not inside.
std::string_view string_at(std::string_view table, std::uint64_t offset) {
    if (offset >= table.size()) return {};
    const std::string_view rest = table.substr(offset);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace

elf_object::elf_object(const char* file, std::uintptr_t base) : base_(base) {
    const int f = open(file, O_RDONLY | O_CLOEXEC);
    if (f < 0) return;
    struct stat about;
    if (fstat(f, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        bytes_ = static_cast<std::uint64_t>(about.st_size);
        void* const p = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, f, 0);
        if (p != MAP_FAILED) data_ = static_cast<const char*>(p);
    }
    close(f);
    if (data_ == nullptr) bytes_ = 0;
    const auto* const header = at<Elf64_Ehdr>(0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
        return;
    sections_ = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    section_count_ = sections_ != nullptr ? header->e_shnum : 0;
    headers_ = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    header_count_ = headers_ != nullptr ? header->e_phnum : 0;
}

elf_object::~elf_object() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
}

std::string_view elf_object::strings(const Elf64_Shdr& section) const {
    const char* const text =
        section.sh_type == SHT_NOBITS ? nullptr : at<char>(section.sh_offset, section.sh_size);
    return text != nullptr ? std::string_view(text, section.sh_size) : std::string_view();
}

const Elf64_Shdr* elf_object::find(std::string_view name) const {
    if (section_count_ == 0) return nullptr;
    const std::size_t index = at<Elf64_Ehdr>(0)->e_shstrndx;
    if (index >= section_count_) return nullptr;
    const std::string_view names = strings(sections_[index]);
    const auto* const end = sections_ + section_count_;
    const auto* const found = std::find_if(
        sections_, end, [&](const Elf64_Shdr& s) { return string_at(names, s.sh_name) == name; });
    return found != end ? found : nullptr;
}

bool elf_object::has_section(std::string_view name) const {
    return find(name) != nullptr;
}

elf_object::range elf_object::section(std::string_view name) const {
    const Elf64_Shdr* const s = find(name);
    if (s == nullptr || (s->sh_flags & SHF_ALLOC) == 0) return {0, 0};
    return {base_ + s->sh_addr, base_ + s->sh_addr + s->sh_size};
}

std::vector<elf_object::symbol> elf_object::functions(std::string_view one_of_them) const {
    std::vector<symbol> found;
    std::string wanted(one_of_them);
    wanted.push_back('\0');
    for (std::size_t i = 0; i < section_count_; ++i) {
        const Elf64_Shdr& table = sections_[i];
        if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) ||
            table.sh_link >= section_count_)
            continue;
        const std::string_view names = strings(sections_[table.sh_link]);
        // Searching the names first is much faster than examining each symbol of a large object.
        if (memmem(names.data(), names.size(), wanted.data(), wanted.size()) == nullptr) continue;
        const std::size_t count = table.sh_size / sizeof(Elf64_Sym);
        const auto* const symbols = at<Elf64_Sym>(table.sh_offset, count);
        if (symbols == nullptr) continue;
        for (const Elf64_Sym* s = symbols; s != symbols + count; ++s)
            if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF &&
                s->st_value != 0)
                found.push_back({string_at(names, s->st_name), base_ + s->st_value, s->st_size});
    }
    const bool there = std::any_of(found.begin(), found.end(),
                                   [&](const symbol& s) { return s.name == one_of_them; });
    if (!there) found.clear();
    return found;
}

std::vector<elf_object::range> elf_object::segments(unsigned with, unsigned without) const {
    std::vector<range> found;
    for (std::size_t i = 0; i < header_count_; ++i) {
        const Elf64_Phdr& h = headers_[i];
        if (h.p_type == PT_LOAD && (h.p_flags & with) == with && (h.p_flags & without) == 0)
            found.push_back({base_ + h.p_vaddr, base_ + h.p_vaddr + h.p_filesz});
    }
    return found;
}

std::vector<std::uintptr_t> elf_object::function_starts() const {
    // The search table of .eh_frame_hdr: pairs of offsets from its beginning, sorted. All linkers
    // write the pointer as 4 bytes, the count as 4 bytes, and the table in this encoding.
    constexpr std::uint8_t relative_to_table = 0x3b, four_bytes = 0x03;
    std::vector<std::uintptr_t> starts;
    const auto* const h = std::find_if(headers_, headers_ + header_count_,
                                       [](const auto& p) { return p.p_type == PT_GNU_EH_FRAME; });
    if (h == headers_ + header_count_ || h->p_filesz < 12) return starts;
    const auto* const table = at<unsigned char>(h->p_offset, h->p_filesz);
    if (table == nullptr || table[2] != four_bytes || table[3] != relative_to_table) return starts;
    std::uint32_t count = 0;
    std::memcpy(&count, table + 8, sizeof count);
    if (count > (h->p_filesz - 12) / 8) return starts;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::int32_t offset = 0;
        std::memcpy(&offset, table + 12 + 8 * std::size_t{i}, sizeof offset);
        starts.push_back(base_ + h->p_vaddr + static_cast<std::uintptr_t>(std::intptr_t{offset}));
    }
    if (!std::is_sorted(starts.begin(), starts.end())) starts.clear();
    return starts;
}

std::string_view elf_object::soname() const {
    for (std::size_t i = 0; i < section_count_; ++i) {
        const Elf64_Shdr& s = sections_[i];
        if (s.sh_type != SHT_DYNAMIC || s.sh_link >= section_count_) continue;
        const std::size_t count = s.sh_size / sizeof(Elf64_Dyn);
        const auto* const entries = at<Elf64_Dyn>(s.sh_offset, count);
        if (entries == nullptr) continue;
        for (const Elf64_Dyn* d = entries; d != entries + count; ++d)
            if (d->d_tag == DT_SONAME)
                return string_at(strings(sections_[s.sh_link]), d->d_un.d_val);
    }
    return {};
}

}  // namespace simtlm::cuda
