// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::sass {

/// First word of a fat binary, and size of its header in bytes.
constexpr std::uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::size_t fat_binary_header_bytes = 16;

/// An entry of a fat binary.
struct fat_binary_entry {
    enum class kind : std::uint8_t { ptx, cubin, other };
    kind what = kind::other;
    unsigned architecture = 0;  ///< 70 for sm_70
    std::string contents;       ///< unpacked; empty if not requested
    char suffix = 0;            ///< 'a' for sm_90a, 'f' for sm_100f; 0: none
};

/// Returns whether a GPU can run PTX of an architecture: compute_XY runs on all GPUs from X.Y on,
/// compute_XYa only on X.Y, compute_XYf on the family of X.Y.
/// @param suffix  as in fat_binary_entry
/// @param gpu     compute capability of the GPU: 90 for 9.0
bool ptx_runs_on(unsigned architecture, char suffix, unsigned gpu);

/// The newest architecture, 90 for sm_90, whose machine code is supported.
constexpr unsigned newest_machine_code = 121;
/// The oldest one, sm_70.
constexpr unsigned oldest_machine_code = 70;
/// Whether machine code of an architecture is supported.
constexpr bool is_supported_machine_code(unsigned architecture) {
    return architecture >= oldest_machine_code && architecture <= newest_machine_code;
}
/// Returns whether a GPU can run machine code of an architecture: sm_XY runs on the GPUs of the
/// same generation (X) from X.Y on, sm_XYa only on X.Y. Machine code before sm_70 is not supported.
bool machine_code_runs_on(unsigned architecture, char suffix, unsigned gpu);

/// Size of a fat binary including its header, in bytes. @param header  16 bytes; @return 0 if it is
/// not a fat binary
std::uint64_t fat_binary_bytes(const void* header);

/// Reads the entries of a fat binary: PTX and machine code for several architectures, compressed
/// with LZ4 or zstd, or uncompressed.
/// @param wanted  whether to unpack an entry; others are returned without contents. Empty: all are
/// unpacked
/// @throws support::user_error  not a fat binary, or an entry cannot be unpacked
std::vector<fat_binary_entry> read_fat_binary(
    std::string_view bytes, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted = {});

/// Reads the entries of all fat binaries in a program or library (an ELF file), in order and at any
/// position in its data; empty if there are none.
/// @param wanted  as in read_fat_binary()
/// @throws support::user_error
std::vector<fat_binary_entry> fat_binaries_of(
    std::string_view file, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted = {});

}  // namespace simtlm::sass
