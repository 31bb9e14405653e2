// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/loaded_module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::cuda {

/// Entries of what begins with a fat binary's header (magic 0xba55ed50): PTX and machine code for
/// several architectures, packed with LZ4, with zstd or not at all. Entries of other kinds are left
/// out; those that no GPU of the capability runs are there without code.
/// @throws failure  the header is not one
std::vector<device::code_candidate> read_fat_binary(const void* header, unsigned capability);

/// What code was handed over, by its first bytes.
enum class code_form : std::uint8_t { fat_wrapper, fat_binary, cubin, ptx };
code_form form_of(const void* code);

/// The code that is run on a GPU of a capability.
/// @param name  for messages
/// @throws failure  there is none
device::module_source choose(const std::vector<device::code_candidate>& candidates,
                             unsigned capability, device::code_preference preference,
                             const std::string& name);

/// Modules that were compiled apart, as one. @throws failure
device::module_source link(const std::vector<device::module_source>& inputs,
                           const std::string& name);

/// The module in code of any form. @throws failure
device::module_source module_in(const void* code, unsigned capability,
                                device::code_preference preference, const std::string& name);

/// What machine code says of its kernels: registers. Empty if it is no ELF file.
std::map<std::string, device::compiled_descriptor> read_cubin(const std::string& elf);

}  // namespace simtlm::cuda
