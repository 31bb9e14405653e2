// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::sass {

/// First word of a fat binary, and bytes of its header.
constexpr std::uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::size_t fat_binary_header_bytes = 16;

/// One entry of a fat binary.
struct fat_binary_entry {
    enum class kind : std::uint8_t { ptx, cubin, other };
    kind what = kind::other;
    unsigned architecture = 0;  ///< 70 for sm_70
    std::string contents;       ///< unpacked; empty where that was not wanted
};

/// Bytes of a fat binary with its header. @param header  16 bytes; @return 0: it is not one
std::uint64_t fat_binary_bytes(const void* header);

/// Entries of a fat binary: PTX and machine code for several architectures, packed with LZ4, with
/// zstd or not at all.
/// @param wanted  says of an entry whether it is unpacked; the others are there without contents.
///                Empty: all are
/// @throws kernel::user_error  it is not one, or an entry cannot be unpacked
std::vector<fat_binary_entry> read_fat_binary(
    std::string_view bytes, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted = {});

/// Entries of all fat binaries in a program or library (an ELF file), in order, wherever among its
/// data they lie; none: it has none.
/// @param wanted  as of read_fat_binary
/// @throws kernel::user_error
std::vector<fat_binary_entry> fat_binaries_of(
    std::string_view file, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted = {});

}  // namespace simtlm::sass
