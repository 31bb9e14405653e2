// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::cuda {

/// An ELF object that is loaded in this process, and its file. Used while the dynamic loader works,
/// before constructors have run: no locale, stream or environment variable is accessed, and nothing
/// is thrown. A damaged or missing file has no sections and no symbols.
class elf_object {
public:
    /// A named function, at its address in this process.
    struct symbol {
        std::string_view name;  ///< valid as long as this object
        std::uintptr_t address;
        std::uint64_t bytes;  ///< 0: unknown
    };
    /// Memory of this process.
    struct range {
        std::uintptr_t begin, end;
        bool contains(std::uintptr_t a) const { return a >= begin && a < end; }
    };

    /// @param file  path of the object's file
    /// @param base  difference between addresses in this process and in the file
    elf_object(const char* file, std::uintptr_t base);
    ~elf_object();
    elf_object(const elf_object&) = delete;
    elf_object& operator=(const elf_object&) = delete;

    bool has_section(std::string_view name) const;
    /// Defined functions of both symbol tables, if one of the tables contains `one_of_them`.
    std::vector<symbol> functions(std::string_view one_of_them) const;
    /// The section of a name in memory; empty if there is none.
    range section(std::string_view name) const;
    /// Read-only data, with or without code; code.
    std::vector<range> constants() const { return segments(PF_R, PF_W); }
    std::vector<range> code() const { return segments(PF_X, PF_W); }
    /// Beginnings of all functions that exceptions can pass through, in ascending order; empty if
    /// the object has no table of them.
    std::vector<std::uintptr_t> function_starts() const;
    /// Name that other objects load this one by (DT_SONAME); empty if there is none.
    std::string_view soname() const;

private:
    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
        const std::uint64_t size = std::uint64_t{sizeof(T)} * count;
        return offset <= bytes_ && size <= bytes_ - offset
                   ? reinterpret_cast<const T*>(data_ + offset)
                   : nullptr;
    }
    const Elf64_Shdr* find(std::string_view name) const;
    std::string_view strings(const Elf64_Shdr& section) const;
    std::vector<range> segments(unsigned with, unsigned without) const;

    const char* data_ = nullptr;
    std::uint64_t bytes_ = 0;
    std::uintptr_t base_ = 0;
    const Elf64_Shdr* sections_ = nullptr;
    std::size_t section_count_ = 0;
    const Elf64_Phdr* headers_ = nullptr;
    std::size_t header_count_ = 0;
};

}  // namespace simtlm::cuda
