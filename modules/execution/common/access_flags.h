// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::execution {

/// Properties of an access, in operation::source[1] of its check.
struct access_flags {
    static constexpr std::uint32_t reads = 1;
    static constexpr std::uint32_t writes = 2;
    static constexpr std::uint32_t strong = 4;  ///< does not race with other strong accesses
    static constexpr std::uint32_t acquires = 8;
    static constexpr std::uint32_t releases = 16;
    static constexpr std::uint32_t wide_registers = 32;  ///< 64 bits per lane
    /// The loaded value is only stored elsewhere.
    static constexpr std::uint32_t copies = 64;
    /// Strong with respect to other warps, but unordered among lanes: volatile.
    static constexpr std::uint32_t unordered_lanes = 128;
};

/// Kinds of accesses to a segment of memory by each lane, by the operation that follows the check.
enum class segment_access : std::uint8_t {
    load_matrices,   ///< ldmatrix, LDSM
    store_matrices,  ///< stmatrix, STSM
    copy,            ///< cp.async, LDGSTS
    load_fragment,   ///< wmma.load
    store_fragment,  ///< wmma.store
};

}  // namespace simtlm::execution
