// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/system/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::test {

/// A random GPU and a trace for it: a seed and number n always give the same GPU.
struct random_configuration {
    /// @param folder  for the description of a router network
    random_configuration(std::uint64_t seed, std::uint64_t number, const scratch_folder& folder);

    /// The command line without the trace; a few are rejected as inconsistent.
    std::vector<std::string> options;
    std::string trace;
};

/// A number from the environment (SIMTLM_SEED, SIMTLM_CONFIGURATIONS), or a default.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace simtlm::test
