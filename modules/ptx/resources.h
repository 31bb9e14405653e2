// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// Position of a variable in its state space.
struct placed_variable {
    std::uint32_t variable = no_index;  ///< index into module.variables
    std::uint64_t offset = 0;           ///< bytes
};

/// Resources that a CTA of an entry needs, including those of called functions.
struct resource_demand {
    std::uint32_t registers = 0;       ///< 32-bit registers per thread; see estimate_registers
    std::uint64_t shared_bytes = 0;    ///< static shared memory per CTA
    std::uint64_t local_bytes = 0;     ///< local variables per thread along the deepest call chain
    std::uint64_t constant_bytes = 0;  ///< the module's .const variables
    std::uint64_t parameter_bytes = 0;
    /// Positions of the shared variables that the entry can reach, in order of declaration; extern
    /// variables without size (dynamic shared memory) all start at the end of the static ones.
    std::vector<placed_variable> shared;
    std::vector<placed_variable> parameters;
};

/// Computes the resources of an entry. Function pointers are assumed to reach every function whose
/// address the module takes.
resource_demand estimate_resources(const module& m, const function& entry);

/// Estimates the registers that a compiler would allocate to a single function: the maximum number
/// of live 32-bit registers (64-bit values count as two, predicates as none; constants, parameters
/// and addresses of variables are rematerialised), 20 % more if the function has a loop, and six
/// for addresses and temporaries of machine instructions. At most 255.
std::uint32_t estimate_registers(const module& m, const function& f, const control_flow& flow);

/// The functions that a function can call, starting with itself, each once.
std::vector<std::uint32_t> reachable_functions(const module& m, const function& from);

}  // namespace simtlm::ptx
