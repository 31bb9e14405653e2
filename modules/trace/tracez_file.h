// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/line_source.h"

#include <memory>
#include <string>

namespace simtlm::trace {

/// File name suffix of Accel-Sim 2.0's packed traces.
inline constexpr const char* tracez_suffix = ".tracez";

/// Reads a packed trace of Accel-Sim 2.0 as the text from which it was made: header, and per thread
/// block its warps with their instruction lines. All numbers are little-endian.
///
/// | part | contents |
/// |---|---|
/// | header | the header lines, up to a zero byte |
/// | sizes | u32 bytes of the dictionary, u32 instructions per chunk |
/// | dictionary | of zstd; may be empty |
/// | warps | each: u32 instructions, u32 chunks, and per chunk u32 size and a zstd frame of lines |
/// | index | u32 blocks; each: ten u32 (block, cluster, index in the cluster, rank), u32 warps; |
/// |       | per warp u32 instructions, u32 chunks, u64 offset, and per chunk u32 instructions |
/// | end | u64 offset of the index |
///
/// The file is read sequentially, index and warps concurrently, so that memory does not depend on
/// its size. Every offset and size is checked against the file size.
/// @throws support::user_error
std::unique_ptr<line_source::byte_source> open_tracez(const std::string& file);

/// Whether a file is a packed trace, according to its name; the contents do not identify the
/// format.
bool is_tracez(const std::string& file);

}  // namespace simtlm::trace
