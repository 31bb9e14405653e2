// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::test {

/// A PTX kernel `drawn` of arithmetic, loops and branches that lanes take differently, shared
/// memory between barriers, and loads of a table, drawn at random. Every thread writes one word of
/// its own: the result does not depend on the order of threads.
/// Parameters: a table of 256 u32, and the list of results.
std::string random_program(unsigned seed);

}  // namespace simtlm::test
