// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::bench {

/// Elaborates the designs that benchmarks simulate, and registers those benchmarks. The designs
/// live as long as the result.
std::vector<std::unique_ptr<sc_core::sc_module>> register_simulations();

}  // namespace simtlm::bench
