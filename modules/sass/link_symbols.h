// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin.h"
#include "modules/sass/link_diagnostics.h"
#include "modules/sass/linker.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::sass {

using file_index = std::uint32_t;
/// A symbol or a section of one of the files: the file and the index in it.
using in_file = std::pair<file_index, std::uint32_t>;

/// The constant bank of a section, and whether the section belongs to one function.
struct bank_name {
    unsigned bank = 0;
    bool of_function = false;
};
/// The bank of .nv.constantN or .nv.constantN.FUNCTION; none for other sections.
std::optional<bank_name> bank_of(std::string_view section);
/// Whether a section contains variables of global memory, or constants that no function owns.
bool is_data(std::string_view section);

/// Resolves the symbols of relocatable cubins: the objects that are included, the definition of
/// every global symbol, and the live sections, which a kernel or a variable refers to.
class link_symbols {
public:
    /// Includes objects: those that are not on demand, then members of libraries for as long as
    /// they define a symbol that is needed. Reports multiple definitions, and architectures that
    /// cannot be combined.
    /// @param objects  executable ones are ignored
    link_symbols(const std::vector<link_object>& objects, link_diagnostics& diagnostics);

    /// Reports references of live sections to symbols that no object and no system function
    /// defines. Weak references are permitted.
    void check_undefined(link_diagnostics& diagnostics) const;

    /// The included files, in the order in which they were given.
    const std::vector<file_index>& files() const { return files_; }
    /// The newest architecture among them: 80 for sm_80.
    unsigned architecture() const { return architecture_; }
    /// The last file of this architecture.
    const cubin& newest() const { return file(newest_); }

    const cubin& file(file_index f) const { return *objects_[f].file; }
    const cubin_symbol& symbol(in_file s) const { return file(s.first).symbols()[s.second]; }
    const cubin_section& section(in_file s) const { return file(s.first).sections()[s.second]; }
    /// @param section  of an included file
    const std::vector<const cubin_relocation*>& relocations(in_file section) const {
        return relocations_.at(section.first)[section.second];
    }

    /// Sections that the result contains, in the order of the files.
    const std::set<in_file>& live() const { return live_; }
    /// Definitions of global symbols, by name.
    const std::map<std::string_view, in_file>& definitions() const { return definitions_; }
    /// The definition of a symbol that a file refers to; the symbol itself if there is no other.
    in_file resolved(in_file symbol) const;

    static bool defines(const cubin_symbol& s) { return s.section != 0 || s.is_common; }
    static bool is_global(const cubin_symbol& s);
    /// Whether a symbol is an array of dynamic shared memory: extern __shared__.
    static bool is_dynamic_shared(const cubin_symbol& s);
    /// Whether a symbol is a variable of static shared memory.
    bool is_shared(in_file symbol) const;

private:
    void include_objects(link_diagnostics& diagnostics);
    void include(file_index f, link_diagnostics& diagnostics);
    bool is_needed(file_index f) const;
    void check_architectures(link_diagnostics& diagnostics);
    void find_live();

    std::vector<link_object> objects_;
    std::vector<bool> included_;
    std::vector<file_index> files_;
    std::map<std::string_view, in_file> definitions_;
    std::set<std::string_view> needed_;
    unsigned architecture_ = 0;
    file_index newest_ = 0;
    /// By file and section.
    std::map<file_index, std::vector<std::vector<const cubin_relocation*>>> relocations_;
    std::set<in_file> live_;
};

}  // namespace simtlm::sass
