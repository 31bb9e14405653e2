// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/linker.h"

#include "modules/sass/cubin_writer.h"
#include "modules/sass/link_attributes.h"
#include "modules/sass/link_diagnostics.h"
#include "modules/sass/link_functions.h"
#include "modules/sass/link_memory.h"
#include "modules/sass/link_relocations.h"
#include "modules/sass/link_sections.h"
#include "modules/sass/link_symbols.h"

#include <elf.h>

#include <utility>

namespace simtlm::sass {

namespace {

std::string one_line(const std::string& text) {
    std::string line;
    for (const char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
    return line;
}

}  // namespace

link_error::link_error(const std::string& name, std::string reasons)
    : user_error(name, one_line(reasons)), reasons_(std::move(reasons)) {}

std::string link(const std::vector<link_object>& objects, const std::string& name,
                 undefined_symbols undefined) {
    link_diagnostics diagnostics(name);
    const link_symbols symbols(objects, diagnostics);
    if (undefined == undefined_symbols::are_errors) symbols.check_undefined(diagnostics);
    diagnostics.throw_if_any();
    const link_functions functions(symbols);
    const link_memory memory(symbols, functions, diagnostics);
    cubin_writer writer;
    link_sections sections(symbols, functions, memory, writer, diagnostics);
    sections.place_data();
    diagnostics.throw_if_any();
    sections.place_functions();
    sections.add_symbols();
    const undefined_table loaded =
        relocate(symbols, functions, memory, sections, writer, diagnostics);
    write_attributes(symbols, functions, sections, loaded, writer);
    diagnostics.throw_if_any();
    return writer.write(symbols.newest(), diagnostics);
}

std::shared_ptr<const cubin> executable(std::shared_ptr<const cubin> file) {
    if (!file->is_relocatable()) return file;
    std::string bytes = link({{file, false}}, file->origin(), undefined_symbols::are_kept);
    return std::make_shared<const cubin>(std::move(bytes), file->origin());
}

std::vector<std::string> strong_definitions(const cubin& file) {
    std::vector<std::string> names;
    for (const cubin_symbol& s : file.symbols())
        if (file.is_relocatable() && s.binding == STB_GLOBAL && s.section != 0 &&
            s.type != STT_SECTION && !s.name.empty())
            names.emplace_back(s.name);
    return names;
}

}  // namespace simtlm::sass
