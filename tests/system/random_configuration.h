// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/system/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::test {

/// A GPU at random, and a trace for it: number n of a seed is the same GPU always.
struct random_configuration {
    /// @param folder  where a description of a router network is put
    random_configuration(std::uint64_t seed, std::uint64_t number, const scratch_folder& folder);

    /// The command line without the trace; a few are refused for what contradicts itself.
    std::vector<std::string> options;
    std::string trace;
};

/// A number from the environment (SIMTLM_SEED, SIMTLM_CONFIGURATIONS), or another where there is
/// none.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace simtlm::test
