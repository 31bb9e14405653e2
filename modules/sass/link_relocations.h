// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin_writer.h"
#include "modules/sass/link_diagnostics.h"
#include "modules/sass/link_functions.h"
#include "modules/sass/link_memory.h"
#include "modules/sass/link_sections.h"
#include "modules/sass/link_symbols.h"

#include <cstdint>
#include <map>
#include <string_view>

namespace simtlm::sass {

/// Undefined symbols of the result, by name.
using undefined_table = std::map<std::string_view, std::uint32_t>;

/// Applies the relocations of all segments of the result. Offsets in shared memory and in constant
/// banks are written to the code; addresses, which only the loader knows, become relocations of the
/// result. Symbols that the loader has to define are added. Reports relocations of data of other
/// types than an address.
undefined_table relocate(const link_symbols& symbols, const link_functions& functions,
                         const link_memory& memory, const link_sections& sections,
                         cubin_writer& writer, link_diagnostics& diagnostics);

}  // namespace simtlm::sass
