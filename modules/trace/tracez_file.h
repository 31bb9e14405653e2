// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/line_source.h"

#include <memory>
#include <string>

namespace simtlm::trace {

/// How the names of Accel-Sim 2.0's packed traces end.
inline constexpr const char* tracez_suffix = ".tracez";

/// A trace as Accel-Sim 2.0 packs it, given out as the text that it was made from: header, and per
/// thread block its warps with their instruction lines. All numbers are little-endian.
///
/// | part | what is in it |
/// |---|---|
/// | header | the header lines, up to a zero byte |
/// | sizes | u32 bytes of the dictionary, u32 instructions of a chunk |
/// | dictionary | of zstd; may be empty |
/// | warps | each u32 instructions, u32 chunks, and per chunk u32 size and a zstd frame of lines |
/// | index | u32 blocks; each ten u32 (block, cluster, place in the cluster, rank), u32 warps; each
/// of
///   these u32 instructions, u32 chunks, u64 place of the warp, and per chunk u32 instructions |
/// | end | u64 place of the index |
///
/// Read from front to back, index and warps at the same time, so that memory does not grow with the
/// file. Every place and size is compared with the file's.
/// @throws kernel::user_error
std::unique_ptr<line_source::byte_source> open_tracez(const std::string& file);

/// By its name. Nothing in the file itself says what it is.
bool is_tracez(const std::string& file);

}  // namespace simtlm::trace
