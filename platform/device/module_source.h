// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/program_image.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::device {

/// What a compiler has said of a kernel, in place of an estimate.
struct compiled_descriptor {
    unsigned registers = 0;  ///< per thread; 0: not known
};

/// A module as a host hands it over, not yet read.
struct module_source {
    std::string name;  ///< for messages
    execution::instruction_set isa = execution::instruction_set::ptx;
    std::string code;                                     ///< PTX as text, or a cubin: an ELF file
    std::map<std::string, compiled_descriptor> compiled;  ///< by kernel; of PTX
    /// Of PTX: bytes in front of the shared variables of every kernel, so that none of them has the
    /// address 0 (execution::kernel_image::reserved_shared).
    std::uint32_t reserved_shared = 0;
    /// What is run in its place where it is machine code that cannot be executed whole; nullptr:
    /// nothing, and a launch of what cannot be executed fails.
    std::shared_ptr<const module_source> otherwise;
};

/// One of the forms in which a host hands over the same module: an entry of a fat binary.
struct code_candidate {
    execution::instruction_set isa = execution::instruction_set::ptx;
    unsigned architecture = 0;  ///< 70 for compute_70 or sm_70
    std::string code;
};

/// Which of several forms is executed.
enum class code_preference : std::uint8_t {
    ptx,
    sass,       ///< machine code
    automatic,  ///< machine code for the GPU's very architecture, else PTX, else older machine code
};

/// The form that a GPU executes. Of PTX: the newest that is not newer than the GPU. Of machine
/// code: the newest of the GPU's generation (major number) that is not newer.
/// @param architecture  of the GPU: 70 for compute capability 7.0
/// @return nullptr: there is none
const code_candidate* choose_code(const std::vector<code_candidate>& candidates,
                                  unsigned architecture, code_preference preference);

}  // namespace simtlm::device
