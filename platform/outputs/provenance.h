// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Origin of the statistics of a run: everything needed to repeat it.
struct provenance {
    /// Identifies the simulator build.
    struct program_build {
        std::string version;
        std::string commit;
        std::string accelsim;  ///< build identifier for Accel-Sim's scripts
    };
    /// An input file of the run.
    struct file {
        std::string role;  ///< for example "kernel trace"
        std::string path;  ///< as given
    };
    program_build build;
    std::vector<std::string> command_line;
    std::string started;  ///< UTC, ISO 8601
    std::string host;
    std::vector<std::string> presets;
    std::vector<file> inputs;
};

/// @param arguments  including the program name
/// @param work       input files that define what is run
provenance provenance_of(provenance::program_build build, std::vector<std::string> arguments,
                         const option_values& values, const gpu_config& config,
                         const std::vector<provenance::file>& work);

/// Size of a file in bytes and its 128-bit XXH3 checksum in hexadecimal as printed by xxh128sum;
/// empty if the file does not exist or is not a regular file.
struct file_checksum {
    std::uint64_t bytes = 0;
    std::string xxh128;
};
file_checksum checksum_of(const std::string& path);

}  // namespace simtlm::platform
