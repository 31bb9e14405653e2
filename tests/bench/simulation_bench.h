// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::bench {

/// Elaborates the designs that benchmarks simulate, and registers those benchmarks. The designs
/// live as long as the result.
std::vector<std::unique_ptr<sc_core::sc_module>> register_simulations();

/// The part of them that is network and memory; called by it.
void register_memory_simulations(std::vector<std::unique_ptr<sc_core::sc_module>>& designs);

}  // namespace simtlm::bench
