// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_choice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::trace {

/// A line of a kernelslist.g.
struct command {
    /// Kind of command.
    enum class kind : std::uint8_t {
        copy_host_to_device,
        copy_device_to_host,
        synchronize,
        kernel
    };
    kind what = kind::kernel;
    std::uint64_t address = 0;  ///< copies
    std::uint64_t bytes = 0;    ///< copies
    std::string file;   ///< kernel: path of the kernel trace, including the folder of the list
    std::string where;  ///< "file:line" of the command
    std::uint64_t number = 0;  ///< kernel: position in the list, from 1
};

/// The contents of a command list.
struct command_list {
    std::vector<command> commands;
    kernel_choice choice;  ///< selected by lines such as "--kernels 3-5"
};

/// Reads a command list. Blank lines and comments (#) are skipped; kernel files are relative to the
/// list and must exist. @throws support::user_error, also if the list has no commands
command_list read_whole_command_list(const std::string& file);

/// Reads the commands to be executed: all except kernels that are not selected, up to the last
/// kernel of --max-kernels.
/// @param choice  selection of the caller, which overrides that of the list; set to the effective
///                one
/// @throws support::user_error, also if the list has kernels but none is selected
std::vector<command> read_command_list(const std::string& file, kernel_choice& choice);
/// The same without a selection by the caller.
std::vector<command> read_command_list(const std::string& file);

}  // namespace simtlm::trace
