// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::program {

/// Windows of generic addresses of a thread's local and of a CTA's shared memory in executed
/// programs; recorded in traces of machine code.
struct generic_windows {
    static constexpr std::uint64_t local = 0x1000'0000;
    static constexpr std::uint64_t shared = 0x1400'0000;
    static constexpr std::uint64_t bytes = 0x0100'0000;  ///< of each window
};

}  // namespace simtlm::program
