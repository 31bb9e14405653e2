// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/program_image.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::device {

/// Properties of a kernel reported by a compiler, used instead of an estimate.
struct compiled_descriptor {
    unsigned registers = 0;  ///< per thread; 0: unknown
};

/// A module as passed by a host, not parsed yet.
struct module_source {
    std::string name;  ///< used in messages
    execution::instruction_set isa = execution::instruction_set::ptx;
    std::string code;                                     ///< PTX text, or a cubin (ELF file)
    std::map<std::string, compiled_descriptor> compiled;  ///< for PTX, by kernel
    /// For PTX: bytes reserved before the shared variables of every kernel, so that none of them
    /// has the address 0 (execution::kernel_image::reserved_shared).
    std::uint32_t reserved_shared = 0;
    /// Fallback for machine code that cannot be executed entirely; nullptr: none, and launching an
    /// unsupported kernel fails.
    std::shared_ptr<const module_source> otherwise;
};

/// One of several forms of the same module: an entry of a fat binary.
struct code_candidate {
    execution::instruction_set isa = execution::instruction_set::ptx;
    unsigned architecture = 0;  ///< 70 for compute_70 or sm_70
    std::string code;
    char suffix = 0;  ///< 'a' for sm_90a, 'f' for sm_100f; 0: none
};

/// Which form of a module is preferred.
enum class code_preference : std::uint8_t {
    ptx,
    sass,       ///< machine code
    automatic,  ///< machine code that the GPU can run, else PTX, as NVIDIA's driver
};

/// Architectures up to which a GPU runs code: 70 for compute capability 7.0.
struct gpu_architecture {
    unsigned machine_code;
    unsigned ptx;  ///< higher than machine_code if the user permits newer PTX
    gpu_architecture(unsigned both) : machine_code(both), ptx(both) {}
    gpu_architecture(unsigned code, unsigned text) : machine_code(code), ptx(text) {}
};

/// Returns whether a GPU can run a form; see sass::ptx_runs_on, sass::machine_code_runs_on.
bool runs_on(const code_candidate& c, gpu_architecture gpu);

/// Selects the form that a GPU executes: of those that it can run, the newest PTX or machine code.
/// @return nullptr if no form is suitable
const code_candidate* choose_code(const std::vector<code_candidate>& candidates,
                                  gpu_architecture gpu, code_preference preference);

}  // namespace simtlm::device
