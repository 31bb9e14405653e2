// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Where the statistics of a run come from: what it takes to run it again.
struct provenance {
    /// Which simulator it was.
    struct program_build {
        std::string version;
        std::string commit;
        std::string accelsim;  ///< what Accel-Sim's scripts know a build by
    };
    struct file {
        std::string role;  ///< e.g. kernel trace
        std::string path;  ///< as it was found
    };
    program_build build;
    std::vector<std::string> command_line;
    std::string started;  ///< UTC, ISO 8601
    std::string host;
    std::vector<std::string> presets;
    std::vector<file> inputs;
};

/// @param arguments  the program's name first
/// @param work       files that tell what is run
provenance provenance_of(provenance::program_build build, std::vector<std::string> arguments,
                         const option_values& values, const gpu_config& config,
                         const std::vector<provenance::file>& work);

/// Bytes of a file and its XXH3 checksum of 128 bits, in hexadecimal digits as xxh128sum prints
/// it; empty where the file is gone or no regular file.
struct file_checksum {
    std::uint64_t bytes = 0;
    std::string xxh128;
};
file_checksum checksum_of(const std::string& path);

}  // namespace simtlm::platform
