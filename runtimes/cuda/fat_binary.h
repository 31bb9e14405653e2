// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/loaded_module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::cuda {

/// One entry of a fat binary.
struct fat_entry {
    enum class kind : std::uint8_t { ptx, cubin, other };
    kind what = kind::other;
    unsigned architecture = 0;  ///< 70 for sm_70
    std::string contents;       ///< unpacked
};

/// Entries of what begins with a fat binary's header (magic 0xba55ed50): PTX and machine code for
/// several architectures, packed with LZ4, with zstd or not at all.
/// @throws device::failure  the header is not one
std::vector<fat_entry> read_fat_binary(const void* header);

/// What code was handed over, by its first bytes.
enum class code_form : std::uint8_t { fat_wrapper, fat_binary, cubin, ptx };
code_form form_of(const void* code);

/// The PTX that is run on a GPU of a capability: the newest that is not newer.
/// @param name  for messages
/// @throws device::failure  there is none
device::module_source choose_ptx(const std::vector<fat_entry>& entries, unsigned capability,
                                 const std::string& name);

/// Modules that were compiled apart, as one. @throws device::failure
device::module_source link(const std::vector<device::module_source>& inputs,
                           const std::string& name);

/// The module in code of any form. @throws device::failure
device::module_source module_in(const void* code, unsigned capability, const std::string& name);

/// What machine code says of its kernels: registers. Empty if it is no ELF file.
std::map<std::string, device::compiled_descriptor> read_cubin(const std::string& elf);

}  // namespace simtlm::cuda
