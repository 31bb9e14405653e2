// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace simtlm::memory {

/// The bucket of a latency in tables of 32 powers of two: bucket n counts [2^n, 2^(n+1)) cycles;
/// the first bucket includes 0, the last all longer latencies.
inline unsigned log2_bucket(std::uint64_t cycles) {
    return cycles == 0 ? 0u : std::min(31u, 63u - static_cast<unsigned>(__builtin_clzll(cycles)));
}

}  // namespace simtlm::memory
