// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/recorded_size.h"

#include "modules/trace/binary_file.h"
#include "modules/trace/tracez_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>

namespace simtlm::trace {

namespace {

// The .xz file format, version 1.1: header, blocks, index, footer.
constexpr std::uint64_t xz_header = 12, xz_footer = 12, xz_largest_index = 1 << 20;

/// Consumes a number of seven bits per byte, lowest first.
std::optional<std::uint64_t> take_number(std::string_view& from) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && !from.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(from.front());
        from.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
}

/// @param blocks  bytes before the index, without the header
std::optional<std::uint64_t> size_by_index(std::string_view index, std::uint64_t blocks) {
    if (index.empty() || index.front() != 0) return std::nullopt;
    index.remove_prefix(1);
    const auto records = take_number(index);
    if (!records) return std::nullopt;
    std::uint64_t packed = 0, size = 0;
    for (std::uint64_t i = 0; i < *records; ++i) {
        const auto unpadded = take_number(index);
        const auto unpacked = unpadded ? take_number(index) : std::nullopt;
        if (!unpacked || *unpadded > blocks) return std::nullopt;
        packed += (*unpadded + 3) / 4 * 4;
        size += *unpacked;
    }
    // Otherwise there are several streams, or other data after the stream.
    return packed == blocks ? std::optional(size) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> recorded_size(const std::string& file) {
    if (is_binary_trace(file) || is_tracez(file)) return std::nullopt;
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) return std::nullopt;
    const auto bytes = static_cast<std::uint64_t>(in.tellg());
    const auto read = [&](std::uint64_t from, char* to, std::size_t n) {
        in.seekg(static_cast<std::streamoff>(from));
        return static_cast<bool>(in.read(to, static_cast<std::streamsize>(n)));
    };
    unsigned char ends[xz_footer] = {};
    char* const text = reinterpret_cast<char*>(ends);
    if (bytes < sizeof ends || !read(0, text, 6)) return std::nullopt;
    constexpr unsigned char xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    constexpr unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    const auto starts = [&](const auto& magic) {
        return std::equal(std::begin(magic), std::end(magic), ends);
    };
    if (starts(gzip) || starts(zstd) || std::memcmp(ends, "BZh", 3) == 0) return std::nullopt;
    if (!starts(xz)) return bytes;
    if (!read(bytes - xz_footer, text, sizeof ends) || ends[10] != 'Y' || ends[11] != 'Z')
        return std::nullopt;
    std::uint64_t backward = 0;
    for (int i = 7; i >= 4; --i) backward = backward << 8 | ends[i];
    const std::uint64_t length = (backward + 1) * 4;
    if (length > xz_largest_index || length + xz_header + xz_footer > bytes) return std::nullopt;
    std::string index(length, '\0');
    if (!read(bytes - xz_footer - length, index.data(), index.size())) return std::nullopt;
    return size_by_index(index, bytes - xz_header - xz_footer - length);
}

}  // namespace simtlm::trace
