// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/fat_binary.h"
#include "modules/sass/linker.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::sass {

/// The code of one source file, in the forms that an input of a linker contains.
struct link_member {
    std::string name;
    bool on_demand = false;  ///< a member of a library (link_object)
    std::vector<fat_binary_entry> forms;
};

/// Reads an input of a linker: PTX, a cubin, a fat binary, an object file of the host, or a library
/// of these (ar). Object files without code for GPUs are omitted.
/// @param wanted  as in read_fat_binary()
/// @throws support::user_error  it is damaged
std::vector<link_member> link_members_of(
    std::string bytes, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted = {});

/// Selects from each member the machine code of the architecture or the newest that it can execute:
/// of the same generation (major number), and not newer.
/// @param architecture  80 for sm_80; 0: the newest of any member
/// @param without       names of the members that have none; they are omitted
std::vector<link_object> objects_for(const std::vector<link_member>& members, unsigned architecture,
                                     std::vector<std::string>* without = nullptr);

}  // namespace simtlm::sass
