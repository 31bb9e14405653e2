// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace simtlm::sass {

/// Appends the little-endian bytes of a value or of a structure without padding.
template <class T>
void append(std::string& to, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof bytes);
}

/// Reads a little-endian value; zero if it is not wholly within the bytes.
template <class T>
T read_at(std::string_view bytes, std::uint64_t offset) {
    T v{};
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof v)
        std::memcpy(&v, bytes.data() + offset, sizeof v);
    return v;
}

/// The next multiple of an alignment, which 0 leaves at one byte.
inline std::uint64_t aligned(std::uint64_t n, std::uint64_t alignment) {
    const std::uint64_t a = std::max<std::uint64_t>(alignment, 1);
    return (n + a - 1) / a * a;
}

}  // namespace simtlm::sass
