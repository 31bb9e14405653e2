// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// A variable's place in its space.
struct placed_variable {
    std::uint32_t variable = no_index;  ///< index into module.variables
    std::uint64_t offset = 0;           ///< bytes
};

/// What a CTA of an entry needs, functions that it calls included.
struct resource_demand {
    std::uint32_t registers = 0;       ///< 32-bit registers per thread; see estimate_registers
    std::uint64_t shared_bytes = 0;    ///< static shared memory per CTA
    std::uint64_t local_bytes = 0;     ///< local variables per thread along the deepest call chain
    std::uint64_t constant_bytes = 0;  ///< the module's .const variables
    std::uint64_t parameter_bytes = 0;
    /// Shared variables that the entry can reach, where they lie, in order of declaration; extern
    /// ones without size (dynamic shared memory) all begin where the static ones end.
    std::vector<placed_variable> shared;
    std::vector<placed_variable> parameters;
};

/// Adds up an entry's demand. Function pointers are taken to reach every function whose address the
/// module takes.
resource_demand estimate_resources(const module& m, const function& entry);

/// Estimates what a compiler would allocate to one function alone: the largest number of 32-bit
/// registers alive at once (64-bit values count two, predicates none; constants, parameters and
/// addresses of variables are made anew where they are used), a fifth more if the function has a
/// loop, and six for addresses and temporaries of machine instructions. 255 at most.
std::uint32_t estimate_registers(const module& m, const function& f, const control_flow& flow);

/// Functions that a function can call, itself first, each once.
std::vector<std::uint32_t> reachable_functions(const module& m, const function& from);

}  // namespace simtlm::ptx
