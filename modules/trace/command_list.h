// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::trace {

/// One line of a kernelslist.g.
struct command {
    enum class kind : std::uint8_t {
        copy_host_to_device,
        copy_device_to_host,
        synchronize,
        kernel
    };
    kind what = kind::kernel;
    std::uint64_t address = 0;  ///< copies
    std::uint64_t bytes = 0;    ///< copies
    std::string file;           ///< kernel: path of the kernel trace, relative to nothing
    std::string where;          ///< "file:line" of the command
};

/// Reads a command list. Blank lines and comments (#) are skipped; kernel files are looked up
/// beside the list and must exist. @throws kernel::user_error
std::vector<command> read_command_list(const std::string& file);

}  // namespace simtlm::trace
