// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/cubin.h"

#include "modules/sass/byte_reader.h"
#include "modules/sass/cubin_format.h"
#include "modules/sass/line_table.h"
#include "modules/support/display_text.h"
#include "modules/support/error.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace simtlm::sass {

namespace {

constexpr std::uint16_t machine_cuda = 190;  ///< e_machine of NVIDIA GPUs
constexpr unsigned char later_abi = 0x41;    ///< EI_OSABI; 0x33 before CUDA 13
template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
    T v;
    std::memcpy(&v, bytes.data() + offset, sizeof v);
    return v;
}

bool holds(std::string_view bytes, std::uint64_t offset, std::uint64_t n) {
    return offset <= bytes.size() && n <= bytes.size() - offset;
}

std::string_view name_at(std::string_view table, std::uint32_t offset) {
    if (offset >= table.size()) return {};
    const std::string_view rest = table.substr(offset);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace

instruction_word cubin_function::word(std::size_t n) const {
    return {at<std::uint64_t>(code, n * instruction_bytes),
            at<std::uint64_t>(code, n * instruction_bytes + 8)};
}

bool cubin::has_cubin_header(std::string_view bytes) {
    return bytes.size() >= sizeof(Elf64_Ehdr) && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0 &&
           bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB &&
           at<Elf64_Ehdr>(bytes, 0).e_machine == machine_cuda;
}

cubin::cubin(std::string bytes, std::string origin)
    : bytes_(std::move(bytes)), origin_(std::move(origin)) {
    if (!has_cubin_header(bytes_)) fail("this is no cubin (a 64-bit ELF file for NVIDIA GPUs)");
    const auto header = at<Elf64_Ehdr>(bytes_, 0);
    // From CUDA 13 on, the architecture is stored one byte higher.
    const bool later = static_cast<unsigned char>(bytes_[EI_OSABI]) == later_abi;
    architecture_ = (later ? header.e_flags >> 8 : header.e_flags) & 0xff;
    relocatable_ = header.e_type == ET_REL;
    if (architecture_ < 70)
        fail(fmt::format("machine code of sm_{} is not read; sm_70 and later are", architecture_));
    read_sections();
    read_symbols();
    read_relocations();
    read_functions();
    read_lines();
    read_virtual_architecture();
}

void cubin::fail(const std::string& what) const {
    throw support::user_error(origin_, what, "compile it again with nvcc -cubin");
}

void cubin::read_sections() {
    const auto header = at<Elf64_Ehdr>(bytes_, 0);
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !holds(bytes_, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
        fail("damaged: the section headers lie outside the file");
    std::vector<std::uint32_t> names;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto h = at<Elf64_Shdr>(bytes_, header.e_shoff + i * sizeof(Elf64_Shdr));
        cubin_section s;
        s.type = h.sh_type;
        s.flags = h.sh_flags;
        s.link = h.sh_link;
        s.info = h.sh_info;
        s.size = h.sh_size;
        s.alignment = std::max<std::uint64_t>(h.sh_addralign, 1);
        if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL && h.sh_type != section_shared &&
            h.sh_type != section_global) {
            if (!holds(bytes_, h.sh_offset, h.sh_size))
                fail(fmt::format("damaged: section {} lies outside the file", i));
            s.contents = std::string_view(bytes_).substr(h.sh_offset, h.sh_size);
        }
        names.push_back(h.sh_name);
        sections_.push_back(s);
    }
    if (header.e_shstrndx >= sections_.size()) fail("damaged: there are no names of sections");
    check_names(sections_[header.e_shstrndx].contents);
    for (std::size_t i = 0; i < sections_.size(); ++i)
        sections_[i].name = name_at(sections_[header.e_shstrndx].contents, names[i]);
    for (std::uint32_t i = 0; i < sections_.size(); ++i)
        section_numbers_.emplace(sections_[i].name, i);
}

/// Checks a table of names, which are printed in messages and reports.
void cubin::check_names(std::string_view table) const {
    while (!table.empty()) {
        const std::string_view name = table.substr(0, table.find('\0'));
        if (!support::is_printable(name))
            fail(fmt::format("damaged: the name {} contains control characters", name));
        table.remove_prefix(std::min(name.size() + 1, table.size()));
    }
}

void cubin::read_symbols() {
    for (const cubin_section& s : sections_) {
        if (s.type != SHT_SYMTAB) continue;
        if (s.link >= sections_.size()) fail("damaged: symbols have no names");
        check_names(sections_[s.link].contents);
        for (std::uint64_t o = 0; holds(s.contents, o, sizeof(Elf64_Sym)); o += sizeof(Elf64_Sym)) {
            const auto e = at<Elf64_Sym>(s.contents, o);
            cubin_symbol y;
            y.name = name_at(sections_[s.link].contents, e.st_name);
            y.value = e.st_value;
            y.size = e.st_size;
            y.section = e.st_shndx < sections_.size() ? e.st_shndx : 0;
            y.is_common = e.st_shndx == common_symbol;
            y.type = ELF64_ST_TYPE(e.st_info);
            y.binding = ELF64_ST_BIND(e.st_info);
            y.other = e.st_other;
            symbols_.push_back(y);
        }
        return;
    }
}

void cubin::read_relocations() {
    for (const cubin_section& s : sections_) {
        const bool with_addend = s.type == SHT_RELA;
        if (s.type != SHT_REL && !with_addend) continue;
        if (s.info >= sections_.size())
            fail(fmt::format("damaged: {} patches a section that is not there", s.name));
        const std::uint64_t entry = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (std::uint64_t o = 0; holds(s.contents, o, entry); o += entry) {
            const auto e = at<Elf64_Rel>(s.contents, o);
            cubin_relocation r;
            r.section = s.info;
            r.offset = e.r_offset;
            r.type = static_cast<std::uint32_t>(ELF64_R_TYPE(e.r_info));
            r.symbol = static_cast<std::uint32_t>(ELF64_R_SYM(e.r_info));
            r.has_addend = with_addend;
            if (with_addend) r.addend = at<Elf64_Rela>(s.contents, o).r_addend;
            if (r.symbol >= symbols_.size() || r.offset >= sections_[s.info].size)
                fail(fmt::format("damaged: {} has an entry that points nowhere", s.name));
            relocations_.push_back(r);
        }
    }
}

void cubin::read_functions() {
    // By section: the symbols of functions.
    std::unordered_multimap<std::uint32_t, std::uint32_t> symbols;
    for (std::uint32_t y = 0; y < symbols_.size(); ++y)
        if (symbols_[y].type == STT_FUNC && symbols_[y].section != 0)
            symbols.emplace(symbols_[y].section, y);
    for (std::uint32_t n = 0; n < sections_.size(); ++n) {
        const cubin_section& s = sections_[n];
        if (s.type != SHT_PROGBITS || !begins_with(s.name, ".text.")) continue;
        cubin_function f;
        f.name = s.name.substr(6);
        f.section = n;
        f.code = s.contents.substr(0, s.contents.size() / instruction_bytes * instruction_bytes);
        f.registers = s.info >> 24;  // older compilers; an attribute states it, too
        const auto [first, last] = symbols.equal_range(n);
        for (auto y = first; y != last; ++y)
            if (y->second >= f.symbol && symbols_[y->second].name == f.name) {
                f.symbol = y->second;
                f.is_kernel = (symbols_[f.symbol].other & 0x10) != 0;
            }
        const auto sized = [&](std::string_view prefix) -> const cubin_section* {
            return find_section(std::string(prefix) + std::string(f.name));
        };
        if (const cubin_section* shared = sized(".nv.shared."))
            f.static_shared = static_cast<std::uint32_t>(shared->size);
        const auto number = static_cast<std::uint32_t>(functions_.size());
        function_numbers_.emplace(f.name, number);
        functions_by_section_.emplace(n, number);
        if (f.symbol != 0) functions_by_symbol_.emplace(f.symbol, number);
        functions_.push_back(std::move(f));
    }
    if (const cubin_section* common = find_section(".nv.info"))
        read_attributes(common->contents, nullptr);
    for (cubin_function& f : functions_)
        if (const cubin_section* own = find_section(".nv.info." + std::string(f.name)))
            read_attributes(own->contents, &f);
}

void cubin::read_attributes(std::string_view contents, cubin_function* function) {
    // Attributes of .nv.info name the function to which they apply.
    const auto by_symbol = [&](std::uint32_t symbol) -> cubin_function* {
        const auto at = functions_by_symbol_.find(symbol);
        return at == functions_by_symbol_.end() ? nullptr : &functions_[at->second];
    };
    std::map<std::uint32_t, cubin_parameter> parameters;
    byte_reader r(contents);
    while (!r.done()) {
        const auto form = r.take<std::uint8_t>();
        const auto what = r.take<std::uint8_t>();
        const auto half = r.take<std::uint16_t>();
        std::string_view value;
        if (form == sized_value)
            value = r.take_bytes(half);
        else if (form < no_value || form > sized_value)
            return;  // unknown format: the rest cannot be parsed
        byte_reader v(value);
        switch (what) {
            case register_count:
            case frame_size:
            case min_stack_size: {
                const auto symbol = v.take<std::uint32_t>();
                const auto number = v.take<std::uint32_t>();
                cubin_function* const f = by_symbol(symbol);
                if (v.failed() || f == nullptr) break;
                (what == register_count ? f->registers
                 : what == frame_size   ? f->frame_bytes
                                        : f->stack_bytes) = number;
                break;
            }
            case max_threads:
                if (function != nullptr)
                    for (std::uint32_t& n : function->max_block_threads)
                        n = v.take<std::uint32_t>();
                break;
            case reqntid:
                if (function != nullptr)
                    for (std::uint32_t& n : function->block) n = v.take<std::uint32_t>();
                break;
            case max_cluster_rank:
                if (function != nullptr) function->max_cluster = v.take<std::uint32_t>();
                break;
            case blocks_are_clusters:
                if (function != nullptr) function->blocks_are_clusters = true;
                break;
            case cta_per_cluster:
                if (function != nullptr)
                    for (std::uint32_t& n : function->cluster) n = v.take<std::uint32_t>();
                break;
            case num_barriers:
                if (function != nullptr) function->barriers = half & 0xff;
                break;
            case param_cbank:
                if (function != nullptr) {
                    const auto section = v.take<std::uint32_t>();
                    const auto place = v.take<std::uint32_t>();
                    static_cast<void>(section);
                    function->parameter_base = place & 0xffff;
                    function->parameter_bytes = place >> 16;
                }
                break;
            case kparam_info:
            case kparam_info_2: {
                v.skip(4);  // index, unused
                const auto ordinal = v.take<std::uint16_t>();
                cubin_parameter p;
                p.offset = v.take<std::uint16_t>();
                const auto size = v.take<std::uint32_t>();
                // The later form is for kernels with more than 4 KB of parameters.
                p.size = what == kparam_info ? size >> 18 : size;
                if (!v.failed()) parameters[ordinal] = p;
                break;
            }
            case externs:
                while (function != nullptr && v.left() >= 4) {
                    const auto symbol = v.take<std::uint32_t>();
                    if (symbol < symbols_.size())
                        function->externals.push_back(symbols_[symbol].name);
                }
                break;
            default:
                break;
        }
    }
    if (function != nullptr)
        for (const auto& p : parameters) function->parameters.push_back(p.second);
}

void cubin::read_lines() {
    std::uint32_t section = 0;
    while (section < sections_.size() && sections_[section].name != ".debug_line") ++section;
    if (section == sections_.size()) return;
    line_table table = read_line_table(sections_[section].contents);
    files_ = std::move(table.files);
    // The start addresses of sequences are symbols, filled in by relocations.
    std::unordered_map<std::uint64_t, const cubin_relocation*> starts;
    for (const cubin_relocation& r : relocations_)
        if (r.section == section) starts.emplace(r.offset, &r);
    for (const line_row& row : table.rows) {
        const auto start = starts.find(table.set_address_offsets[row.sequence]);
        if (start == starts.end()) continue;
        const cubin_relocation& r = *start->second;
        const cubin_symbol& y = symbols_[r.symbol];
        const auto function = functions_by_section_.find(y.section);
        if (function == functions_by_section_.end()) continue;
        functions_[function->second].lines.push_back(
            {y.value + static_cast<std::uint64_t>(r.addend) + row.address, row.file, row.line});
    }
    for (cubin_function& f : functions_)
        std::stable_sort(f.lines.begin(), f.lines.end(),
                         [](const auto& a, const auto& b) { return a.offset < b.offset; });
}

void cubin::read_virtual_architecture() {
    // Before CUDA 13, it is stored in the flags of the header; from CUDA 13 on, in the second half
    // word of a note, after the header and owner name of the note.
    virtual_architecture_ = architecture_;
    const auto header = at<Elf64_Ehdr>(bytes_, 0);
    unsigned noted = 0;
    if (static_cast<unsigned char>(bytes_[EI_OSABI]) != later_abi) {
        noted = header.e_flags >> 16 & 0xff;
    } else if (const cubin_section* note = find_section(".note.nv.cuinfo")) {
        byte_reader r(note->contents);
        const auto name_bytes = r.take<std::uint32_t>();
        r.skip(8);
        r.skip((std::min(name_bytes, 64u) + 3) / 4 * 4);
        r.skip(2);
        noted = r.take<std::uint16_t>();
        if (r.failed()) noted = 0;
    }
    if (noted >= 30 && noted <= architecture_) virtual_architecture_ = noted;
}

const cubin_section* cubin::find_section(std::string_view name) const {
    const auto at = section_numbers_.find(name);
    return at == section_numbers_.end() ? nullptr : &sections_[at->second];
}

const cubin_function* cubin::find_function(std::string_view name) const {
    const auto at = function_numbers_.find(name);
    return at == function_numbers_.end() ? nullptr : &functions_[at->second];
}

const cubin_function* cubin::function_in(std::uint32_t section) const {
    const auto at = functions_by_section_.find(section);
    return at == functions_by_section_.end() ? nullptr : &functions_[at->second];
}

}  // namespace simtlm::sass
