// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::test {

/// A random PTX kernel `drawn` with arithmetic, loops and divergent branches, shared memory between
/// barriers, and loads from a table. Every thread writes one word of its own: the result does not
/// depend on the order of threads. Parameters: a table of 256 u32, and the list of results.
std::string random_program(unsigned seed);

}  // namespace simtlm::test
