// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::support {

inline constexpr std::uint64_t fnv1a_basis = 0xcbf29ce484222325;

/// The 64-bit FNV-1a hash of bytes (Fowler, Noll and Vo, IETF draft-eastlake-fnv).
/// @param state  hash of the bytes before them
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t state = fnv1a_basis) {
    constexpr std::uint64_t prime = 0x100000001b3;
    for (const char c : bytes) state = (state ^ static_cast<unsigned char>(c)) * prime;
    return state;
}

}  // namespace simtlm::support
