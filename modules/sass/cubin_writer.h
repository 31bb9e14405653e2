// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin.h"
#include "modules/sass/link_diagnostics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::sass {

/// A section of a cubin that is written.
struct output_section {
    std::string name;
    std::uint32_t type = 0;   ///< SHT_*
    std::uint64_t flags = 0;  ///< SHF_*
    std::uint64_t alignment = 1;
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry = 0;  ///< bytes of an entry of a table
    std::string bytes;
    std::uint64_t size = 0;    ///< if it has no bytes: SHT_NOBITS
    std::uint32_t symbol = 0;  ///< that of the section
};

/// A symbol of a cubin that is written.
struct output_symbol {
    std::string_view name;
    std::uint8_t binding = 0;   ///< STB_*
    std::uint8_t type = 0;      ///< STT_*
    std::uint8_t other = 0;     ///< cubin_symbol::other
    std::uint32_t section = 0;  ///< 0: undefined
    std::uint64_t value = 0;    ///< offset in the section
    std::uint64_t size = 0;
};

/// Builds an executable cubin from sections, symbols and relocations, and returns its bytes as an
/// ELF file. It does not interpret what the sections contain.
class cubin_writer {
public:
    cubin_writer();

    /// The section with a name, which is added if it does not exist. @return its index
    std::uint32_t section_called(const std::string& name, std::uint32_t type, std::uint64_t flags);
    std::optional<std::uint32_t> find_section(const std::string& name) const;
    output_section& section(std::uint32_t n) { return sections_[n]; }
    const output_section& section(std::uint32_t n) const { return sections_[n]; }
    const std::vector<output_section>& sections() const { return sections_; }

    /// Adds the symbols of the sections added so far; those added later have none.
    void add_section_symbols();
    /// Local symbols have to be added before global ones. @return the index of the symbol
    std::uint32_t add_symbol(const output_symbol& s);
    /// Ends the local symbols of the table.
    void end_local_symbols() { locals_ = symbol_count_; }
    /// Adds a relocation for the loader.
    void add_relocation(std::uint32_t section, std::uint64_t offset, std::uint32_t type,
                        std::uint32_t symbol, std::uint64_t addend);

    /// Adds the sections of relocations, symbols and names, and returns the bytes of the file.
    /// @param like  a cubin whose ELF header and note of the version are taken over
    /// @throws link_error  more sections than an ELF file can have
    std::string write(const cubin& like, link_diagnostics& diagnostics);

private:
    void add_relocation_sections();
    void add_note(const cubin& like);
    void add_symbol_table();
    /// Adds the names of sections. @return the offset of each section's name
    std::vector<std::uint32_t> add_section_names();

    std::vector<output_section> sections_;
    std::map<std::string, std::uint32_t> section_of_;       ///< by name
    std::map<std::uint32_t, std::string> relocations_;      ///< entries, by section
    std::string symbols_, strings_ = std::string(1, '\0');  ///< contents of the tables
    std::uint32_t symbol_count_ = 0, locals_ = 0;
};

}  // namespace simtlm::sass
