// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_choice.h"

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
    std::uint64_t number = 0;   ///< kernel: place among those of the list, from 1
};

/// A command list as it is written.
struct command_list {
    std::vector<command> commands;
    kernel_choice choice;  ///< what lines such as "--kernels 3-5" choose
};

/// Reads a command list. Blank lines and comments (#) are skipped; kernel files are looked up
/// beside the list and must exist. @throws kernel::user_error, for a list of no commands too
command_list read_whole_command_list(const std::string& file);

/// Those commands that are to be executed: all but the kernels that are not chosen, and nothing
/// behind the last of --max-kernels.
/// @param choice  of the caller, which goes before that of the list; becomes the one that holds
/// @throws kernel::user_error, also when no kernel is chosen though there are some
std::vector<command> read_command_list(const std::string& file, kernel_choice& choice);
/// The same without choices of the caller.
std::vector<command> read_command_list(const std::string& file);

}  // namespace simtlm::trace
