// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::bench {

/// Elaborates the designs that benchmarks simulate, and registers those benchmarks. The result owns
/// the designs.
std::vector<std::unique_ptr<sc_core::sc_module>> register_simulations();

/// Registers the designs of network and memory; called by register_simulations().
void register_memory_simulations(std::vector<std::unique_ptr<sc_core::sc_module>>& designs);

}  // namespace simtlm::bench
