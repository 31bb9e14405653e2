// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin_writer.h"
#include "modules/sass/link_functions.h"
#include "modules/sass/link_relocations.h"
#include "modules/sass/link_sections.h"
#include "modules/sass/link_symbols.h"

namespace simtlm::sass {

/// Writes the attributes of functions (EIATTR_*): registers, frame and stack in .nv.info, the
/// others in .nv.info.FUNCTION, and registers and symbol in the information of the section of code.
/// @param undefined  system functions that code may call
void write_attributes(const link_symbols& symbols, const link_functions& functions,
                      const link_sections& sections, const undefined_table& undefined,
                      cubin_writer& writer);

}  // namespace simtlm::sass
