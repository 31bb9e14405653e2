// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"
#include "sc_main/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm {

/// Where the statistics of a run come from: what it takes to run it again.
struct provenance {
    struct file {
        std::string role;  ///< e.g. kernel trace
        std::string path;  ///< as it was found
    };
    std::vector<std::string> command_line;
    std::string started;  ///< UTC, ISO 8601
    std::string host;
    std::vector<std::string> presets;
    std::vector<file> inputs;
};

/// @param arguments  the program's name first
provenance provenance_of(const std::vector<std::string>& arguments,
                         const platform::option_values& values, const platform::gpu_config& config,
                         const workload& work);

/// Bytes of a file and its XXH3 checksum of 128 bits, in hexadecimal digits as xxh128sum prints
/// it; empty where the file is gone or no regular file.
struct file_checksum {
    std::uint64_t bytes = 0;
    std::string xxh128;
};
file_checksum checksum_of(const std::string& path);

}  // namespace simtlm
