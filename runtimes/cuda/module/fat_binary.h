// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/loaded_module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::cuda {

/// Reads the entries of a fat binary (magic 0xba55ed50): PTX and machine code for several
/// architectures, uncompressed or compressed with LZ4 or zstd. Entries of other kinds are skipped;
/// entries that the GPU cannot execute are returned without code.
/// @throws failure  if the header is invalid
std::vector<device::code_candidate> read_fat_binary(const void* header,
                                                    device::gpu_architecture gpu);

/// Form of the code passed by a program, determined from its first bytes.
enum class code_form : std::uint8_t { fat_wrapper, fat_binary, cubin, ptx };
code_form form_of(const void* code);

/// Selects the code that a GPU executes.
/// @param name  used in messages
/// @throws failure  if there is none
device::module_source choose(const std::vector<device::code_candidate>& candidates,
                             device::gpu_architecture gpu, device::code_preference preference,
                             const std::string& name);

/// Links separately compiled modules into one. @throws failure
device::module_source link(const std::vector<device::module_source>& inputs,
                           const std::string& name);

/// Reads a module from code of any form. @throws failure
device::module_source module_in(const void* code, device::gpu_architecture gpu,
                                device::code_preference preference, const std::string& name);

/// Reads the register counts of kernels in machine code. Empty if it is not an ELF file.
std::map<std::string, device::compiled_descriptor> read_cubin(const std::string& elf);

}  // namespace simtlm::cuda
