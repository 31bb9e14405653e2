// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

namespace simtlm::cuda {

/// The folder of the library that this is compiled into, with a slash at the end; empty if it is
/// unknown. Never destroyed: programs make calls at the end of the process.
inline const std::string& own_folder() {
    static const std::string& folder = *new std::string([] {
        Dl_info info;
        static const char in_this_library = 0;
        if (dladdr(&in_this_library, &info) == 0) return std::string();
        const std::string path = info.dli_fname;
        return path.substr(0, path.rfind('/') + 1);
    }());
    return folder;
}

}  // namespace simtlm::cuda
