// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace simtlm::platform {

/// The contents of a checkpoint file: a line with a checksum of the rest, a line of JSON, and
/// compressed data (docs/checkpoints.md).
struct checkpoint_contents {
    std::uint64_t kernels = 0;                   ///< completed
    std::uint64_t core_cycles = 0;               ///< for readers of the file
    std::uint64_t time = 0;                      ///< in units of the time resolution
    std::map<std::string, std::string> options;  ///< that the state depends on
    /// What several options decide together and the state depends on: clocks, address mapping.
    std::map<std::string, std::string> design;
    std::string host_log;  ///< of a host program; empty: none
    std::string state;     ///< of the GPU, see support::archive

    /// The text of a file.
    std::string packed() const;
    /// Reads the text of a file. Memory is allocated for what the text contains, whatever sizes it
    /// claims.
    /// @param file  for messages @throws support::user_error  if it is no checkpoint, or damaged
    static checkpoint_contents unpacked(const std::string& text, const std::string& file);
    /// The first line of a file. @param rest  all other lines
    static std::string first_line(const std::string& rest);
};

}  // namespace simtlm::platform
